// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/arguments.hpp"
#include "tandem/detail/executors/scan.hpp"
#include "tandem/detail/passes/axis_basis.hpp"
#include "tandem/detail/problems/interbody_wrenches.hpp"
#include "tandem/detail/solve/block_tridiagonal.hpp"
#include "tandem/detail/spatial/body_mobility.hpp"
#include "tandem/detail/spatial/scan_operators.hpp"

namespace tandem::inline TANDEM_ISA {

/// All 36 numbers of a rigid body's mobility.
template <class S>
TANDEM_HD Matrix6<S> matrix6(const BodyMobility<S>& J) {
  const Mat3<S> K = full(J.K), cK = cross(J.c, K), cKc = mul_transpose(cK, skew(J.c));  // c~ K c~^T = -c~ K c~
  auto A = matrix6(K, transpose(cK), cK, cKc);
  for (int k = 3; k < 6; ++k) A.e[k][k] = A.e[k][k] + J.per_mass;
  return A;
}

/// A joint's unknowns in the system of all constraint forces. The six axes of its basis are put in order: first the
/// ones that the joint holds, W, whose unknowns are the forces it holds them with; then those along which it moves, S,
/// whose unknowns are what its rotors take: y = -D^1/2 qdd, D = armature and what a caller adds to the diagonal. Each
/// axis weighs 1 if it is held, and as D^1/2 if it is free: without a rotor it carries nothing, and its unknown is 0.
template <class S>
struct JointUnknowns {
  int axis[6];
  S weight[6];
  int held;
  AxisBasis<S> basis;

  template <class M, class Q, class D>
  TANDEM_CALLED static JointUnknowns of(const ModelView<M>& m, int i, const Q& q, const D& diagonal) {
    JointUnknowns u;
    on_joint_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
      using Joint = decltype(joint);
      constexpr int d = Joint::nv;
      u.held = 6 - d;
      u.basis = AxisBasis<S>(joint);
      for (int k = 0; k < 6 - d; ++k) {
        u.axis[k] = held_row<Joint>(k);
        u.weight[k] = S(1);
      }
      S rotor[d];
      rotor_inertia(m, i, diagonal, rotor);
      for (int k = 0; k < d; ++k) {
        u.axis[u.held + k] = Joint::basis_row(k);
        u.weight[u.held + k] = sqrt(rotor[k]);
      }
    });
    return u;
  }
  /// [W S D^1/2]^T a, its first m rows.
  template <int m>
  TANDEM_HD Matrix<S, m, 1> pick(const Motion<S>& a) const {
    const auto rows = basis.moving(vector6(a));
    Matrix<S, m, 1> x;
    for (int k = 0; k < m; ++k) x.e[k][0] = weight[k] * rows.e[axis[k]][0];
    return x;
  }
  /// [W S D^1/2] f
  template <int m>
  TANDEM_HD Force<S> spread(const Matrix<S, m, 1>& f) const {
    auto rows = Vector6<S>::zero();
    for (int k = 0; k < m; ++k) rows.e[axis[k]][0] = weight[k] * f.e[k][0];
    return as_force(basis.pushing(rows));
  }
};

