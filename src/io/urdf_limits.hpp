// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tandem::io {

/// URDF cannot say that a revolute or prismatic joint is unlimited, and its usual reader wants a number for
/// every limit. A limit of this size or beyond means none.
inline constexpr double urdf_unlimited = 1e300;

}  // namespace tandem::io
