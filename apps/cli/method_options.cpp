// SPDX-License-Identifier: Apache-2.0
#include "method_options.hpp"

#include <fmt/format.h>

namespace tandem::cli {

void MethodOptions::add_to(Command& command) {
  const auto name = [&](const char* option, std::string& value, const char* meaning) {
    command.option(option, value, meaning, {.type = "NAME", .shows_default = true, .group = "Method"});
  };
  const auto count = [&](const char* option, int& value, const char* meaning) {
    command.option(option, value, meaning, {.type = "N", .check = whole_number_from(1), .group = "Method"});
  };
  name("--method", method, "how to solve it: automatic, articulated-body (aba), scan, ...; tandem list has them all");
  name("--solver", solver,
       "of constraint-force: block-lu, odd-even-elimination, cyclic-reduction, chunked, conjugate-gradient");
  name("--right-hand-side", right_hand_side, "where bias forces enter: local, or bias-torque as in the papers");
  name("--form", form, "of inverse dynamics by scans: body, jet, world-orientation");
  count("--chunk", chunk, "links that are worked through one after the other");
  count("--chunks", chunks, "parts that the robot is divided into");
  command.option("--load-ratio", load_ratio, "length of the terminal chunk over that of the others",
                 {.type = "X", .check = number_above_zero(), .group = "Method"});
}

void MethodOptions::read(const Algorithm& algorithm, Options& options) const {
  options.method = method_from(method);
  options.solver = solver_from(solver);
  options.right_hand_side = right_hand_side_from(right_hand_side);
  options.form = form_from(form);
  options.chunk = chunk;
  options.chunks = chunks;
  options.load_ratio = load_ratio;
  if (methods_of(algorithm).empty() && options.method != Method::automatic)
    throw Error(fmt::format("{} does not read --method", dashed(algorithm.name)));
}

std::string explained(const Choice& choice) {
  std::string text = "method " + dashed(to_string(choice.options.method));
  if (choice.options.chunk > 0) text += fmt::format(", {} links a chunk", choice.options.chunk);
  return text + ": " + choice.why;
}

}  // namespace tandem::cli
