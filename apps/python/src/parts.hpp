// SPDX-License-Identifier: Apache-2.0
/// The joints and links of a model, to read.
#pragma once
#include "bindings.hpp"

namespace tandem::python {

struct Joint {
  Model model;
  int index;
};

struct Link {
  Model model;
  int index;
  MassProperties properties() const { return model.mass_properties(index); }
};

struct Loop {
  Model model;
  int index;
  LoopJoint joint() const { return model.loop(index); }
};

/// Throw Error if there is none of that index.
Joint joint_of(const Model& model, int index);
Loop loop_of(const Model& model, int index);
Link link_of(const Model& model, int index);

void bind_parts(nb::module_& m);

}  // namespace tandem::python
