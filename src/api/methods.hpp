// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cpu/link_kernels.hpp"
#include "tandem/api/evaluate.hpp"

namespace tandem {

/// The kernels of a method that divides one robot, or null for the methods that the algorithm's own kernels hold. Throws
/// Error if the algorithm does not have the method, the method does not read an option that is set, or it does not serve
/// the model.
const LinkKernels* link_method(const Algorithm& algorithm, const Model& model, const Options& options);

/// Name of an option of a method that is set and not among those read (see read_options), or null.
const char* unread_option(unsigned read, const Options& options);

}  // namespace tandem
