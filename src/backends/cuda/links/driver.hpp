// SPDX-License-Identifier: Apache-2.0
/// Methods that divide one robot among the threads of a GPU.
#pragma once
#include "backends/cuda/driver.hpp"

namespace tandem::cuda {

/// A plan of such a method, with the robot as it is cut. Throws Error for a method without kernels.
template <class T>
std::shared_ptr<const Prepared> prepare_links(const Algorithm& algorithm, const Model& model, const Options& options,
                                              int device);

/// Starts it over a batch, arguments checked and on the device in use.
template <class T>
void start_links(const Prepared& prepared, const Model& model, const CallThere<T>& call, Workspace& work);

/// The model of such a plan on the device; the arguments say in which precision.
template <class T>
ModelView<T> model_of_links(const Prepared& prepared, const Model& model, const Array<T>* arguments);

}  // namespace tandem::cuda
