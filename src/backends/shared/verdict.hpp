// SPDX-License-Identifier: Apache-2.0
/// What became of every state of a tile.
#pragma once
#include <limits>

#include "tandem/api/batch.hpp"
#include "tandem/detail/core/math.hpp"
#include "tandem/model/view.hpp"

namespace tandem::inline TANDEM_ISA {

template <class R>
TANDEM_HD R lane_of(const R& x, int) {
  return x;
}

/// Watches the numbers that go into a tile and come out of it, lane by lane.
template <class S, class T>
class Verdict {
 public:
  Verdict() = default;
  /// Of a single state, as far as inputs go: see bad_input and outside.
  TANDEM_HD Verdict(bool bad_input, bool outside, bool bad_output = false)
      : bad_input_(T(bad_input)), bad_output_(T(bad_output)), outside_(T(outside)) {}

  /// The numbers of an argument, before the call if they are read, after it if they are written; every `step`-th row.
  template <class Column>
  TANDEM_HD void watch(const Argument& argument, const ModelView<T>& m, const Column& column, Index first = 0,
                       Index step = 1) {
    S& bad = is_input(argument) ? bad_input_ : bad_output_;
    const Index rows = shape(argument.rows, m).count();
    for (Index row = first; row < rows; row += step) {
      const S x = column[row];
      bad = bad + (x - x);  // zero, or NaN for good
    }
    if (argument.rows == Rows::q && is_input(argument)) watch_quaternions(m, column, first, step);
    switch (argument.limit) {
      case Limit::none: break;
      case Limit::position: watch_limits(m.nq, m.q_lower, m.q_upper, column, first, step); break;
      case Limit::velocity: watch_limits(m.nv, nullptr, m.v_limit, column, first, step); break;
      case Limit::force: watch_limits(m.nv, nullptr, m.tau_limit, column, first, step); break;
    }
  }

  TANDEM_HD Status of(int lane, bool inverts, bool converged) const {
    if (lane_of(bad_input_, lane) != T(0)) return Status::non_finite;
    if (lane_of(bad_output_, lane) != T(0)) return inverts ? Status::singular : Status::overflow;  // more in src/api
    if (!converged) return Status::not_converged;
    return lane_of(outside_, lane) != T(0) ? Status::limit : Status::ok;
  }
  TANDEM_HD bool bad_input(int lane) const { return lane_of(bad_input_, lane) != T(0); }
  TANDEM_HD bool outside(int lane) const { return lane_of(outside_, lane) != T(0); }
  TANDEM_HD bool bad_output(int lane) const { return lane_of(bad_output_, lane) != T(0); }

 private:
  /// One of zeros is no rotation, also where nothing that comes out depends on it, as the mass matrix does not on how
  /// the base lies; src/api finds it again.
  template <class Column>
  TANDEM_HD void watch_quaternions(const ModelView<T>& m, const Column& column, Index first, Index step) {
    for (Index i = 1 + first; i < m.n_links; i += step) {
      const int quaternion = joint_kind(m.type[i]).quaternion;
      if (quaternion < 0) continue;
      S largest(0);
      for (int k = 0; k < 4; ++k) {
        const S x = abs(S(column[m.q_index[i] + quaternion + k]));
        largest = select(largest < x, x, largest);
      }
      bad_output_ = select(largest < S(std::numeric_limits<T>::min()), S(1), bad_output_);
    }
  }
  template <class Column>
  TANDEM_HD void watch_limits(Index rows, const T* lower, const T* upper, const Column& column, Index first,
                              Index step) {
    for (Index row = first; row < rows; row += step) {
      const S x = column[row], low(lower ? lower[row] : -upper[row]), high(upper[row]);
      outside_ = select(x < low, S(1), select(high < x, S(1), outside_));
    }
  }

  S bad_input_{T(0)}, bad_output_{T(0)}, outside_{T(0)};
};

}  // namespace tandem::inline TANDEM_ISA
