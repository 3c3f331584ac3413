// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/contact/zones.hpp"

namespace tandem::inline TANDEM_ISA {

/// How far to go along a step: a zero of
///
///     phi'(alpha) = slope + alpha mass - f(x + alpha J step)^T J step,
///
/// which rises, to `tolerance`. Newton's method in one dimension from alpha = 1, in a bracket. Slopes alone: costs as
/// differences would lose half the digits. `searches` is 1 in lanes whose result counts.
///
/// Where a contact turns round on its way, phi' is nearly a step, over which Newton's method jumps to and fro. A trial
/// that has jumped over the zero, or would leave the bracket, is followed by one where the next contact turns.
///
/// slopes(alpha, searches)         f^T J step and (J step)^T H J step there, in lanes that still search
/// next_turn(upwards, low, high)   of the turns between low and high, the first one above low or below high; low if
///                                 there is none
template <class S, class F, class G>
TANDEM_HD S line_search(const S& slope, const S& mass, const S& tolerance, S searches, int most_trials, F&& slopes,
                        G&& next_turn) {
  S alpha(1), low(0), high(0), bounded(0), fell(0), at_turn(0);
  for (int trial = 0; trial < most_trials; ++trial) {
    const Slope<S> of_rows = slopes(alpha, searches);
    const S rises = mul_add(alpha, mass, slope) - of_rows.force, curved = mass + of_rows.curvature;
    searches = select(tolerance < abs(rises), searches, S(0));
    if (!any(S(0) < searches)) break;
    const S falls = select(rises < S(0), S(1), S(0));
    const auto below = S(0) < falls;
    low = select(below, alpha, low);
    high = select(below, high, alpha);
    bounded = select(below, bounded, S(1));
    const S next = alpha - rises / curved, half = S(0.5) * (low + high);
    const S in_bracket = select(low < next, select(next < high, S(1), S(0)), S(0));
    const S jumped = trial == 0 ? S(0) : abs(falls - fell) * (S(1) - at_turn);
    const S lost = bounded * select(S(0) < jumped, S(1), S(1) - in_bracket);
    S inside = select(S(0) < in_bracket, next, half);
    at_turn = S(0);
    if (any(S(0) < lost * searches)) {
      const S turn = next_turn(abs(falls - (S(1) - jumped)), low, high);  // from the end that the trial came to or left
      const auto turns = low < select(S(0) < lost, turn, low);
      inside = select(turns, turn, inside);
      at_turn = select(turns, S(1), S(0));
    }
    fell = falls;
    const S beyond = select(low < next, next, S(2) * alpha);
    alpha = select(S(0) < searches, select(S(0) < bounded, inside, beyond), alpha);
  }
  return alpha;
}

}  // namespace tandem::inline TANDEM_ISA
