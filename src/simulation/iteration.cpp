// SPDX-License-Identifier: Apache-2.0
/// Accelerations by a method that iterates: where it begins, what it took, and what beginning there has saved.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "parts.hpp"
#include "tandem/error.hpp"

namespace tandem::simulation_detail {

template <class T>
void Iteration<T>::prepare() {
  const Options& o = s.dynamics.options();
  s.iterates = o.method == Method::conjugate_gradient || o.solver == Solver::conjugate_gradient;
  if (*to_string(s.options.first_guess) == '\0')
    throw Error(sentence("simulation: first_guess is ", static_cast<int>(s.options.first_guess),
                         ", not a valid value; expected one of ",
                         comma_separated(NamesOf<FirstGuess>::table, [](const Named& row) { return row.name; })));
  const auto n = static_cast<std::size_t>(s.batch);
  if (s.options.first_guess == FirstGuess::zero) return;
  if (!s.iterates)
    throw Error(sentence("simulation: first_guess is ", to_string(s.options.first_guess), ", and method ",
                         to_string(o.method), " does not iterate; use conjugate_gradient"));
  for (std::vector<T>* x : {&s.guess, &s.found, &s.found_before})
    x->resize(n * 6 * static_cast<std::size_t>(s.model.n_links()));
  s.from_zero.resize(n);
  s.from_zero_a.resize(n * s.nv);
  s.known.resize(n);
}

/// guess: where each instance begins. One that nothing is known of begins at zero.
template <class T>
void Iteration<T>::guess() {
  const double now = static_cast<double>(s.steps) + s.stage;
  const bool ahead = s.options.first_guess == FirstGuess::linear && now != s.found_at;
  const double along = ahead ? (now - s.found_at) / (s.found_at - s.found_before_at) : 0;
  const std::size_t rows = s.guess.size() / s.known.size();
  for (std::size_t k = 0; k < s.guess.size(); ++k) {
    const char known = s.known[k / rows];
    s.guess[k] = known == 0 ? T(0) : s.found[k];
    if (ahead && known == 2) s.guess[k] += static_cast<T>(along) * (s.found[k] - s.found_before[k]);
  }
}

/// What was found stands for its time; there is one of each.
template <class T>
void Iteration<T>::remember() {
  const double now = static_cast<double>(s.steps) + s.stage;
  const bool again = now == s.found_at;
  if (!again) {
    s.found_before.swap(s.found);
    s.found_before_at = s.found_at;
    s.found_at = now;
  }
  const std::size_t rows = s.guess.size() / s.known.size();
  for (std::size_t b = 0; b < s.known.size(); ++b) {
    const T* const begin = s.guess.data() + b * rows;
    const bool sound = std::all_of(begin, begin + rows, [](T x) { return std::isfinite(x); });
    s.known[b] = static_cast<char>(!sound ? 0 : again ? std::max<int>(s.known[b], 1) : std::min(s.known[b] + 1, 2));
  }
  s.found = s.guess;
}

/// Solves from zero as well, once in sixteen solutions, to count the iterations saved; the result is not used.
template <class T>
void Iteration<T>::compare_with_zero(std::span<const Array<T>> arguments) {
  Batch<T> states(s.batch, s.options.threads);
  states.iterations = s.from_zero;
  evaluate(s.dynamics, arguments, states, s.work);
  for (std::size_t b = 0; b < s.known.size(); ++b) {
    if (s.known[b] == 0) continue;
    Iterated& tally = s.accounts[b].iterated;
    ++tally.compared;
    tally.gained += s.from_zero[b] - s.iterations[b];
  }
}

/// Accelerations of all instances.
template <class T>
void Iteration<T>::solve(const Columns<T>& c, int stage) {
  if (s.contacts) return Contacts{s}.solve(c, stage);
  if (!s.iterates) return Steps{s}.evaluate_forward(s.dynamics, c, true);
  const BatchPart whole = {0, s.batch};
  Array<T> arguments[] = {input(c.q, whole),        input(c.v, whole), input(c.tau, whole), {},
                          input(c.diagonal, whole), output(c.a, whole)};
  Batch<T> states(s.batch, s.options.threads, s.converged);
  states.iterations = s.iterations;
  const bool guesses = !s.guess.empty();
  if (guesses) {
    guess();
    states.guess = s.guess;
  }
  evaluate(s.dynamics, arguments, states, s.work);
  for (std::size_t b = 0; b < s.iterations.size(); ++b) {
    Iterated& tally = s.accounts[b].iterated;
    ++tally.solutions;
    tally.steps += s.iterations[b];
    if (s.converged[b] == Status::not_converged) ++tally.not_converged;
  }
  if (!guesses) return;
  if (s.accounts[0].iterated.solutions % 16 == 0) {
    arguments[5] = Array<T>::output(s.from_zero_a.data(), static_cast<Index>(s.nv));
    compare_with_zero(arguments);
  }
  remember();
}

template struct Iteration<double>;
template struct Iteration<float>;

}  // namespace tandem::simulation_detail
