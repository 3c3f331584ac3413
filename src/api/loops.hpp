// SPDX-License-Identifier: Apache-2.0
/// Robots with closed loops: which algorithm serves a call, and which calls have no answer.
#pragma once
#include <algorithm>
#include <array>
#include <span>

#include "tandem/api/evaluate.hpp"

namespace tandem {

/// The algorithm that computes what was asked for: of a robot with loops, forward dynamics is closed_loop_dynamics,
/// which has the same arguments and one more. Forward dynamics by other methods goes over the tree, see
/// loops_over_tree.hpp. Throws Error for algorithms and devices that know no loops, and what serves instead.
const Algorithm& with_loops(const Algorithm& algorithm, const Model& model, const Options& options,
                            const Device& device);

/// The options for that one, which is by articulated bodies unless by divide and conquer.
Options with_loops(const Algorithm& algorithm, const Algorithm& serving, Options options);

/// The arguments for it.
template <class T>
class ArgumentsWithLoops {
 public:
  ArgumentsWithLoops(const Algorithm& serving, std::span<const Array<T>> given) : given_(given) {
    if (serving.arguments.size() == given.size()) return;
    std::copy(given.begin(), given.end(), all_.begin());
    given_ = std::span<const Array<T>>(all_).first(serving.arguments.size());
  }
  ArgumentsWithLoops(const ArgumentsWithLoops&) = delete;
  ArgumentsWithLoops& operator=(const ArgumentsWithLoops&) = delete;
  std::span<const Array<T>> all() const { return given_; }

 private:
  std::span<const Array<T>> given_;
  std::array<Array<T>, most_arguments> all_{};
};

/// Null unless a robot has loops that the algorithm knows nothing of; else what serves.
const char* refusal_of_loops(const Algorithm& algorithm, const Model& model);

}  // namespace tandem
