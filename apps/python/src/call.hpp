// SPDX-License-Identifier: Apache-2.0
/// One call of an algorithm from Python.
#pragma once
#include <variant>

#include "bindings.hpp"

namespace tandem::python {

/// What a call is told about its batch, as Python gives it: a number or None, an array or None, a dictionary or None,
/// the name of a device. For the array of status there may be a tuple, with that of iterations, and of first
/// guesses.
struct BatchOptions {
  nb::handle threads, status, parameters, device;
};

/// A plan is made for one precision.
using AnyPlan = std::variant<Plan<double>, Plan<float>>;

/// The device of that name. Throws Error that lists the names.
Device device_from(const Algorithm& algorithm, nb::handle name);

/// Runs an algorithm with Python objects for arguments, in the order of its table. Inputs: arrays, or None where left
/// out. Outputs: an array to write to, True for a new one, or None, which leaves out an optional one. Returns the
/// outputs: one as it is, several as a tuple.
nb::object run_call(const Algorithm& algorithm, const Model& model, nb::handle arguments, const BatchOptions& batch,
                    const Options& options);

/// Index of a frame that is given by its name or its index.
int frame_from(const Algorithm& algorithm, const Model& model, nb::handle frame);

/// The same for inverse_kinematics, which is no row of the table of algorithms; its arrays are pose_search_arguments().
nb::object run_search(const Model& model, nb::handle frame, nb::handle arguments, const BatchOptions& batch,
                      const PoseSearchOptions& options);

/// The same by a plan, in its precision and on its device.
nb::object run_call(const AnyPlan& plan, nb::handle arguments, const BatchOptions& batch);

}  // namespace tandem::python
