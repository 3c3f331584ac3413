// SPDX-License-Identifier: Apache-2.0
/// Accelerations by a method that iterates: where it begins, what it took, and what beginning there has saved.
#pragma once
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "tandem/api/simulation.hpp"
#include "tandem/error.hpp"

namespace tandem {

template <class T>
void Simulation<T>::prepare_guess() {
  const Options& o = dynamics_.options();
  iterates_ = o.method == Method::conjugate_gradient || o.solver == Solver::conjugate_gradient;
  if (*to_string(options_.first_guess) == '\0')
    throw Error(sentence("simulation: first_guess is ", static_cast<int>(options_.first_guess),
                         ", not a valid value; expected one of ",
                         comma_separated(NamesOf<FirstGuess>::table, [](const Named& row) { return row.name; })));
  const auto n = static_cast<std::size_t>(batch_);
  if (options_.first_guess == FirstGuess::zero) return;
  if (!iterates_)
    throw Error(sentence("simulation: first_guess is ", to_string(options_.first_guess), ", and method ",
                         to_string(o.method), " does not iterate; use conjugate_gradient"));
  for (std::vector<T>* x : {&guess_, &found_, &found_before_})
    x->resize(n * 6 * static_cast<std::size_t>(model_.n_links()));
  from_zero_.resize(n);
  from_zero_a_.resize(n * nv_);
  known_.resize(n);
}

/// guess_: where each instance begins. One that nothing is known of begins at zero.
template <class T>
void Simulation<T>::guess() {
  const double now = static_cast<double>(steps_) + stage_;
  const bool ahead = options_.first_guess == FirstGuess::linear && now != found_at_;
  const double along = ahead ? (now - found_at_) / (found_at_ - found_before_at_) : 0;
  const std::size_t rows = guess_.size() / known_.size();
  for (std::size_t k = 0; k < guess_.size(); ++k) {
    const char known = known_[k / rows];
    guess_[k] = known == 0 ? T(0) : found_[k];
    if (ahead && known == 2) guess_[k] += static_cast<T>(along) * (found_[k] - found_before_[k]);
  }
}

/// What was found stands for its time; there is one of each.
template <class T>
void Simulation<T>::remember() {
  const double now = static_cast<double>(steps_) + stage_;
  const bool again = now == found_at_;
  if (!again) {
    found_before_.swap(found_);
    found_before_at_ = found_at_;
    found_at_ = now;
  }
  const std::size_t rows = guess_.size() / known_.size();
  for (std::size_t b = 0; b < known_.size(); ++b) {
    const T* const begin = guess_.data() + b * rows;
    const bool sound = std::all_of(begin, begin + rows, [](T x) { return std::isfinite(x); });
    known_[b] = static_cast<char>(!sound ? 0 : again ? std::max<int>(known_[b], 1) : std::min(known_[b] + 1, 2));
  }
  found_ = guess_;
}

/// One solution in sixteen is done from zero, too, into a place that nobody reads.
template <class T>
void Simulation<T>::compare_with_zero(std::span<const Array<T>> arguments) {
  Batch<T> states(batch_, options_.threads);
  states.iterations = from_zero_;
  evaluate(dynamics_, arguments, states, work_);
  for (std::size_t b = 0; b < known_.size(); ++b) {
    if (known_[b] == 0) continue;
    Iterated& tally = accounts_[b].iterated;
    ++tally.compared;
    tally.gained += from_zero_[b] - iterations_[b];
  }
}

/// Accelerations of all instances.
template <class T>
void Simulation<T>::solve(const Columns& c, int stage) {
  if (contacts_) return solve_contacts(c, stage);
  if (!iterates_) return evaluate_forward(dynamics_, c, true);
  const BatchPart whole = {0, batch_};
  Array<T> arguments[] = {input(c.q, whole),        input(c.v, whole), input(c.tau, whole), {},
                          input(c.diagonal, whole), output(c.a, whole)};
  Batch<T> states(batch_, options_.threads, converged_);
  states.iterations = iterations_;
  const bool guesses = !guess_.empty();
  if (guesses) {
    guess();
    states.guess = guess_;
  }
  evaluate(dynamics_, arguments, states, work_);
  for (std::size_t b = 0; b < iterations_.size(); ++b) {
    Iterated& tally = accounts_[b].iterated;
    ++tally.solutions;
    tally.steps += iterations_[b];
    if (converged_[b] == Status::not_converged) ++tally.not_converged;
  }
  if (!guesses) return;
  if (accounts_[0].iterated.solutions % 16 == 0) {
    arguments[5] = Array<T>::output(from_zero_a_.data(), static_cast<Index>(nv_));
    compare_with_zero(arguments);
  }
  remember();
}

}  // namespace tandem
