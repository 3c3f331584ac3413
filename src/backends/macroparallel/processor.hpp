// SPDX-License-Identifier: Apache-2.0
/// What one processor of a row does for its run of bodies.
#pragma once
#include <memory>

#include "row.hpp"
#include "tandem/api/macroparallel.hpp"
#include "tandem/model/view.hpp"

namespace tandem::macroparallel {

/// Rows of which those from `first` on are here.
struct Rows {
  const double* data = nullptr;
  Index first = 0;
  explicit operator bool() const { return data != nullptr; }
  double operator[](Index row) const { return data[row - first]; }
};

/// A state, and where accelerations go: rows of the view's joints.
struct StateHere {
  const double *q = nullptr, *v = nullptr, *tau = nullptr;
  Rows f_ext;
  double* a = nullptr;
};

/// Bodies first .. end - 1 of a chain in `model`, where first - 1 is the one before; that may be the base in the whole
/// chain's first part alone.
class Processor {
 public:
  virtual ~Processor() = default;
  /// What it took here; seconds are those of this processor.
  virtual MacroparallelReport run(Row& row, const MacroparallelOptions& options, const StateHere& state) = 0;
};

/// `unknowns` of every joint, as all processors have agreed: unknowns_of() is what these bodies want. `bodies` are in
/// the chain.
std::unique_ptr<Processor> processor_for(const ModelView<double>& model, int first, int end, Index bodies,
                                         int unknowns);

/// 3, 5 or 6.
int unknowns_of(const ModelView<double>& model, int first, int end);

/// Of the row, from what each processor took.
MacroparallelReport of_all(std::span<const MacroparallelReport> reports);

/// Throws Error for options that make no sense.
void check_options(const MacroparallelOptions& options);

/// Throws Error for a robot that is not served, of which bodies first .. end - 1 are looked at.
void check_served(const ModelView<double>& model, int first, int end);

}  // namespace tandem::macroparallel
