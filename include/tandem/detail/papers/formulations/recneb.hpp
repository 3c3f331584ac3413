// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/papers/formulations/formulation.hpp"

namespace tandem::inline TANDEM_ISA {

/// Prefixes of a row of values, by recursive doubling: level l joins what ends at element e with what ends 2^(l-1)
/// before it, until everything before e is in.
template <class T, class S, class Column>
struct Doubling {
  Quantity<T, S, Column> values;
  int count;  ///< elements 0 .. count - 1

  TANDEM_HD static constexpr int levels(int element) {
    int l = 0;
    while (element > 0 && element >> l != 0) ++l;
    return l;
  }
  /// Of link i, which is element e: all up to it.
  template <class Leaf>
  TANDEM_HD T at(int e, const Leaf& leaf) const {
    return value(levels(count - 1), e, leaf);
  }
  /// link(e) is whose element e is; leaf(e) is the value that is given; op joins one with the one after it.
  template <class On, class Link, class Leaf, class Op>
  TANDEM_HD void tasks(const On& on, const Link& link, const Leaf& leaf, const Op& op) const {
    for (int l = 1; l <= levels(count - 1); ++l) {
      const int half = 1 << (l - 1);
      for (int e = half; e < count; ++e)
        on(place(l, e, link(e)),
           [=, this]() TANDEM_INLINE { return op(value(l - 1, e - half, leaf), value(l - 1, e, leaf)); });
    }
  }

 private:
  TANDEM_HD ResultPlace<T, S, Column> place(int l, int e, int link) const {
    return {values.name, link, l, -1, values.column, values.first + rows_of<T, S> * (Index{l - 1} * count + e)};
  }
  template <class Leaf>
  TANDEM_HD T value(int l, int e, const Leaf& leaf) const {
    const int done = levels(e) < l ? levels(e) : l;
    return done == 0 ? leaf(e) : place(done, e, 0).get();
  }
};

/// Recursive Newton-Euler in the axes of the base, [Pond] pages 18 and 19 after Lee and Chang: every recurrence is a
/// sum, or a product, and found by recursive doubling; Euler's equation stays in the axes of the link.
template <class State, class Column, class Tau>
struct RecnebTasks : TorqueTasks<ChainTasks<State, Column>, Tau> {
  using Base = TorqueTasks<ChainTasks<State, Column>, Tau>;
  using S = typename Base::S;
  using Vector = typename Base::Vector;
  using Sums = Doubling<Vec3<S>, S, Column>;
  using Base::Base, Base::tau, Base::vectors;
  using Base::R, Base::J, Base::qd, Base::qdd, Base::e_z, Base::turns, Base::n, Base::has_wrenches;
  Doubling<Mat3<S>, S, Column> products = {doubled<Mat3<S>>("R0", n), n};
  Vector axes = vectors("z"), w_own = vectors("w1"), wd_own = vectors("wd1"), P = vectors("P"), Sh = vectors("S");
  Sums w_sums = {doubled<Vec3<S>>("w", n + 1), n + 1};
  Sums wd_sums = {doubled<Vec3<S>>("wd", n + 1), n + 1};
  Vector pdd_own = vectors("pdd1");
  Sums pdd_sums = {doubled<Vec3<S>>("pdd", n + 1), n + 1};
  Vector sdd = vectors("sdd"), F = vectors("F"), w_link = vectors("w'"), wd_link = vectors("wd'"), N = vectors("N");
  Vector f_own = vectors("f1"), n_own = vectors("n1");
  Sums f_sums = {doubled<Vec3<S>>("f", n), n > 0 && turns(1) ? n - 1 : n}, n_sums = {doubled<Vec3<S>>("n", n), n};

  /// Everything of link i along the axes of the base
  TANDEM_HD Mat3<S> R0(int i) const {
    return products.at(i - 1, [this](int e) TANDEM_INLINE { return R(e + 1); });
  }
  TANDEM_HD Vec3<S> z(int i) const { return i == 1 ? Vec3<S>{S(0), S(0), S(1)} : axes(i); }
  TANDEM_HD Vec3<S> w(int i) const { return w_sums.at(i, w_leaf()); }
  TANDEM_HD Vec3<S> wd(int i) const { return wd_sums.at(i, wd_leaf()); }
  TANDEM_HD Vec3<S> pdd(int i) const { return pdd_sums.at(i, pdd_leaf()); }
  TANDEM_HD Vec3<S> f(int i) const { return f_sums.at(n - i, f_leaf()); }
  TANDEM_HD Vec3<S> moment_on(int i) const { return n_sums.at(n - i, n_leaf()); }
  TANDEM_HD Force<S> x0(int i) const { return {R0(i) * this->x(i).n, R0(i) * this->x(i).f}; }

