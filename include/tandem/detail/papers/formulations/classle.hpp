// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/papers/formulations/formulation.hpp"
#include "tandem/detail/papers/formulations/homogeneous.hpp"

namespace tandem::inline TANDEM_ISA {

/// A sum whose first term is not added to zero.
template <class S>
struct TermSum {
  S value = S(0);
  bool begun = false;
  TANDEM_HD void add(const S& term) {
    value = begun ? value + term : term;
    begun = true;
  }
};

/// Classical Lagrange-Euler, [Pond] table 2.4: coefficients of accelerations and of products of velocities, each by
/// itself. `Matrices_` says how the 4x4 matrices of the thesis are written (homogeneous.hpp). Where the base
/// accelerates by angles, gravity has a trace, too; what wrenches on links take counts with it. Delta of a joint that
/// slides moves along z, and coefficients of its velocity with those of joints beyond are zero and left out. Changed:
/// rates are multiplied with sums over them.
template <class State, class Column, class Tau, template <class N, class S> class Matrices_>
struct ClassleTasks : TorqueTasks<ChainTasks<State, Column>, Tau> {
  using Base = TorqueTasks<ChainTasks<State, Column>, Tau>;
  using S = typename Base::S;
  using C = typename Base::C;
  using X = Matrices_<typename Base::N, S>;
  using Frame = typename X::Frame;
  using Drift = typename X::Drift;
  using Base::Base, Base::tau, Base::qd, Base::qdd, Base::turns, Base::n, Base::has_wrenches;
  template <class T>
  using Values = Quantity<T, S, Column>;
  Values<Frame> frames = this->lay.template of_pairs<Frame>("T");      ///< jT_i
  Values<Drift> once = this->lay.template of_pairs<Drift>("T'");       ///< 0T_i,j: how frame i moves with q_j
  Values<Drift> drifts = this->lay.template of_triples<Drift>("T''");  ///< 0T_i,jk: with q_j and q_k
  Values<S> Cs = this->lay.template values<S>("C", (Index{n} - 1) * n * (n + 1) / 3);
  Values<S> M = this->lay.template of_pairs<S>("M");
  Values<Drift> x0 = this->lay.template of_links<Drift>("x0");  ///< the wrench on link i, along the axes of the base
  Values<S> g = this->numbers("g");
  Values<S> inertial = this->numbers("tau'");
  Values<S> coriolis = this->numbers("tau''");
  Values<S> centrifugal = this->numbers("tau'''");

  TANDEM_HD Frame T(int j, int i) const { return frames.between(j, i).get(); }
  /// C^i_jk of i < j, k <= j
  TANDEM_HD ResultPlace<S, S, Column> C_at(int i, int j, int k) const {
    const Index row = Index{j - 2} * (j - 1) * j / 3 + Index{i - 1} * j + k - 1;
    return {Cs.name, i, j, k, Cs.column, Cs.first + row};
  }

  template <class On>
  TANDEM_HD void tasks(const On& on) const {
    for (int i = 1; i <= n; ++i) {
      this->wrench_task(on, i);
      on(frames.between(i - 1, i), [=, this]() TANDEM_INLINE { return frame(i); });  // (2.28)
    }
    for (int d = 2; d <= n; ++d)
      for (int j = 0; j + d <= n; ++j) {
        const int i = j + d, k = j + (d + 1) / 2;
        on(frames.between(j, i), [=, this]() TANDEM_INLINE { return X::product(T(j, k), T(k, i)); });  // (2.29)
      }
    for (int i = 1; i <= n; ++i) {
      if (has_wrenches()) on(x0.at(i), [=, this]() TANDEM_INLINE { return X::wrench(T(0, i), this->x(i)); });
      for (int j = 1; j <= i; ++j) {
        on(once.at(i, j), [=, this]() TANDEM_INLINE { return moved(i, j); });
        for (int k = 1; j > 1 && k <= j; ++k)
          if (turns(k)) on(drifts.at(i, j, k), [=, this]() TANDEM_INLINE { return moved_twice(i, j, k); });
      }
    }
    for (int j = 1; j <= n; ++j)
      for (int i = 1; i <= j; ++i) {
        on(M.at(j, i), [=, this]() TANDEM_INLINE {  // (2.33)
          TermSum<S> sum;
          for (int l = j; l <= n; ++l) sum.add(product_of(l, once(l, i), once(l, j)));
          return sum.value;
        });
        for (int k = 1; i < j && k <= j; ++k)
          if (turns(k))
            on(C_at(i, j, k), [=, this]() TANDEM_INLINE {  // (2.32)
              TermSum<S> sum;
              for (int l = j; l <= n; ++l) sum.add(product_of(l, drifts(l, j, k), once(l, i)));
              return sum.value;
            });
      }
    for (int i = 1; i <= n; ++i) force_tasks(on, i);
  }

