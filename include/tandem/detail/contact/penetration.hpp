// SPDX-License-Identifier: Apache-2.0
/// How deep two convex shapes that overlap are in each other: the shortest way by which one has to move for them to
/// touch only [van den Bergen, Proximity Queries and Penetration Depth Computation on 3D Game Objects, 2001]. A
/// polytope inside the difference of the shapes grows where its surface is nearest to the origin.
#pragma once
#include <algorithm>
#include <utility>

#include "tandem/detail/contact/smooth.hpp"

namespace tandem::inline TANDEM_ISA {

/// The polytope: triangles whose normals point outwards.
class ExpandingPolytope {
 public:
  /// From some points of the difference of which the hull, if it is solid, has the origin inside or on its surface.
  ExpandingPolytope(const PlacedShape<double>& a, const PlacedShape<double>& b, const Simplex& simplex) : a_(a), b_(b) {
    for (int k = 0; k < simplex.n; ++k) add(simplex.points[k]);
  }

  Penetration penetration() {
    if (!make_solid()) return flat();
    static constexpr int faces[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    const bool turned = dot(normal_of(0, 1, 2), points_[3].x - points_[0].x) > 0;
    for (const auto& [i, j, k] : faces) add_face(i, turned ? k : j, turned ? j : k);
    // No way out is shorter than to the nearest face; in the direction of its normal it is as long as the difference
    // reaches.
    const double tolerance = is_smooth(a_, b_) ? smooth_tolerance : flat_tolerance;
    Face best{};
    double depth = 1e300, least = 0;
    for (bool grows = true; grows;) {
      const int first = nearest_face();
      const Face& nearest = faces_[first];
      if (nearest.distance == 1e300) return flat();
      if (nearest.distance < least - broken * size_) break;  // by rounding, it is no longer convex
      least = nearest.distance;
      const DifferencePoint next = support_point(a_, b_, nearest.normal);
      const double reach = dot(nearest.normal, next.x);
      if (reach < depth) {
        depth = reach;
        best = nearest;
      }
      grows = tolerance * size_ < reach - least && n_points_ < most_points && grow(next, first);
    }
    if (depth == 1e300) return flat();
    return through(best, larger(depth, 0.0));
  }

 private:
  static constexpr int most_points = 160, most_faces = 4 * most_points;
  static constexpr double flat_tolerance = 1e-11, broken = 1e-11;  ///< of the size

  struct Face {
    int corner[3];
    Point3 normal;
    double distance;  ///< of its plane from the origin; large: it has no area
  };
  struct Edge {
    int from, to;
  };

  void add(const DifferencePoint& point) {
    size_ = larger(size_, norm(point.x));
    points_[n_points_++] = point;
  }
  Point3 normal_of(int i, int j, int k) const {
    return cross(points_[j].x - points_[i].x, points_[k].x - points_[i].x);
  }

  /// Adds points until they are the corners of a tetrahedron; false if the difference is flat.
  bool make_solid() {
    const auto extend = [&](const Point3& direction) {
      for (const Point3& way : {direction, -direction}) {
        const DifferencePoint point = support_point(a_, b_, way);
        if (abs(dot(way, point.x - points_[0].x)) <= 1e-10 * larger(size_, norm(point.x)) * norm(way)) continue;
        add(point);
        return true;
      }
      return false;
    };
    const Point3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (n_points_ == 1)
      for (int k = 0; k < 3 && n_points_ == 1; ++k) extend(axes[k]);
    if (n_points_ == 2) {
      const Point3 line = points_[1].x - points_[0].x;
      for (int k = 0; k < 3 && n_points_ == 2; ++k)
        if (const Point3 way = cross(line, axes[k]); norm(way) > 0.5 * norm(line)) extend(way);
    }
    if (n_points_ == 3) extend(normal_of(0, 1, 2));
    return n_points_ == 4;
  }
  /// Without a volume: they touch in a point, and part along what is normal to both.
  Penetration flat() const {
    Point3 normal = Point3{1, 0, 0};
    if (n_points_ == 3) normal = unit_or(normal_of(0, 1, 2), normal);
    if (n_points_ == 2) {
      const Point3 line = points_[1].x - points_[0].x;
      normal = unit_or(cross(line, abs(line.x) < abs(line.y) ? Point3{1, 0, 0} : Point3{0, 1, 0}), normal);
    }
    return {0, normal, points_[0].a, points_[0].b};
  }

  void add_face(int i, int j, int k) {
    Face& face = faces_[n_faces_++];
    face.corner[0] = i;
    face.corner[1] = j;
    face.corner[2] = k;
    const Point3 normal = normal_of(i, j, k);
    const double area = norm(normal);
    const bool is_flat = !(area > 1e-20 * size_ * size_);
    face.normal = is_flat ? Point3::zero() : (1 / area) * normal;
    face.distance = is_flat ? 1e300 : dot(face.normal, points_[i].x);
  }
  int nearest_face() const {
    int nearest = 0;
    for (int k = 1; k < n_faces_; ++k)
      if (faces_[k].distance < faces_[nearest].distance) nearest = k;
    return nearest;
  }

  static bool share_an_edge(const Face& one, const Face& other) {
    int common = 0;
    for (const int i : one.corner)
      for (const int j : other.corner) common += i == j;
    return common == 2;
  }
  /// The faces that a point outside sees, as far as they hang together with one that it does: rounding can show it
  /// others in its plane, without which the polytope stays whole. Returns how many.
  int faces_seen(const Point3& point, int first, int* seen) const {
    int n = 0, together = 1;
    seen[n++] = first;
    for (int k = 0; k < n_faces_; ++k)
      if (k != first && dot(faces_[k].normal, point) - faces_[k].distance > convex_rounding * size_) seen[n++] = k;
    for (int reached = 0; reached < together; ++reached)
      for (int k = together; k < n; ++k)
        if (share_an_edge(faces_[seen[reached]], faces_[seen[k]])) std::swap(seen[k], seen[together++]);
    return together;
  }

  /// Replaces the faces that a point outside sees, one of them the first, by those from it to their rim; false if there
  /// is no room.
  bool grow(const DifferencePoint& point, int first) {
    const int apex = n_points_;
    int seen[most_faces], n_rim = 0;
    const int n_seen = faces_seen(point.x, first, seen);
    Edge rim[most_faces];
    for (int k = 0; k < n_seen; ++k) {
      const Face& face = faces_[seen[k]];
      for (int e = 0; e < 3; ++e) {  // an edge between two faces that are seen is not part of the rim
        const Edge edge = {face.corner[e], face.corner[(e + 1) % 3]};
        int twin = 0;
        while (twin < n_rim && !(rim[twin].from == edge.to && rim[twin].to == edge.from)) ++twin;
        if (twin < n_rim)
          rim[twin] = rim[--n_rim];
        else if (n_rim < most_faces)
          rim[n_rim++] = edge;
      }
    }
    if (n_faces_ - n_seen + n_rim > most_faces) return false;
    std::sort(seen, seen + n_seen);
    for (int k = n_seen - 1; k >= 0; --k) faces_[seen[k]] = faces_[--n_faces_];
    add(point);
    for (int e = 0; e < n_rim; ++e) add_face(rim[e].from, rim[e].to, apex);
    return true;
  }

  /// The way out in the direction of a face, at its point nearest to the origin.
  Penetration through(const Face& face, double depth) const {
    Simplex corners;
    for (const int k : face.corner) corners.points[corners.n++] = points_[k];
    reduce(corners);
    return {depth, face.normal, corners.sum(&DifferencePoint::a), corners.sum(&DifferencePoint::b)};
  }

  const PlacedShape<double>&a_, &b_;
  DifferencePoint points_[most_points];
  Face faces_[most_faces];
  int n_points_ = 0, n_faces_ = 0;
  double size_ = 0;
};

}  // namespace tandem::inline TANDEM_ISA
