// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/solve/spatial_matrix.hpp"
#include "tandem/detail/scan/inverse_dynamics_scan.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem::inline TANDEM_ISA {

/// x -> A x + b for spatial vectors, A any 6x6 matrix. Runs of such maps, applied outwards, are products: prefix scans.
template <class S>
struct DenseAffineMap {
  Matrix6<S> A;
  Vector6<S> b;
  TANDEM_HD static DenseAffineMap identity() { return {Matrix6<S>::identity(), Vector6<S>::zero()}; }
  /// First g, then f.
  TANDEM_HD friend DenseAffineMap operator*(const DenseAffineMap& f, const DenseAffineMap& g) {
    return {f.A * g.A, mul_add(f.A, g.b, f.b)};
  }
};
/// Applied inwards: suffix scans.
template <class S>
struct DenseInward : Product<DenseAffineMap<S>> {
  TANDEM_HD DenseAffineMap<S> operator()(const DenseAffineMap<S>& P, const DenseAffineMap<S>& Q) const { return P * Q; }
};

/// The hybrid articulated-body algorithm: articulated inertias one link after the other, all else as scans.
///
/// Method    [Yang] section II-C, (8), [Yang slides]. With U = IA S, K = (S^T U + armature)^-1:
///               Y_i = X_i^T (1 - U K S^T)
///               z_{i-1} = Y_i z_i + X_i^T ((1 - U K S^T) p_i + Ia c_i + U K tau_i),   z_n = 0          suffix scan
///               u_i = tau_i - S^T (p_i + z_i)
///               a_i = Y_i^T a_{i-1} + (1 - S K U^T) c_i + S K u_i,   a_0 that of the base                prefix scan
///               qdd_i = K (u_i - U^T (X_i a_{i-1} + c_i))
///           Changed: [Yang] has p = c = a_0 = 0 and tau - ID(q, v, 0) for tau, which loses the digits of long chains;
///           this is right_hand_side = bias_torque. X from frame i - 1 to i in Y and Pi, where the slides print its
///           inverse
/// In, out   those of forward_dynamics
/// Joints    every type; chains only
/// Options   right_hand_side: local by itself; chunk: links of a chunk of the scans
/// Work      80 rows per link, 13 per degree of freedom, as bias_torque 20 more per link     Cost O(n_links), depth
///           n_links: the inertias
/// Errors    none; a singular robot gives infinities or NaN in its own state
struct HybridArticulatedBody {
  using Problem = ForwardDynamics;
  static constexpr Method method = Method::hybrid_articulated_body;
  RightHandSide right_hand_side = RightHandSide::local;
  int chunk = 64;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options&) {
    if (m.n_mimic != 0) return "it has mimic joints; use articulated_body";
    if (!is_chain(m)) return "it has branches, and the method is for chains; use articulated_body or scan";
    return nullptr;
  }

  TANDEM_HD bool as_bias_torque() const { return right_hand_side == RightHandSide::bias_torque; }
  TANDEM_HD InverseDynamicsScan bias() const { return {.chunk = chunk}; }

  /// What is kept of a link.
  template <class S>
  struct Link {
    Transform<S> X;
    Motion<S> v;  ///< first that of its joint alone
    Force<S> p;
    Motion<S> c;
    Force<S> Ia_c;  ///< what c takes beyond the joint
  };
  static constexpr Index map = rows_of<DenseAffineMap<double>>, rows_per_link = rows_of<Link<double>>,
                         rows_per_dof = KeptResponse<double, 6, double*>::count / 6;

  template <class M>
  TANDEM_HD Index work_rows(const ModelView<M>& m) const {
    const Index n = m.n_links - 1,
                own = (rows_per_link + map) * n + map * chunks_of(n, chunk) + rows_per_dof * m.n_dof + m.nv;
    return as_bias_torque() ? own + bias().work_rows(m) : own;
  }

  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Work>
  TANDEM_HD void body(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal, A a,
                      Work w) const {
    if (m.n_links < 2) return;
    body_after<S>(executor, m, q, v, tau, f_ext, diagonal, a, w, w + responses_row(m), false);
  }
  /// Rows of how all joints yield, and where they stand in the workspace.
  template <class M>
  TANDEM_HD static Index response_rows(const ModelView<M>& m) {
    return rows_per_dof * m.n_dof;
  }
  template <class M>
  TANDEM_HD Index responses_row(const ModelView<M>& m) const {
    const Index n = m.n_links - 1;
    return (rows_per_link + map) * n + map * chunks_of(n, chunk);
  }
  /// How all joints yield, as far as the configuration decides it: what body_after is given as bias_torque.
  template <class S, class M, class Q, class D, class Work>
  void find_responses(const ModelView<M>& m, Q q, D diagonal, Work responses, Work w) const {
    HybridArticulatedBody at_rest = *this;
    at_rest.right_hand_side = RightHandSide::bias_torque;
    const auto links = records<Link<S>>(w);
    const S still(0);
    at_rest.place_and_move<S>(SerialExecutor(), m, q, in_every_row(still), Q{}, links, w, w);
    find_inertias<S>(m, q, diagonal, links, responses);
  }
  template <class S, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class A, class Work>
  TANDEM_HD void body_after(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Tau tau, Fx f_ext, D diagonal,
                            A a, Work w, Work responses, bool responses_given) const {
    const Index n = m.n_links - 1;
    const auto links = records<Link<S>>(w);
    const auto maps = w + rows_per_link * n, totals = maps + map * n;
    const auto effort = w + responses_row(m) + response_rows(m);
    const bool brings_bias = is_of_threads<Executor> || !as_bias_torque();
    if constexpr (!is_of_threads<Executor>) {
      const S still(0);
      if (!brings_bias) bias().template body<S>(executor, m, q, v, in_every_row(still), f_ext, effort, effort + m.nv);
    }
    for_each_number(executor, m.nv,
                    [&](Index k) TANDEM_INLINE { effort[k] = brings_bias ? S(tau[k]) : S(tau[k]) - S(effort[k]); });
    place_and_move<S>(executor, m, q, v, f_ext, links, maps, totals);
    if (!responses_given) on_one(executor, [&]() TANDEM_INLINE { find_inertias<S>(m, q, diagonal, links, responses); });

    const auto slots = records<DenseAffineMap<S>>(maps), over_chunks = records<DenseAffineMap<S>>(totals);
    scan_chunked<Scan::inclusive_suffix>(
        executor, DenseInward<S>(), n, chunk,
        [&](Index j) TANDEM_INLINE { return inward_map<S>(m, static_cast<int>(j) + 1, q, effort, links, responses); },
        slots, over_chunks);
    executor.for_each(n, [&](Index j) TANDEM_INLINE {  // z_n = 0: what is left of the maps is their constant
      const auto z = j + 1 < n ? as_force(slots.load(j + 1).b) : Force<S>::zero();
      respond<S>(m, static_cast<int>(j) + 1, q, effort, links.load(j, &Link<S>::p) + z, responses);
    });
    scan_chunked<Scan::inclusive_prefix>(
        executor, Product<DenseAffineMap<S>>(), n, chunk,
        [&](Index j) TANDEM_INLINE { return outward_map<S>(m, static_cast<int>(j) + 1, q, links, responses); }, slots,
        over_chunks);

    const auto a_0 = as_bias_torque() ? Motion<S>::zero() : base_acceleration<S>(m);
    executor.for_each(n, [&](Index j) TANDEM_INLINE {
      auto a_p = a_0;
      if (j > 0) {
        const auto to_p = slots.load(j - 1);
        a_p = as_motion(mul_add(to_p.A, vector6(a_0), to_p.b));
      }
      const int i = static_cast<int>(j) + 1;
      const auto link = links.load(j);
      const auto a_in = link.X * a_p + link.c;
      on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        constexpr int d = decltype(joint)::nv;
        const auto r = response<S, d>(m, i, responses);
        S u[d], qdd[d];
        for (int k = 0; k < d; ++k) u[k] = r.u(k);
        accelerate(r, u, a_in, qdd);
        for (int k = 0; k < d; ++k) a[m.v_index[i] + k] = qdd[k];
      });
    });
  }

 private:
  template <class S, int d, class M, class Work>
  TANDEM_HD static KeptResponse<S, d, Work> response(const ModelView<M>& m, int i, Work responses) {
    return {responses, rows_per_dof * m.dof_index[i]};
  }

  /// X_i, and unless the bias is a joint force v_i, p_i and c_i: velocities by a scan of their own.
  template <class S, class Executor, class M, class Q, class Qd, class Fx, class Links, class Work>
  TANDEM_HD void place_and_move(const Executor& executor, const ModelView<M>& m, Q q, Qd v, Fx f_ext,
                                const Links& links, Work maps, Work totals) const {
    const Index n = m.n_links - 1;
    executor.for_each(n, [&](Index j) TANDEM_INLINE {
      const int i = static_cast<int>(j) + 1;
      on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto still = Motion<S>::zero(), v_J = still + joint_motion<S>(joint, m, i, v);
        const auto none = Force<S>::zero();
        links.store(j, {joint_transform<S>(joint, m, i, q), as_bias_torque() ? still : v_J, none, still, none});
      });
    });
    if (as_bias_torque()) return;
    const auto runs = records<AffineRun<S>>(maps);
    scan_chunked<Scan::inclusive_prefix>(
        executor, Affine<S>(), n, chunk,
        [&](Index j) TANDEM_INLINE {
          return AffineRun<S>{links.load(j, &Link<S>::X), links.load(j, &Link<S>::v)};
        },
        runs, records<AffineRun<S>>(totals));
    executor.for_each(n, [&](Index j) TANDEM_INLINE {
      const int i = static_cast<int>(j) + 1;
      const auto v_i = runs.load(j).b;
      auto p_i = cross(v_i, link_inertia<S>(m, i) * v_i);
      if (f_ext) p_i = p_i - external_force<S>(m, i, f_ext);
      links.store(j, &Link<S>::p, p_i);
      on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        links.store(j, &Link<S>::c, Motion<S>::zero() + velocity_product(v_i, joint_motion<S>(joint, m, i, v)));
      });
    });
  }

  /// Inward, one link after the other: how each joint yields.
  template <class S, class M, class Q, class D, class Links, class Work>
  TANDEM_HD static void find_inertias(const ModelView<M>& m, Q q, D diagonal, const Links& links, Work responses) {
    ArticulatedInertia<S> Ia_p = articulated(Inertia<S>::zero());
    for (int i = m.n_links - 1; i >= 1; --i) {
      const Index j = i - 1;
      on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        constexpr int d = decltype(joint)::nv;
        JointResponse<S, d> r = {};
        auto Ia = Ia_p + link_inertia<S>(m, i);
        S rotor[d];
        rotor_inertia(m, i, diagonal, rotor);
        yield_to(joint, Ia, rotor, r);
        store(responses, response<S, d>(m, i, responses).row, r);
        Ia = beyond(joint, r, rotor, Ia);
        links.store(j, &Link<S>::Ia_c, Ia * links.load(j, &Link<S>::c));
        Ia_p = transpose_mul(links.load(j, &Link<S>::X), Ia);
      });
    }
  }

  /// Y_i
  template <int d, class S, class Joint, class Response>
  TANDEM_HD static Matrix6<S> handing_on(const Joint& joint, const Response& r, const Transform<S>& X_ip) {
    Matrix6<S> Y;
    S G[d], KG[d];
    for (int column = 0; column < 6; ++column) {
      const auto e = unit_motion<S>(column);
      const auto y = vector6(transpose_mul(X_ip, transmit(joint, r, Force<S>{e.w, e.v}, G, KG)));
      for (int row = 0; row < 6; ++row) Y(row, column) = y(row, 0);
    }
    return Y;
  }

  template <class S, class M, class Q, class Effort, class Links, class Work>
  TANDEM_HD static DenseAffineMap<S> inward_map(const ModelView<M>& m, int i, Q q, Effort effort, const Links& links,
                                                Work responses) {
    return on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
      constexpr int d = decltype(joint)::nv;
      const auto r = response<S, d>(m, i, responses);
      const auto link = links.load(i - 1);
      S G[d], KG[d];
      auto f = transmit(joint, r, link.p, G, KG) + link.Ia_c;
      for (int k = 0; k < d; ++k) f = mul_add(S(effort[m.v_index[i] + k]), column_of_UK<d, S>(r, k), f);
      f = transpose_mul(link.X, f);
      return DenseAffineMap<S>{handing_on<d, S>(joint, r, link.X), vector6(f)};
    });
  }

  /// u_i
  template <class S, class M, class Q, class Effort, class Work>
  TANDEM_HD static void respond(const ModelView<M>& m, int i, Q q, Effort effort, const Force<S>& pa, Work responses) {
    on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
      constexpr int d = decltype(joint)::nv;
      JointResponse<S, d> r;
      S tau[d];
      for (int k = 0; k < d; ++k) tau[k] = S(effort[m.v_index[i] + k]);
      push(joint, tau, pa, r);
      r.store_force_part(responses, response<S, d>(m, i, responses).row);
    });
  }

  template <class S, class M, class Q, class Links, class Work>
  TANDEM_HD static DenseAffineMap<S> outward_map(const ModelView<M>& m, int i, Q q, const Links& links,
                                                 Work responses) {
    return on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
      constexpr int d = decltype(joint)::nv;
      const auto r = response<S, d>(m, i, responses);
      const auto link = links.load(i - 1);
      S u[d], rate[d];
      for (int k = 0; k < d; ++k) u[k] = r.u(k);
      accelerate(r, u, link.c, rate);
      const auto b = link.c + joint.template motion<S>(&rate[0]);
      return DenseAffineMap<S>{transpose(handing_on<d, S>(joint, r, link.X)), vector6(b)};
    });
  }
};

}  // namespace tandem::inline TANDEM_ISA