/// The system of equations for the forces that hold the joints of a chain together, m unknowns a joint.
///
/// Across joint i goes the wrench W_i f_i + S_i (tau_i + D_i^1/2 y_i); with J_i = I_i^-1 and P = W, S D^1/2 side by
/// side,
///
///     a_i = J_i (g_i + P_i f_i - X_{i+1}^T P_{i+1} f_{i+1})       g_i = -p_i + S_i tau_i - X_{i+1}^T S_{i+1} tau_{i+1}
///     r_i = X_i J_{i-1} g_{i-1} - J_i g_i + c_i                    gap rate of the joints; X_1 a_0 at the base
///     A f = P^T r,   A_ii = P_i^T (J_i + X_i J_{i-1} X_i^T) P_i + 1 at y,   A_i,i+1 = -P_i^T J_i X_{i+1}^T P_{i+1}
///     qdd_i = S_i^T (a_i - X_i a_{i-1} - c_i)
///
/// [Yang] (13) - (17), [Pond] (3.3) - (3.12): matrix of both, right-hand side P^T r of the latter. New: rotors. A rotor
/// of inertia D makes the joint carry tau - D qdd instead of tau; y = -D^1/2 qdd keeps the matrix symmetric and
/// positive definite, and where there is no rotor its row reads y = 0.
///
/// m = 3 serves spherical joints, 5 all joints without rotors, 6 all. What a joint does not need of its m rows reads y
/// = 0.
template <int m>
struct ConstraintSystem {
  /// What is kept of a joint and its link. Behind them are the blocks of the system, which solvers want apart.
  template <class S>
  struct Link {
    Transform<S> X;
    Motion<S> r;
    BodyMobility<S> J;
  };
  template <class S, class Work>
  TANDEM_HD static auto links_in(Work w) {
    return records<Link<S>>(w);
  }
  template <class M>
  TANDEM_HD static Index at_blocks(const ModelView<M>& model) {
    return rows_of<Link<double>> * model.n_links;
  }
  /// The system that assemble() leaves: unknowns of joint i are those of row i - 1.
  template <class S, class M, class Work>
  TANDEM_HD static BlockTridiagonal<S, m, 1, Work> system(const ModelView<M>& model, Work w) {
    const Index n = model.n_links - 1, D = at_blocks(model), U = D + m * m * n, F = U + m * m * n;
    return {n, w + D, w + U, w + F};
  }
  template <class M>
  TANDEM_HD static Index at_chunks(const ModelView<M>& model) {
    return at_blocks(model) + (2 * m * m + m) * (Index{model.n_links} - 1);
  }
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& model, Index chunk) {
    return at_chunks(model) + rows_of<AffineRun<double>> * chunks_of(model.n_links - 1, chunk);
  }

  /// Where each link is, from q.
  template <class S, class Executor, class M, class Q, class Work>
  TANDEM_HD static void place(const Executor& executor, const ModelView<M>& model, Q q, Work w) {
    executor.for_each(model.n_links - 1, [&](Index k) TANDEM_INLINE {
      const int i = static_cast<int>(k) + 1;
      on_joint_at<S>(model, i, q, [&](auto joint) TANDEM_INLINE {
        links_in<S>(w).store(i, &Link<S>::X, joint_transform<S>(joint, model, i, q));
      });
    });
  }

  /// The system, from the places of links, chunk by chunk. Without `moving`: no velocities, no gravity, no outer
  /// forces.
  template <class S, bool moving, class Executor, class M, class Q, class Qd, class Tau, class Fx, class D, class Work>
  TANDEM_PASS static void assemble(const Executor& executor, const ModelView<M>& model, Index chunk, Q q, Qd v, Tau tau,
                                   Fx f_ext, D diagonal, Work w) {
    const Index n = model.n_links - 1;
    const auto A = system<S>(model, w);
    const auto runs = records<AffineRun<S>>(w + at_chunks(model));
    if constexpr (moving) find_velocities(executor, model, chunk, q, v, w, runs);
    executor.for_each(chunks_of(n, chunk), [&](Index c) TANDEM_INLINE {
      const Index begin = c * chunk, end = begin + chunk < n ? begin + chunk : n;
      auto v_i = Motion<S>::zero();
      if constexpr (moving) v_i = runs.load(c).b;
      // of the link before, seen from link i
      auto before = BodyMobility<S>::zero();
      auto a_before = moving ? base_acceleration<S>(model) : Motion<S>::zero();
      if (c > 0) {
        const int p = static_cast<int>(begin);
        before = inverse(link_inertia<S>(model, p));
        a_before = before * free_wrench<S, moving>(model, p, q, v_i, tau, f_ext, w);
        before = seen_from(links_in<S>(w).load(p + 1, &Link<S>::X), before);
      }
      auto u_i = JointUnknowns<S>::of(model, static_cast<int>(begin) + 1, q, diagonal);
      for (Index k = begin; k < end; ++k) {
        const int i = static_cast<int>(k) + 1;
        const auto X_ip = links_in<S>(w).load(i, &Link<S>::X);
        auto r_i = X_ip * a_before;
        if constexpr (moving)
          on_joint_at<S>(model, i, q, [&](auto joint) TANDEM_INLINE {
            const auto v_J = joint_motion<S>(joint, model, i, v);
            v_i = X_ip * v_i + v_J;
            r_i = r_i + velocity_product(v_i, v_J);
          });
        const auto J_i = inverse(link_inertia<S>(model, i));
        a_before = J_i * free_wrench<S, moving>(model, i, q, v_i, tau, f_ext, w);
        r_i = r_i - a_before;
        links_in<S>(w).store(i, &Link<S>::r, r_i);
        store(A.R, A.rhs * k, u_i.template pick<m>(r_i));
        links_in<S>(w).store(i, &Link<S>::J, J_i);

        const auto A_ii = u_i.basis.moving(transpose(u_i.basis.moving(matrix6(J_i) + matrix6(before))));
        Matrix<S, m, m> block;
        for (int row = 0; row < m; ++row)
          for (int column = 0; column <= row; ++column)
            block.e[row][column] =
                mul_add(u_i.weight[row] * u_i.weight[column], A_ii.e[u_i.axis[row]][u_i.axis[column]],
                        S(row == column && row >= u_i.held));
        store_lower(A.D, A.block * k, block);
        if (i + 1 == model.n_links) break;

        const auto X_next = links_in<S>(w).load(i + 1, &Link<S>::X);
        const auto u_next = JointUnknowns<S>::of(model, i + 1, q, diagonal);
        before = seen_from(X_next, J_i);
        const auto JXT = u_i.basis.moving(  // J_i X_{i+1}^T
            transpose(u_next.basis.moving(transpose(inverse(X_next) * matrix6(before)))));
        for (int row = 0; row < m; ++row)
          for (int column = 0; column < m; ++column)
            block.e[row][column] =
                -(u_i.weight[row] * u_next.weight[column]) * JXT.e[u_i.axis[row]][u_next.axis[column]];
        store(A.U, A.block * k, block);
        u_i = u_next;
      }
    });
  }

  /// The wrenches W_i f_i that hold the joints together, in the users' rows; row 0: what holds the base in its place.
  template <class S, class Executor, class M, class Q, class Tau, class Fx, class D, class F, class Out, class Work>
  TANDEM_PASS static void report(const Executor& executor, const ModelView<M>& model, Q q, Tau tau, Fx f_ext,
                                 D diagonal, F f, Out f_c, Work w) {
    const auto unknowns = [&](int i) TANDEM_INLINE { return load<Matrix<S, m, 1>>(f, m * Index{i - 1}); };
    executor.for_each(model.n_links - 1, [&](Index k) TANDEM_INLINE {
      const int i = static_cast<int>(k) + 1;
      auto u_i = JointUnknowns<S>::of(model, i, q, diagonal);
      for (int row = u_i.held; row < 6; ++row) u_i.weight[row] = S(0);
      InterbodyWrenches::report(model, i, u_i.spread(unknowns(i)), f_c);
    });
    auto on_base = Force<S>::zero();
    if (model.n_links > 1) {
      const auto held = JointUnknowns<S>::of(model, 1, q, diagonal).spread(unknowns(1));
      on_base = transpose_mul(links_in<S>(w).load(1, &Link<S>::X), joint_wrench<S>(model, 1, q, tau) + held);
    }
    if (f_ext) on_base = on_base - external_force<S>(model, 0, f_ext);
    InterbodyWrenches::report(model, 0, on_base, f_c);
  }

  /// Accelerations of the joints, from the forces that hold them together, f [n][m].
  template <class S, class Executor, class M, class Q, class D, class F, class Qdd, class Work>
  TANDEM_PASS static void accelerate(const Executor& executor, const ModelView<M>& model, Index chunk, Q q, D diagonal,
                                     F f, Qdd a, Work w) {
    const Index n = model.n_links - 1;
    const auto unknowns = [&](int i) TANDEM_INLINE { return load<Matrix<S, m, 1>>(f, m * Index{i - 1}); };
    // P_i f_i
    const auto across = [&](int i)
                            TANDEM_INLINE { return JointUnknowns<S>::of(model, i, q, diagonal).spread(unknowns(i)); };
    executor.for_each(chunks_of(n, chunk), [&](Index c) TANDEM_INLINE {
      const int begin = static_cast<int>(c * chunk) + 1;
      const int end = begin + chunk < n + 1 ? begin + static_cast<int>(chunk) : static_cast<int>(n) + 1;
      // what the forces across joints add to the acceleration of link i
      const auto push = [&](int i, const Force<S>& f_i, const Force<S>& f_next) TANDEM_INLINE {
        const auto J_i = links_in<S>(w).load(i, &Link<S>::J);
        return J_i *
               (i + 1 < model.n_links ? f_i - transpose_mul(links_in<S>(w).load(i + 1, &Link<S>::X), f_next) : f_i);
      };
      auto f_i = across(begin);
      auto a_i = begin > 1 ? push(begin - 1, across(begin - 1), f_i) : Motion<S>::zero();
      for (int i = begin; i < end; ++i) {
        const auto f_next = i + 1 < model.n_links ? across(i + 1) : Force<S>::zero();
        const auto a_p = a_i;
        a_i = push(i, f_i, f_next);
        const auto X_ip = links_in<S>(w).load(i, &Link<S>::X);
        const auto u_i = JointUnknowns<S>::of(model, i, q, diagonal);
        const auto opened = u_i.basis.moving(vector6(a_i - X_ip * a_p - links_in<S>(w).load(i, &Link<S>::r)));
        for (int k = u_i.held; k < 6; ++k) a[model.v_index[i] + k - u_i.held] = opened.e[u_i.axis[k]][0];
        if constexpr (m == 6) {
          auto J_p = BodyMobility<S>::zero();
          if (i > 1) J_p = seen_from(X_ip, links_in<S>(w).load(i - 1, &Link<S>::J));
          prefer_rotors(model, i, u_i, links_in<S>(w).load(i, &Link<S>::J), J_p, unknowns(i), a);
        }
        f_i = f_next;
      }
    });
  }

  /// qdd = -D^-1/2 y along axes whose rotor resists more than the links beside the joint do. There the accelerations of
  /// the two links hardly differ, and y keeps the digits that their difference loses.
  template <class S, class M, class Qdd>
  TANDEM_CALLED static void prefer_rotors(const ModelView<M>& model, int i, const JointUnknowns<S>& u_i,
                                          const BodyMobility<S>& J_i, const BodyMobility<S>& J_p,
                                          const Matrix<S, m, 1>& f, Qdd a) {
    const auto J = u_i.basis.moving(transpose(u_i.basis.moving(matrix6(J_i) + matrix6(J_p))));
    for (int k = 0; k < m - u_i.held; ++k) {
      const int row = u_i.held + k;
      const S root = u_i.weight[row], yield = J.e[u_i.axis[row]][u_i.axis[row]];
      const auto stiff = S(1) < root * root * yield;
      const Index at_k = model.v_index[i] + k;
      a[at_k] = select(stiff, -f.e[row][0] / select(stiff, root, S(1)), S(a[at_k]));
    }
  }

 private:
  /// How the start of each chunk moves.
  template <class Executor, class M, class Q, class Qd, class Work, class Runs>
  TANDEM_HD static void find_velocities(const Executor& executor, const ModelView<M>& model, Index chunk, Q q, Qd v,
                                        Work w, const Runs& runs) {
    using Run = std::remove_cvref_t<decltype(runs.load(0))>;
    using S = std::remove_cvref_t<decltype(Run::b.w.x)>;
    const Index n = model.n_links - 1;
    executor.for_each(chunks_of(n, chunk), [&](Index c) TANDEM_INLINE {
      auto run = Affine<S>::identity();
      for (Index k = c * chunk; k < n && k < (c + 1) * chunk; ++k) {
        const int i = static_cast<int>(k) + 1;
        const auto X_ip = links_in<S>(w).load(i, &Link<S>::X);
        on_joint_at<S>(model, i, q, [&](auto joint) TANDEM_INLINE {
          run = Affine<S>::append(run, X_ip, joint_motion<S>(joint, model, i, v));
        });
      }
      runs.store(c, run);
    });
    scan_on<Scan::exclusive_prefix>(executor, Affine<S>(), chunks_of(n, chunk), runs);
  }

  /// The joint's own force, as a wrench on its link.
  template <class S, class M, class Q, class Tau>
  TANDEM_CALLED static Force<S> joint_wrench(const ModelView<M>& model, int i, Q q, Tau tau) {
    return on_joint_at<S>(model, i, q, [&](auto joint) TANDEM_INLINE {
      S own[decltype(joint)::nv];
      for (int k = 0; k < decltype(joint)::nv; ++k) own[k] = S(tau[model.v_index[i] + k]);
      return joint.wrench(own);
    });
  }
  /// g_i: all forces on link i but those that hold the joints together.
  template <class S, bool moving, class M, class Q, class Tau, class Fx, class Work>
  TANDEM_CALLED static Force<S> free_wrench(const ModelView<M>& model, int i, Q q, const Motion<S>& v_i, Tau tau,
                                            Fx f_ext, Work w) {
    auto g_i = joint_wrench<S>(model, i, q, tau);
    if (i + 1 < model.n_links)
      g_i = g_i - transpose_mul(links_in<S>(w).load(i + 1, &Link<S>::X), joint_wrench<S>(model, i + 1, q, tau));
    if constexpr (moving) {
      g_i = g_i - cross(v_i, link_inertia<S>(model, i) * v_i);
      if (f_ext) g_i = g_i + external_force<S>(model, i, f_ext);
    }
    return g_i;
  }
};

}  // namespace tandem::inline TANDEM_ISA
