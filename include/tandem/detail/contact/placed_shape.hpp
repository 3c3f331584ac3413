// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tandem/detail/contact/point.hpp"
#include "tandem/model/shape_types.hpp"

namespace tandem::inline TANDEM_ISA {

/// A shape where it stands. Vertices [n_vertices][3] are those of a mesh, in its frame; its size is that of a box about
/// the origin that contains them, half lengths of the edges, and is needed only where contacts within a margin are.
template <class S>
struct PlacedShape {
  ShapeType type;
  ShapePose<S> pose;
  Vec3<S> size;
  int n_vertices = 0;
  const double* vertices = nullptr;
};

}  // namespace tandem::inline TANDEM_ISA
