// SPDX-License-Identifier: Apache-2.0
/// The options that say how a problem is solved.
#pragma once
#include <map>

#include "cli.hpp"
#include "tandem/api/automatic.hpp"

namespace tandem::cli {

struct MethodOptions {
  Options numbers;                                ///< those that are no names
  std::map<std::string_view, std::string> names;  ///< the others, by option

  void add_to(Command& command);
  /// Sets them in `options`. Throws Error if a name is not known or the algorithm does not take a method.
  void read(const Algorithm& algorithm, Options& options) const;
};

/// The options of a function that steps through time.
struct StepOptions {
  Options numbers;
  std::map<std::string_view, std::string> names;

  void add_to(Command& command);
  void read(Options& options) const;
};

/// "method scan, 16 links a chunk: fastest from 64 links on ..."
std::string explained(const Choice& choice);

}  // namespace tandem::cli
