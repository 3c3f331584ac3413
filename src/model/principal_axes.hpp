// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

namespace tandem::model_detail {

/// Principal moments of inertia, smallest first, and their axes.
struct PrincipalAxes {
  std::array<double, 3> moments;
  std::array<std::array<double, 3>, 3> axes;
};

/// Of an inertia xx xy xz yy yz zz.
PrincipalAxes principal_axes(const std::array<double, 6>& inertia);

}  // namespace tandem::model_detail
