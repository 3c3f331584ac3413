// SPDX-License-Identifier: Apache-2.0
/// What a row of processors is asked for: whether it can be, and what all of them took.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "processor.hpp"
#include "tandem/detail/joint/joint.hpp"
#include "tandem/detail/spatial/body_mobility.hpp"
#include "tandem/error.hpp"

namespace tandem::macroparallel {

int unknowns_of(const ModelView<double>& model, int first, int end) {
  int unknowns = 3;
  for (int i = first; i < end; ++i) {
    const int nv = joint_nv(model.type[i]);
    for (int k = 0; k < nv; ++k)
      if (model.armature[model.v_index[i] + k] != 0) return 6;
    if (nv < 3) unknowns = 5;
  }
  return unknowns;
}

MacroparallelReport of_all(std::span<const MacroparallelReport> reports) {
  MacroparallelReport all;
  const auto n = static_cast<double>(reports.size());
  for (const MacroparallelReport& one : reports) {
    all.iterations = std::max(all.iterations, one.iterations);
    all.converged = all.converged && one.converged;
    all.seconds = std::max(all.seconds, one.seconds);
    for (std::size_t k = 0; k < all.stage.size(); ++k) all.stage[k] += one.stage[k] / n;
    all.messages += one.messages / n;
  }
  for (const MacroparallelReport& one : reports)
    if (one.iterations < all.iterations) ++all.stopped_early;
  return all;
}

void check_options(const MacroparallelOptions& o) {
  const auto check = [](const char* name, double x, bool good, const char* expected) {
    if (!good) throw Error(sentence("macroparallel: ", name, " is ", x, ", expected ", expected));
  };
  const auto number = [](Index x) { return static_cast<double>(x); };
  check("processors", o.processors, o.processors >= 0, "1 or more, or 0 for all cores");
  check("tolerance", o.tolerance, std::isfinite(o.tolerance) && o.tolerance >= 0,
        "a finite number above 0, or 0: 1e-12");
  check("max_iterations", number(o.max_iterations), o.max_iterations >= 0, "1 or more, or 0: the method's own");
  check("fixed_iterations", number(o.fixed_iterations), o.fixed_iterations >= 0,
        "1 or more, or 0: until the tolerance");
  if (*to_string(o.freezing) == '\0')
    throw Error(sentence("macroparallel: freezing is ", static_cast<int>(o.freezing),
                         ", not a valid value; expected one of ",
                         comma_separated(NamesOf<Freezing>::table, [](const Named& row) { return row.name; })));
  if (*to_string(o.left_out) == '\0')
    throw Error(sentence("macroparallel: left_out is ", static_cast<int>(o.left_out),
                         ", not a valid value; expected one of ",
                         comma_separated(NamesOf<LeftOut>::table, [](const Named& row) { return row.name; })));
  if (o.left_out == LeftOut::sums && o.fixed_iterations == 0)
    throw Error("macroparallel: left_out is sums, without which the iteration does not converge: set fixed_iterations");
  if (o.freezing != Freezing::none && o.fixed_iterations > 0)
    throw Error("macroparallel: freezing and fixed_iterations are mutually exclusive");
}

void check_served(const ModelView<double>& model, int first, int end) {
  const auto refuse = [](const char* why) {
    throw Error(sentence("macroparallel: the robot is not supported: ", why));
  };
  if (end <= first) refuse("it has no joints");
  if (model.n_loops != 0) refuse("it has closed loops; use articulated_body");
  for (int i = first; i < end; ++i) {
    if (i > 1 && model.parent[i] != i - 1) refuse("it has branches; macroparallel is for chains");
    if (!has_inverse(link_inertia<double>(model, i)))
      refuse("a link has no mass or a singular inertia; use articulated_body or scan");
  }
  if (model.n_mimic != 0) refuse("it has mimic joints; use articulated_body or composite_rigid_body");
}

}  // namespace tandem::macroparallel
