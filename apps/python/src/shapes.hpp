// SPDX-License-Identifier: Apache-2.0
/// A shape of a model, to read.
#pragma once
#include "bindings.hpp"

namespace tandem::python {

struct OneShape {
  Model model;
  int index;
  const ContactShape& shape() const { return contact_shapes(model)[static_cast<std::size_t>(index)]; }
};

}  // namespace tandem::python
