// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/papers/formulations/formulation.hpp"
#include "tandem/detail/papers/formulations/plane_turns.hpp"

namespace tandem::inline TANDEM_ISA {

/// Recursive Lagrange-Euler, [Pond] table 2.5 after Hollerbach: how orientations change, as matrices, and what their
/// second derivatives take. Two equations are not as printed, which is for frames at the inner ends of links: (2.56)
/// has the lever p^_i and the force e_i of link i itself, (2.58) the masses of all links that p^_i carries. Gravity
/// enters as the base's acceleration, with the opposite sign. A joint that slides leaves orientations alone, adds to
/// (2.52), and feels e_i itself.
template <class State, class Column, class Tau>
struct RecleTasks : TorqueTasks<ChainTasks<State, Column>, Tau> {
  using Base = TorqueTasks<ChainTasks<State, Column>, Tau>;
  using S = typename Base::S;
  using N = typename Base::N;
  using C = typename Base::C;
  using Vector = typename Base::Vector;
  using Matrix = typename Base::Matrix;
  using Base::Base, Base::tau, Base::vectors, Base::matrices, Base::mass, Base::mass_from;
  using Base::R, Base::p, Base::x, Base::qd, Base::qdd, Base::e_z, Base::turns, Base::n, Base::has_wrenches;
  Matrix R0s = matrices("0R"), Rds = matrices("0Rd"), Rdds = matrices("0Rdd");
  Matrix Ri = matrices("0Ri");  ///< how 0R_i changes with q_i
  Vector pdds = vectors("pdd"), e_own = vectors("e*"), e = vectors("e");
  Matrix D_own = matrices("D*"), D = matrices("D");
  Vector g = vectors("g*"), cs = vectors("c");
  typename Base::Scalar of_weight = this->numbers("tau**"), of_motion = this->numbers("tau*");

  TANDEM_HD Mat3<S> R0(int i) const { return i == 1 ? R(1) : R0s(i); }
  TANDEM_HD Mat3<S> Rdd(int i) const { return i == 0 ? tandem::skew(this->r.base.w) : Rdds(i); }
  TANDEM_HD Vec3<S> pdd(int i) const { return i == 0 ? Vec3<S>::zero() : pdds(i); }
  /// z of Sigma_{i-1} in the base
  TANDEM_HD Vec3<S> axis(int i) const { return i == 1 ? Vec3<S>{S(0), S(0), S(1)} : R0(i - 1) * e_z(); }
  TANDEM_HD Vec3<S> c(int i) const { return i == n && turns(n) ? this->moment(n) : cs(i); }

  template <class On>
  TANDEM_HD void tasks(const On& on) const {
    for (int i = 1; i <= n; ++i) outward_tasks(on, i);
    for (int i = n; i >= 1; --i) {
      on(e_own.at(i), [=, this]() TANDEM_INLINE { return Rdd(i) * this->r.of(i, &C::ms); });  // (2.53)
      on(e.at(i), [=, this]() TANDEM_INLINE {                                                 // (2.54)
        const Vec3<S> own = i < n ? e(i + 1) + e_own(i) + mass(i) * pdd(i) : e_own(i) + mass(i) * pdd(i);
        return has_wrenches() ? own - R0(i) * x(i).f : own;
      });
      if (i < n || !turns(i))
        on(cs.at(i), [=, this]() TANDEM_INLINE {  // (2.58)
          return i < n ? R(i + 1) * c(i + 1) + this->moment(i) : this->moment(i);
        });
      on(D_own.at(i), [=, this]() TANDEM_INLINE {  // (2.55)
        const Mat3<S> own = outer(this->r.of(i, &C::ms), pdd(i)) + mul_transpose(full(this->r.of(i, &C::G)), Rdd(i));
        return has_wrenches() ? own + mul_transpose(tandem::skew(S(0.5) * x(i).n), R0(i)) : own;
      });
      on(D.at(i), [=, this]() TANDEM_INLINE {  // (2.56)
        return i < n ? R(i + 1) * D(i + 1) + outer(p(i), e(i)) + D_own(i) : outer(p(i), e(i)) + D_own(i);
      });
      force_tasks(on, i);
    }
  }

 private:
  TANDEM_HD static auto Q() { return PlaneTurns<N, S>::quarter(); }
  TANDEM_HD static auto QQ() { return PlaneTurns<N, S>::half(); }

  template <class On>
  TANDEM_HD void outward_tasks(const On& on, int i) const {
    this->joint_tasks(on, i);
    if (i > 1 && (i < n || has_wrenches()))
      on(R0s.at(i), [=, this]() TANDEM_INLINE { return R0(i - 1) * R(i); });  // (2.48)
    if (i < n)
      on(Rds.at(i), [=, this]() TANDEM_INLINE {  // (2.49)
        if (!turns(i)) return i == 1 ? Mat3<S>::zero() : Rds(i - 1) * R(i);
        return i == 1 ? (qd(i) * Q()) * R(i) : (Rds(i - 1) + R0(i - 1) * (qd(i) * Q())) * R(i);
      });
    on(Rdds.at(i), [=, this]() TANDEM_INLINE {  // (2.50)
      if (!turns(i)) return i > 1 || this->base_turns() ? Rdd(i - 1) * R(i) : Mat3<S>::zero();
      const auto own = qd(i) * qd(i) * QQ() + qdd(i) * Q();
      if (i > 1) return (Rdd(i - 1) + Rds(i - 1) * (S(2) * qd(i) * Q()) + R0(i - 1) * own) * R(i);
      return this->base_turns() ? (Rdd(0) + own) * R(1) : own * R(1);
    });
    if (turns(i))
      on(Ri.at(i), [=, this]() TANDEM_INLINE { return i == 1 ? Q() * R(i) : (R0(i - 1) * Q()) * R(i); });  // (2.51)
    on(pdds.at(i), [=, this]() TANDEM_INLINE {                                                             // (2.52)
      const Vec3<S> moved = pdd(i - 1) + Rdd(i) * p(i);
      if (turns(i)) return moved;
      const Vec3<S> slid = moved + qdd(i) * axis(i);
      return i == 1 ? slid : slid + S(2) * qd(i) * (Rds(i - 1) * e_z());
    });
  }
  template <class On>
  TANDEM_HD void force_tasks(const On& on, int i) const {
    if (!turns(i)) {
      on(tau.at(i),
         [=, this]() TANDEM_INLINE { return this->with_rotor(i, dot(axis(i), e(i) + mass_from(i) * this->r.base.v)); });
      return;
    }
    on(g.at(i), [=, this]() TANDEM_INLINE { return transpose_mul(Ri(i), this->r.base.v); });                // (2.57)
    on(of_weight.at(i), [=, this]() TANDEM_INLINE { return dot(g(i), c(i)); });                             // (2.59)
    on(of_motion.at(i), [=, this]() TANDEM_INLINE { return trace_of_product<N>(Ri(i), D(i)); });            // (2.60)
    on(tau.at(i), [=, this]() TANDEM_INLINE { return this->with_rotor(i, of_motion(i) + of_weight(i)); });  // (2.61)
  }
};

/// Inverse dynamics by RecleTasks.
struct Recle : Formulation<Recle, RecleTasks> {
  static constexpr Method method = Method::recle;
};

}  // namespace tandem::inline TANDEM_ISA
