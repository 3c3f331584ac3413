// SPDX-License-Identifier: Apache-2.0
#include "principal_axes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tandem::model_detail {

PrincipalAxes principal_axes(const std::array<double, 6>& inertia) {
  const auto& [xx, xy, xz, yy, yz, zz] = inertia;
  double a[3][3] = {{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}, largest = 0;
  for (const double x : inertia) largest = std::max(largest, std::abs(x));
  if (largest == 0) largest = 1;
  for (auto& row : a) {
    for (double& x : row) x /= largest;
  }
  std::array<std::array<double, 3>, 3> axes = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  // Jacobi: turn away the off-diagonal entries one by one; five sweeps leave nothing of them in a 3x3 matrix.
  for (int sweep = 0; sweep < 5; ++sweep) {
    for (const auto& [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
      if (a[p][q] == 0) continue;
      const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const double t = std::copysign(1 / (std::abs(theta) + std::hypot(theta, 1.0)), theta);
      const double c = 1 / std::hypot(t, 1.0), s = t * c, change = t * a[p][q];
      const auto turn = [c, s](double& x_p, double& x_q) {
        const double before = x_p;
        x_p = c * before - s * x_q;
        x_q = s * before + c * x_q;
      };
      const int r = 3 - p - q;
      turn(a[r][p], a[r][q]);
      a[p][r] = a[r][p];
      a[q][r] = a[r][q];
      a[p][p] -= change;
      a[q][q] += change;
      a[p][q] = a[q][p] = 0;
      for (int k = 0; k < 3; ++k) turn(axes[p][k], axes[q][k]);
    }
  }
  int order[3] = {0, 1, 2};
  std::ranges::sort(order, {}, [&](int k) { return a[k][k]; });
  PrincipalAxes found;
  for (int k = 0; k < 3; ++k) {
    found.moments[k] = largest * a[order[k]][order[k]];
    found.axes[k] = axes[order[k]];
  }
  return found;
}

}  // namespace tandem::model_detail