 private:
  TANDEM_HD Frame frame(int i) const {
    const Vec3<S> o = this->r.of(i, &C::origin);
    if (!turns(i)) return X::frame(this->r.of(i, &C::rotation), {o.x, o.y, o.z + this->position(i)});
    const auto t = this->angle(i);
    return X::frame(this->rotation(i, t),
                    {difference_of_products(t.cos, o.x, t.sin, o.y), sum_of_products(t.sin, o.x, t.cos, o.y), o.z});
  }
  /// (2.30)
  TANDEM_HD Drift moved(int i, int j) const {
    return j == 1 ? X::driven(turns(1), T(0, i)) : X::driven(T(0, j - 1), turns(j), T(j - 1, i));
  }
  /// (2.31), where joint k turns
  TANDEM_HD Drift moved_twice(int i, int j, int k) const {
    if (k == j) return X::driven_twice(T(0, j - 1), T(j - 1, i));
    const Drift before = k == 1 ? X::driven(true, T(0, j - 1)) : X::driven(T(0, k - 1), true, T(k - 1, j - 1));
    return X::driven(before, turns(j), T(j - 1, i));
  }
  /// tr(A H_l B^T)
  TANDEM_HD S product_of(int l, const Drift& A, const Drift& B) const {
    return X::product_of(A, this->r.of(l, &C::G), this->r.of(l, &C::ms), this->mass(l), B);
  }

  template <class On>
  TANDEM_HD void force_tasks(const On& on, int i) const {
    on(g.at(i), [=, this]() TANDEM_INLINE {  // (2.34), and what else does not depend on rates
      TermSum<S> sum;
      for (int l = i; l <= n; ++l) {
        sum.add(X::weight(this->r.base.v, once(l, i), this->r.of(l, &C::ms), this->mass(l)));
        if (this->base_turns()) sum.add(product_of(l, X::turning(this->r.base.w, T(0, l)), once(l, i)));
        if (has_wrenches()) sum.add(-X::work(x0(l), once(l, i)));
      }
      return sum.value;
    });
    on(inertial.at(i), [=, this]() TANDEM_INLINE {  // (2.35)
      TermSum<S> sum;
      for (int j = 1; j <= n; ++j) sum.add((j < i ? M(i, j) : M(j, i)) * qdd(j));
      return sum.value;
    });
    if (has_coriolis(i)) on(coriolis.at(i), [=, this]() TANDEM_INLINE { return coriolis_on(i); });
    if (has_centrifugal(i)) on(centrifugal.at(i), [=, this]() TANDEM_INLINE { return centrifugal_on(i); });
    on(tau.at(i), [=, this]() TANDEM_INLINE {  // (2.39)
      S sum = inertial(i) + g(i);
      if (has_coriolis(i)) sum = sum + coriolis(i);
      if (has_centrifugal(i)) sum = sum + centrifugal(i);
      return this->with_rotor(i, sum);
    });
  }
  /// Calls f(k) for k < j where there is C^i_jk.
  template <class F>
  TANDEM_HD void for_each_before(int j, F&& f) const {
    for (int k = 1; k < j; ++k)
      if (turns(k)) f(k);
  }
  TANDEM_HD bool has_coriolis(int i) const {
    bool found = false;
    for (int j = 1; j <= n; ++j)
      if (j != i) for_each_before(j, [&](int) TANDEM_INLINE { found = true; });
    return found;
  }
  TANDEM_HD bool has_centrifugal(int i) const {
    for (int j = 1; j <= n; ++j)
      if (j != i && turns(j)) return true;
    return false;
  }
  /// C^i_jk as it is kept, if j < i as that of joint j, but for its sign.
  TANDEM_HD S C_of(int i, int j, int k) const { return i < j ? C_at(i, j, k).get() : C_at(j, i, k).get(); }
  /// (2.36)
  TANDEM_HD S coriolis_on(int i) const {
    TermSum<S> sum;
    for (int j = 1; j <= n; ++j) {
      if (j == i) continue;
      TermSum<S> of_j;
      for_each_before(j, [&](int k) TANDEM_INLINE { of_j.add(C_of(i, j, k) * qd(k)); });
      if (of_j.begun) sum.add((j < i ? -(qd(j) + qd(j)) : qd(j) + qd(j)) * of_j.value);
    }
    return sum.value;
  }
  /// (2.37)
  TANDEM_HD S centrifugal_on(int i) const {
    TermSum<S> sum;
    for (int j = 1; j <= n; ++j)
      if (j != i && turns(j)) sum.add(C_of(i, j, j) * (j < i ? -(qd(j) * qd(j)) : qd(j) * qd(j)));
    return sum.value;
  }
};

template <class State, class Column, class Tau>
using ClassleByHomogeneous = ClassleTasks<State, Column, Tau, Homogeneous>;
template <class State, class Column, class Tau>
using ClassleByBlocks = ClassleTasks<State, Column, Tau, Blocks>;

/// Inverse dynamics by ClassleTasks, whose matrices are 4x4 or, as blocks, 3x3.
struct Classle : Formulation<Classle, ClassleByHomogeneous> {
  using Base = Formulation<Classle, ClassleByHomogeneous>;
  static constexpr Method method = Method::classle;
  static constexpr Matrices own_matrices = Matrices::blocks;
  Matrices matrices = Matrices::automatic;

  template <class M>
  static const char* refuses(const ModelView<M>& m, const Options& options) {
    if (const char* reason = Base::refuses(m, options)) return reason;
    if (m.n_links > 65)
      return "it has more than 64 links, and operations grow with the fourth power; use recle or "
             "recursive_newton_euler";
    return nullptr;
  }
  template <class S, class Notation, class... Arguments>
  TANDEM_HD void tasks_of(const Arguments&... arguments) const {
    struct InBlocks : Formulation<InBlocks, ClassleByBlocks> {};
    if (matrices == Matrices::blocks)
      InBlocks().template tasks_of<S, Notation>(arguments...);
    else
      Base::template tasks_of<S, Notation>(arguments...);
  }
};

}  // namespace tandem::inline TANDEM_ISA
