// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/derivatives/passive_forces_derivatives.hpp"

namespace tandem::inline TANDEM_ISA {

/// Derivatives of the kinetic energy by configuration and velocity, and of the potential energy by configuration.
///
///     kinetic(q (+) dq, v + dv) = kinetic + dkinetic_dq . dq + dkinetic_dv . dv + ...,   dkinetic_dv = M(q) v
///     potential(q (+) dq) = potential + dpotential_dq . dq + ...
///
/// Method    outward velocities, inward the momentum and the weight of all that hangs from a joint: an increment along
///           its axis S adds v_p x S to the velocities there, v_p of the link before
/// In        q [nq] rad|m   v [nv] rad/s|m/s or none: zeros
/// Out       dkinetic_dq [nv] J per rad|m, dkinetic_dv [nv] J per rad/s|m/s: the momentum of each joint; dpotential_dq
///           [nv] J per rad|m: gravity_forces, and what stretches the springs
/// Frames    increments of q are those of `integrate`
/// Joints    armature counts in dkinetic_dv
/// Work      33 rows per link     Cost O(n_links)
struct EnergyDerivatives {
  static constexpr const char* name = "energy_derivatives";
  static constexpr const char* summary = "derivatives of kinetic and potential energy";
  static constexpr Argument arguments[] = {
      argument::q,
      argument::optional(argument::v),
      {"dkinetic_dq", Rows::v, Role::output, "J per rad|m", "derivative of the kinetic energy by configuration"},
      {"dkinetic_dv", Rows::v, Role::output, "J per rad/s|m/s", "by velocity: the momentum of every joint, M v"},
      {"dpotential_dq", Rows::v, Role::output, "J per rad|m", "derivative of the potential energy by configuration"},
  };

  /// A link along its own axes: how it moves, the base's acceleration less gravity; momentum and weight of what hangs
  /// from it.
  template <class S>
  struct Link {
    Transform<S> X_ip;
    Motion<S> v;
    Vec3<S> up;
    Force<S> h, weight;
  };
  template <class M>
  TANDEM_HD static Index work_rows(const ModelView<M>& m) {
    return rows_of<Link<double>> * m.n_links;
  }

  template <class S, class M, class Q, class Qd, class Out, class OutV, class OutP, class Work>
  TANDEM_HD static void body(const ModelView<M>& m, Q q, Qd v, Out dkinetic_dq, OutV dkinetic_dv, OutP dpotential_dq,
                             Work w) {
    const auto links = records<Link<S>>(w);
    place_and_move<S>(m, q, v, links);
    fill(dkinetic_dq, m.nv, S(0));
    fill(dkinetic_dv, m.nv, S(0));
    fill(dpotential_dq, m.nv, S(0));
    for (int i = m.n_links - 1; i >= 1; --i) {
      const auto link = links.load(i);
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        add_joint_force(joint, m, i, link.h, dkinetic_dv);
        add_joint_force(joint, m, i, link.weight, dpotential_dq);
        add_carried(joint, m, i, v, link, dkinetic_dq);
      });
      const int p = m.parent[i];
      if (p == 0) continue;
      links.store(p, &Link<S>::h, links.load(p, &Link<S>::h) + transpose_mul(link.X_ip, link.h));
      links.store(p, &Link<S>::weight, links.load(p, &Link<S>::weight) + transpose_mul(link.X_ip, link.weight));
    }
    if (v)
      for (int row = 0; row < m.nv; ++row)
        dkinetic_dv[row] = mul_add(S(m.armature[row]), S(v[row]), S(dkinetic_dv[row]));
    for_each_stretch_rate<S>(m, q, [&](int row, const S& stretched, int k, const S& rate) TANDEM_INLINE {
      if (any(m.stiffness[row] != M(0)))
        dpotential_dq[k] = mul_add(S(m.stiffness[row]) * stretched, rate, S(dpotential_dq[k]));
    });
  }

 private:
  /// Outward, and what each link alone has.
  template <class S, class M, class Q, class Qd, class Work>
  TANDEM_HD static void place_and_move(const ModelView<M>& m, Q q, Qd v, const Records<Link<S>, Work>& links) {
    const auto zero = Motion<S>::zero();
    const Vec3<S> a_0 = base_acceleration<S>(m).v;
    for (int i = 1; i < m.n_links; ++i) {
      const int p = m.parent[i];
      const auto v_p = p == 0 ? zero : links.load(p, &Link<S>::v);
      const auto up_p = p == 0 ? a_0 : links.load(p, &Link<S>::up);
      on_joint_kind_at<S>(m, i, q, [&](auto joint) TANDEM_INLINE {
        const auto X_ip = joint_transform<S>(joint, m, i, q);
        auto v_i = X_ip * v_p;
        if (v) v_i = v_i + joint_motion<S>(joint, m, i, v);
        const Vec3<S> up = X_ip.E * up_p;
        const auto I_i = link_inertia<S>(m, i);
        links.store(i, {X_ip, v_i, up, I_i * v_i, {cross(I_i.h, up), I_i.m * up}});
      });
    }
  }

  /// What increments along a joint's axes add to the energy of all that hangs from it: (v_p x S) . h = -S . (v_p x* h).
  template <class S, class Joint, class M, class Qd, class Out>
  TANDEM_HD static void add_carried(Joint joint, const ModelView<M>& m, int i, Qd v, const Link<S>& link, Out out) {
    if (!v) return;
    auto v_p = link.v;
    for (int s = stages(joint) - 1; s >= 0; --s) {
      const auto axes = stage(joint, s);
      v_p = v_p - (Motion<S>::zero() + joint_motion<S>(axes, m, i, v));
      add_joint_force(axes, m, i, S(-1) * cross(v_p, link.h), out);
    }
  }
};

}  // namespace tandem::inline TANDEM_ISA

/* Registered by tools/register.py (CONTRIBUTING.md, section 5).

[EnergyDerivatives]
after = "Energy"
compiled_with = "ForwardKinematicsDerivatives"
cuda_with = "ForwardKinematicsDerivatives"
ignores_loops = true

[EnergyDerivatives.cpp]
order = "q v dkinetic_dq dkinetic_dv dpotential_dq work"

[EnergyDerivatives.python]
summary = "Derivatives of kinetic and potential energy by configuration and velocity."
text = '''
    kinetic(q (+) dq, v + dv) = kinetic + dkinetic_dq . dq + dkinetic_dv . dv + ..., dkinetic_dv = M(q) v
    potential(q (+) dq) = potential + dpotential_dq . dq + ...

Without springs dpotential_dq is :func:`gravity_forces`. dq is in the tangent space of :func:`integrate`.
'''
example = '''
>>> arm = tandem.load("arm7")
>>> q, v = tandem.random_configuration(arm, seed=1), np.ones(arm.nv)
>>> by = tandem.energy_derivatives(arm, q, v)
>>> np.allclose(by.dkinetic_dv, tandem.mass_matrix(arm, q) @ v)
True
>>> np.allclose(by.dpotential_dq, tandem.gravity_forces(arm, q))
True
'''
*/
