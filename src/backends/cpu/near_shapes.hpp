// SPDX-License-Identifier: Apache-2.0
/// Which shapes of a robot are near each other in a state: a broad phase for robots with many shapes.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "tandem/model/contact.hpp"

namespace tandem {

/// Pairs of shapes that a ContactSet finds in every state, whose spheres overlap. Spheres are sorted into grids, one
/// for each power of 2 between the smallest and the largest sphere; a sphere meets those of its own grid and of coarser
/// ones in the cells around it. Work is O(n log n) for n spheres that do not lie in each other, memory O(n + pairs).
/// All members are compiled once: code for an instruction set may include this.
class NearShapes {
 public:
  /// Two shapes; `later` is on the link of the higher number.
  struct Pair {
    int later, other;
  };
  /// reach [shapes]: radius of a sphere about the origin of each shape, with its margin, m.
  NearShapes(const ContactSet& set, std::span<const double> reach);
  ~NearShapes();
  NearShapes(const NearShapes&) = delete;
  NearShapes& operator=(const NearShapes&) = delete;

  /// Adds the pairs of a state with the origins [shapes][3] of the shapes, m. Shapes that are nowhere (NaN) have none.
  void add(const double* origins);
  /// After all are added: sorts by links, then by shapes, each pair once. The next add() begins anew.
  void close();

  // after close()
  std::int64_t n() const;
  const Pair* pairs() const;

 private:
  struct Ball {
    std::uint64_t cell;  ///< of its grid: z, y, x
    int shape;
  };
  struct Grid {
    double edge;  ///< of a cell, m; at least the diameter of its spheres
    std::vector<int> shapes;
    std::vector<Ball> balls;  ///< by cells
  };
  void sort(Grid& grid, const double* origins);
  void look_around(const Grid& grid, const Ball& ball, const double* origins, bool is_own);
  void meet(int one, int two, const double* origins);
  std::uint64_t cell_of(const Grid& grid, const double* origin) const;

  const ContactSet set_;
  std::vector<double> reach_;
  std::vector<int> rank_;  ///< [shapes] in the order of links
  std::vector<Grid> grids_;
  double middle_[3] = {};  ///< where cells are counted from
  std::vector<Pair> found_, pairs_;
  std::vector<std::int64_t> first_;  ///< [shapes + 1] for sorting
  bool is_closed_ = true;
};

}  // namespace tandem
