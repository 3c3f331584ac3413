// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/near_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/at.hpp"

namespace tandem {
namespace {

constexpr int cell_bits = 21;  // of an axis
constexpr double most_cells = (1 << cell_bits) - 2;
/// Spheres of float numbers may be apart by rounding where shapes touch.
constexpr double rounding = 1 + 1e-5;

}  // namespace

NearShapes::NearShapes(const ContactSet& set, std::span<const double> reach)
    : set_(set), reach_(reach.begin(), reach.end()), rank_(reach.size()), first_(reach.size() + 1) {
  const auto shapes = contact_shapes(set_.model());
  std::vector<int> by_link(reach.size());
  std::iota(by_link.begin(), by_link.end(), 0);
  std::sort(by_link.begin(), by_link.end(),
            [&](int x, int y) { return std::pair(shapes[at(x)].link, x) < std::pair(shapes[at(y)].link, y); });
  for (std::size_t k = 0; k < by_link.size(); ++k) rank_[at(by_link[k])] = static_cast<int>(k);
  std::map<int, std::vector<int>> by_size;
  for (const int k : by_link) {
    const ContactShape& shape = shapes[at(k)];
    if (shape.link == 0 || shape.type == ShapeType::plane || !shape.unread.empty()) continue;
    if (shape.contype == 0 && shape.conaffinity == 0) continue;
    int size = 0;
    std::frexp(2 * rounding * reach_[at(k)], &size);
    by_size[size].push_back(k);
  }
  for (auto& [size, of_size] : by_size) grids_.push_back({std::ldexp(1.0, size), std::move(of_size), {}});
}
NearShapes::~NearShapes() = default;

/// What is farther away than there are cells is in the outermost ones.
std::uint64_t NearShapes::cell_of(const Grid& grid, const double* origin) const {
  std::uint64_t cell = 0;
  for (int k = 3; k-- > 0;) {
    const double number = std::floor((origin[k] - middle_[k]) / grid.edge) + most_cells / 2;
    cell = cell << cell_bits | static_cast<std::uint64_t>(std::clamp(number, 1.0, most_cells));
  }
  return cell;
}

void NearShapes::sort(Grid& grid, const double* origins) {
  grid.balls.clear();
  for (const int k : grid.shapes) {
    const double* const p = origins + 3 * std::int64_t{k};
    if (std::isfinite(p[0]) && std::isfinite(p[1]) && std::isfinite(p[2])) grid.balls.push_back({cell_of(grid, p), k});
  }
  std::sort(grid.balls.begin(), grid.balls.end(), [](const Ball& x, const Ball& y) { return x.cell < y.cell; });
}

void NearShapes::meet(int one, int two, const double* origins) {
  const double *const p = origins + 3 * std::int64_t{one}, *const r = origins + 3 * std::int64_t{two};
  const double x = p[0] - r[0], y = p[1] - r[1], z = p[2] - r[2],
               reach = rounding * (reach_[at(one)] + reach_[at(two)]);
  if (!(x * x + y * y + z * z < reach * reach) || !set_.can_find(one, two)) return;
  found_.push_back(rank_[at(one)] < rank_[at(two)] ? Pair{two, one} : Pair{one, two});
}

/// Of its own grid those that come after it alone.
void NearShapes::look_around(const Grid& grid, const Ball& ball, const double* origins, bool is_own) {
  const auto begin = grid.balls.begin(), end = grid.balls.end();
  const std::uint64_t center = is_own ? ball.cell : cell_of(grid, origins + 3 * std::int64_t{ball.shape});
  constexpr std::uint64_t row = std::uint64_t{1} << cell_bits, layer = row << cell_bits;
  for (const std::uint64_t line : {center - layer - row, center - layer, center - layer + row, center - row, center,
                                   center + row, center + layer - row, center + layer, center + layer + row}) {
    if (is_own && line < center) continue;
    auto next = is_own && line == center
                    ? begin + (&ball - grid.balls.data()) + 1
                    : std::lower_bound(begin, end, line - 1, [](const Ball& x, std::uint64_t c) { return x.cell < c; });
    for (; next != end && next->cell <= line + 1; ++next) meet(ball.shape, next->shape, origins);
  }
}

void NearShapes::add(const double* origins) {
  if (is_closed_) found_.clear();
  is_closed_ = false;
  for (int k = 0; k < 3; ++k) middle_[k] = 0;
  for (const Grid& grid : grids_)
    for (const int shape : grid.shapes)
      for (int k = 0; k < 3; ++k) middle_[k] = origins[3 * std::int64_t{shape} + k];
  for (double& x : middle_) x = std::isfinite(x) ? x : 0;
  for (Grid& grid : grids_) sort(grid, origins);
  for (std::size_t own = 0; own < grids_.size(); ++own)
    for (const Ball& ball : grids_[own].balls)
      for (std::size_t k = own; k < grids_.size(); ++k) look_around(grids_[k], ball, origins, k == own);
}

void NearShapes::close() {
  is_closed_ = true;
  std::fill(first_.begin(), first_.end(), 0);
  for (const Pair& pair : found_) ++first_[at(rank_[at(pair.later)]) + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  pairs_.resize(found_.size());
  std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
  for (const Pair& pair : found_) pairs_[static_cast<std::size_t>(next[at(rank_[at(pair.later)])]++)] = pair;
  for (std::size_t k = 0; k + 1 < first_.size(); ++k)
    std::sort(pairs_.begin() + first_[k], pairs_.begin() + first_[k + 1],
              [&](const Pair& x, const Pair& y) { return rank_[at(x.other)] < rank_[at(y.other)]; });
  const auto same = [](const Pair& x, const Pair& y) { return x.later == y.later && x.other == y.other; };
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end(), same), pairs_.end());
}

std::int64_t NearShapes::n() const { return static_cast<std::int64_t>(pairs_.size()); }
const NearShapes::Pair* NearShapes::pairs() const { return pairs_.data(); }

}  // namespace tandem
