// SPDX-License-Identifier: Apache-2.0
/// Convex hulls by quickhull [Barber, Dobkin and Huhdanpaa, The Quickhull Algorithm for Convex Hulls, 1996]. Points are
/// rounded to a grid, on which volumes are exact: the faces that a point sees always form one piece without holes, and
/// no tolerance is needed, which would cut off acute edges.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/at.hpp"
#include "core/text.hpp"
#include "tandem/model/meshes.hpp"

namespace tandem {
namespace {

__extension__ using Wide = __int128;
using Point = std::array<double, 3>;
using GridPoint = std::array<std::int64_t, 3>;

constexpr double grid_extent = 1 << 25;  // steps of the grid along the largest extent

GridPoint minus(const GridPoint& a, const GridPoint& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }

GridPoint cross(const GridPoint& a, const GridPoint& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Wide dot(const GridPoint& a, const GridPoint& b) { return Wide{a[0]} * b[0] + Wide{a[1]} * b[1] + Wide{a[2]} * b[2]; }

double length(const GridPoint& a) { return std::sqrt(static_cast<double>(dot(a, a))); }

/// A triangle of the hull, counterclockwise from outside.
struct Face {
  std::array<int, 3> corners{};
  std::array<int, 3> beside{};  ///< the face across the edge from corner k to the next one
  GridPoint normal{};           ///< outwards, twice the area long
  std::vector<int> outside;     ///< points above it that no other face has
  int farthest = -1;            ///< of these
  Wide height = 0;              ///< of the farthest point, in lengths of the normal
  Wide across = 0;              ///< squared distance of the farthest point from the first corner
  bool gone = false;
};

class Hull {
 public:
  explicit Hull(std::vector<GridPoint> points) : points_(std::move(points)) {}

  /// Indices of the corners, ascending.
  std::vector<int> corners() {
    std::vector<int> start = extremes();
    if (start.size() < 3) return sorted(std::move(start));
    const bool flat = start.size() == 3;
    if (flat) start.push_back(add_apex(start));
    begin(start);
    for (std::size_t f = 0; f < faces_.size(); ++f)
      if (!faces_[f].gone && faces_[f].farthest >= 0) extend(static_cast<int>(f));
    std::vector<int> found;
    for (const Face& face : faces_)
      if (!face.gone) found.insert(found.end(), face.corners.begin(), face.corners.end());
    if (flat) std::erase(found, start.back());
    return sorted(std::move(found));
  }

 private:
  static std::vector<int> sorted(std::vector<int> indices) {
    std::ranges::sort(indices);
    indices.erase(std::ranges::unique(indices).begin(), indices.end());
    return indices;
  }

  template <class Measure>
  int largest(Measure&& measure) const {
    int best = 0;
    auto most = measure(points_[0]);
    for (std::size_t k = 1; k < points_.size(); ++k)
      if (auto own = measure(points_[k]); own > most) {
        most = own;
        best = static_cast<int>(k);
      }
    return best;
  }

  /// Up to four points that span as many dimensions as all points do.
  std::vector<int> extremes() const {
    const int a = largest([&](const GridPoint& p) { return dot(minus(p, points_[0]), minus(p, points_[0])); });
    const GridPoint& from = points_[at(a)];
    const int b = largest([&](const GridPoint& p) { return dot(minus(p, from), minus(p, from)); });
    const GridPoint along = minus(points_[at(b)], from);
    if (along == GridPoint{}) return {a};
    const int c = largest([&](const GridPoint& p) { return length(cross(along, minus(p, from))); });
    const GridPoint normal = cross(along, minus(points_[at(c)], from));
    if (normal == GridPoint{}) return {a, b};
    const auto height = [&](const GridPoint& p) {
      const Wide h = dot(normal, minus(p, from));
      return h < 0 ? -h : h;
    };
    const int d = largest(height);
    if (height(points_[at(d)]) == 0) return {a, b, c};
    return {a, b, c, d};
  }

  /// Over a flat set, as far as the set is wide, so that its hull has a volume.
  int add_apex(const std::vector<int>& triangle) {
    const GridPoint &a = points_[at(triangle[0])], &b = points_[at(triangle[1])], &c = points_[at(triangle[2])];
    const GridPoint normal = cross(minus(b, a), minus(c, a));
    GridPoint apex{};
    for (std::size_t k = 0; k < 3; ++k)
      apex[k] =
          (a[k] + b[k] + c[k]) / 3 + std::llround(grid_extent * (static_cast<double>(normal[k]) / length(normal)));
    points_.push_back(apex);
    return static_cast<int>(points_.size()) - 1;
  }

  Wide height(const Face& face, int point) const {
    return dot(face.normal, minus(points_[at(point)], points_[at(face.corners[0])]));
  }

  int add_face(int a, int b, int c) {
    Face face;
    face.corners = {a, b, c};
    face.normal = cross(minus(points_[at(b)], points_[at(a)]), minus(points_[at(c)], points_[at(a)]));
    faces_.push_back(std::move(face));
    return static_cast<int>(faces_.size()) - 1;
  }

  /// Gives a point to the first of some faces that it is outside of. Of points that are as high the one farthest from a
  /// corner is the farthest: it is a corner of the hull of these points.
  void distribute(int point, int first) {
    for (std::size_t f = at(first); f < faces_.size(); ++f) {
      Face& face = faces_[f];
      const Wide h = height(face, point);
      if (h <= 0) continue;
      const GridPoint from = minus(points_[at(point)], points_[at(face.corners[0])]);
      const Wide across = dot(from, from);
      if (h > face.height || (h == face.height && across > face.across)) {
        face.height = h;
        face.across = across;
        face.farthest = point;
      }
      face.outside.push_back(point);
      return;
    }
  }

  /// The tetrahedron of four points.
  void begin(std::vector<int> p) {
    const GridPoint& from = points_[at(p[0])];
    const GridPoint normal = cross(minus(points_[at(p[1])], from), minus(points_[at(p[2])], from));
    if (dot(normal, minus(points_[at(p[3])], from)) > 0) std::swap(p[1], p[2]);
    add_face(p[0], p[1], p[2]);
    for (int k = 0; k < 3; ++k) add_face(p[at((k + 1) % 3)], p[at(k)], p[3]);
    faces_[0].beside = {1, 2, 3};
    for (int k = 0; k < 3; ++k) faces_[at(k + 1)].beside = {0, 1 + (k + 2) % 3, 1 + (k + 1) % 3};
    for (int k = 0; k < static_cast<int>(points_.size()); ++k) distribute(k, 0);
  }

  /// An edge that a point sees from one side only: between a face that it sees and one that it does not.
  struct Horizon {
    int from, to, face;
  };

  /// Replaces the faces that the farthest point of a face sees by those to this point.
  void extend(int first) {
    const int eye = faces_[at(first)].farthest;
    std::vector<int> seen{first};
    std::vector<Horizon> horizon;
    faces_[at(first)].gone = true;
    for (std::size_t s = 0; s < seen.size(); ++s)
      for (std::size_t k = 0; k < 3; ++k) {
        const int f = seen[s], other = faces_[at(f)].beside[k];
        if (faces_[at(other)].gone) continue;
        if (height(faces_[at(other)], eye) > 0) {
          faces_[at(other)].gone = true;
          seen.push_back(other);
        } else {
          horizon.push_back({faces_[at(f)].corners[k], faces_[at(f)].corners[(k + 1) % 3], other});
        }
      }
    const int first_new = static_cast<int>(faces_.size());
    new_face_from_.resize(points_.size());
    for (const Horizon& edge : horizon) new_face_from_[at(edge.from)] = add_face(edge.from, edge.to, eye);
    for (const Horizon& edge : horizon) {
      const int own = new_face_from_[at(edge.from)], next = new_face_from_[at(edge.to)];
      faces_[at(own)].beside[0] = edge.face;
      faces_[at(own)].beside[1] = next;
      faces_[at(next)].beside[2] = own;
      Face& old = faces_[at(edge.face)];
      for (std::size_t k = 0; k < 3; ++k)
        if (old.corners[k] == edge.to) old.beside[k] = own;  // its edges go the other way round
    }
    for (const int f : seen) {
      const std::vector<int> outside = std::move(faces_[at(f)].outside);
      faces_[at(f)].outside = {};
      for (const int point : outside)
        if (point != eye) distribute(point, first_new);
    }
  }

  std::vector<GridPoint> points_;
  std::vector<Face> faces_;
  std::vector<int> new_face_from_;  ///< [points] the new face whose first corner a point is
};

}  // namespace

std::vector<std::array<double, 3>> convex_hull(std::span<const std::array<double, 3>> points) {
  if (points.empty()) throw Error("convex_hull: points is empty, expected at least one");
  if (points.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()) / 8)
    throw Error(sentence("convex_hull: there are ", points.size(), " points, expected at most 2.6e8"));
  Point low = points[0], high = points[0];
  for (const Point& p : points)
    for (std::size_t k = 0; k < 3; ++k) {
      if (!std::isfinite(p[k])) throw Error("convex_hull: a point is not finite");
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  double extent = 0;
  for (std::size_t k = 0; k < 3; ++k) extent = std::max(extent, high[k] / 2 - low[k] / 2);
  std::vector<GridPoint> grid;
  grid.reserve(points.size() + 1);
  for (const Point& p : points) {
    GridPoint rounded{};
    for (std::size_t k = 0; k < 3; ++k)
      if (extent > 0) rounded[k] = std::llround((p[k] / 2 - low[k] / 2) / extent * grid_extent);
    grid.push_back(rounded);
  }
  std::vector<Point> found;
  for (const int k : Hull(std::move(grid)).corners()) found.push_back(points[at(k)]);
  return found;
}

}  // namespace tandem
