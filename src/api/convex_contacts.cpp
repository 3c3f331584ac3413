// SPDX-License-Identifier: Apache-2.0
#include "tandem/detail/contact/convex.hpp"
#include "tandem/detail/contact/convex_call.hpp"

namespace tandem {

void convex_contacts(const ConvexNumbers& a, const ConvexNumbers& b, int slots, double margin, ConvexContact* out) {
  const double* const from = a.p;  // small shapes far from the origin of the world have digits near one of their own
  const auto placed = [&](const ConvexNumbers& of) {
    const double *R = of.R, *p = of.p, *size = of.size;
    return PlacedShape<double>{of.type,
                               {{{R[0], R[1], R[2]}, {R[3], R[4], R[5]}, {R[6], R[7], R[8]}},
                                {p[0] - from[0], p[1] - from[1], p[2] - from[2]}},
                               {size[0], size[1], size[2]},
                               of.n_vertices,
                               of.vertices};
  };
  ContactPoint<double> found[most_convex_slots];
  convex_contacts(placed(a), placed(b), slots, margin, found);
  for (int k = 0; k < slots; ++k) {
    const auto& [distance, p, n, tangent] = found[k];
    out[k] = {distance, {from[0] + p.x, from[1] + p.y, from[2] + p.z}, {n.x, n.y, n.z}};
  }
}

}  // namespace tandem
