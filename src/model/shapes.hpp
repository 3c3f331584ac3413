// SPDX-License-Identifier: Apache-2.0
/// Shapes on the way back from a model to a description.
#pragma once
#include "tandem/model/builder.hpp"

namespace tandem::model_detail {

/// Adds what a model has of contacts to a description that has its links.
void describe_shapes(const Model& model, ModelBuilder& robot);
/// Adds what a description has of contacts to another one with the same links.
void copy_shapes(const ModelBuilder& from, ModelBuilder& to);

}  // namespace tandem::model_detail
