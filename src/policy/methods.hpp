// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "backends/cpu/link_kernels.hpp"
#include "tandem/api/evaluate.hpp"

namespace tandem {

/// The kernels of a method that divides one robot, or null for the methods that the algorithm's own kernels hold.
/// Throws Error if the algorithm does not have the method, the method does not read an option that is set, or it does
/// not serve the model.
const LinkKernels* link_method(const Algorithm& algorithm, const Model& model, const Options& options);

/// True for `automatic` and the methods of the algorithm's own kernels.
bool is_own(const Algorithm& algorithm, Method method);

/// Name of an option that is set and not among those read (see read_options), or null. The method is none of them.
const char* unread_option(unsigned read, const Options& options);

/// Why a method does not serve a model, "reason; advice" as refusal() has it, with the methods of the algorithm that do
/// serve it in place of an advice that names one that does not.
std::string with_methods_that_serve(const char* reason, const Algorithm& algorithm, const Model& model);

/// Throws Error for an option that is no value of its enumeration.
void check_values(const Algorithm& algorithm, const Options& options);

/// Throws Error if the frame that the algorithm reads does not exist, or an option has a value that it cannot have.
void check_options(const Algorithm& algorithm, const Model& model, const Options& options);

}  // namespace tandem
