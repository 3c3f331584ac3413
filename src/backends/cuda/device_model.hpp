// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/model/model.hpp"

namespace tandem::cuda {

/// The view of a model, for kernels: its arrays are on the device in use. They are copied there when first asked for and
/// stay as long as a copy of the model lives; the next call after that gives them back.
template <class T>
ModelView<T> on_device(const Model& model);

}  // namespace tandem::cuda