  template <class On>
  TANDEM_HD void tasks(const On& on) const {
    const auto add = [](const Vec3<S>& a, const Vec3<S>& b) TANDEM_INLINE { return a + b; };
    const auto outward = [](int e) TANDEM_INLINE { return e; };
    const auto inward = [last = n](int e) TANDEM_INLINE { return last - e; };
    for (int i = 1; i <= n; ++i) this->joint_tasks(on, i);
    products.tasks(
        on, [](int e) TANDEM_INLINE { return e + 1; }, [this](int e) TANDEM_INLINE { return R(e + 1); },
        [](const Mat3<S>& a, const Mat3<S>& b) TANDEM_INLINE { return a * b; });
    for (int i = 1; i <= n; ++i) {
      if (i > 1) on(axes.at(i), [=, this]() TANDEM_INLINE { return R0(i - 1) * e_z(); });
      on(w_own.at(i), [=, this]() TANDEM_INLINE { return turns(i) ? qd(i) * z(i) : Vec3<S>::zero(); });
    }
    w_sums.tasks(on, outward, w_leaf(), add);
    for (int i = 1; i <= n; ++i)
      on(wd_own.at(i), [=, this]() TANDEM_INLINE {
        return turns(i) ? qdd(i) * z(i) + cross(w(i - 1), qd(i) * z(i)) : Vec3<S>::zero();
      });
    wd_sums.tasks(on, outward, wd_leaf(), add);
    for (int i = 1; i <= n; ++i) {
      on(P.at(i), [=, this]() TANDEM_INLINE { return R0(i) * this->p(i); });
      on(Sh.at(i), [=, this]() TANDEM_INLINE { return R0(i) * this->s(i); });
      on(pdd_own.at(i), [=, this]() TANDEM_INLINE {
        const Vec3<S> more = cross(wd(i), P(i)) + cross(w(i), cross(w(i), P(i)));
        return turns(i) ? more : more + qdd(i) * z(i) + cross(w(i - 1), twice(qd(i) * z(i)));
      });
    }
    pdd_sums.tasks(on, outward, pdd_leaf(), add);
    for (int i = 1; i <= n; ++i) {
      on(sdd.at(i),
         [=, this]() TANDEM_INLINE { return pdd(i) + cross(wd(i), Sh(i)) + cross(w(i), cross(w(i), Sh(i))); });
      on(F.at(i), [=, this]() TANDEM_INLINE { return this->mass(i) * sdd(i); });
      on(w_link.at(i), [=, this]() TANDEM_INLINE { return transpose_mul(R0(i), w(i)); });
      on(wd_link.at(i), [=, this]() TANDEM_INLINE { return transpose_mul(R0(i), wd(i)); });
      on(N.at(i),
         [=, this]() TANDEM_INLINE { return R0(i) * (J(i) * wd_link(i) + cross(w_link(i), J(i) * w_link(i))); });
      if (has_wrenches()) on(f_own.at(i), [=, this]() TANDEM_INLINE { return F(i) - x0(i).f; });
    }
    f_sums.tasks(on, inward, f_leaf(), add);
    for (int i = n; i >= 1; --i)
      on(n_own.at(i), [=, this]() TANDEM_INLINE {
        const Vec3<S> own = N(i) + cross(P(i) + Sh(i), F(i));
        if (has_wrenches()) {
          const Force<S> given = x0(i);
          return own - given.n + cross(P(i), i < n ? f(i + 1) - given.f : -given.f);
        }
        return i < n ? own + cross(P(i), f(i + 1)) : own;
      });
    n_sums.tasks(on, inward, n_leaf(), add);
    for (int i = 1; i <= n; ++i)
      on(tau.at(i),
         [=, this]() TANDEM_INLINE { return this->with_rotor(i, dot(turns(i) ? moment_on(i) : f(i), z(i))); });
  }

 private:
  template <class T>
  TANDEM_HD Quantity<T, S, Column> doubled(const char* name, int count) {
    return this->lay.template values<T>(name, Index{Doubling<T, S, Column>::levels(count - 1)} * count);
  }
  // element 0 of what goes outward is the base
  TANDEM_HD auto w_leaf() const {
    return [this](int e) TANDEM_INLINE { return e == 0 ? Vec3<S>::zero() : w_own(e); };
  }
  TANDEM_HD auto wd_leaf() const {
    return [this](int e) TANDEM_INLINE { return e == 0 ? this->r.base.w : wd_own(e); };
  }
  TANDEM_HD auto pdd_leaf() const {
    return [this](int e) TANDEM_INLINE { return e == 0 ? this->r.base.v : pdd_own(e); };
  }
  TANDEM_HD auto f_leaf() const {
    return [this](int e) TANDEM_INLINE { return has_wrenches() ? f_own(n - e) : F(n - e); };
  }
  TANDEM_HD auto n_leaf() const {
    return [this](int e) TANDEM_INLINE { return n_own(n - e); };
  }
};

/// Inverse dynamics by RecnebTasks.
struct Recneb : Formulation<Recneb, RecnebTasks> {
  static constexpr Method method = Method::recneb;
};

}  // namespace tandem::inline TANDEM_ISA
