// SPDX-License-Identifier: Apache-2.0
/// The contacts of the robots in a tile: shapes are placed, pairs whose spheres are near each other are computed.
#pragma once
#include <limits>

#include "backends/shared/verdict.hpp"
#include "tandem/detail/contact/link_passes.hpp"
#include "tile_contacts.hpp"

namespace tandem::inline TANDEM_ISA {

/// Turned as its link.
template <class P>
void TileContacts<P>::place(int k) {
  Index& time = placed_[static_cast<std::size_t>(k)].time;
  if (time < 0 || time == time_) return;
  time = time_;
  const LinkShape& of = problem_.shapes[static_cast<std::size_t>(k)];
  const Mat3<P>& E = links_[static_cast<std::size_t>(of.link)].E;
  const auto row = [&](const P& x, const P& y, const P& z) TANDEM_INLINE {  // of E^T, times R
    const auto entry = [&](int c) TANDEM_INLINE {
      return mul_add(x, P(of.R[c]), mul_add(y, P(of.R[3 + c]), z * P(of.R[6 + c])));
    };
    return Vec3<P>{entry(0), entry(1), entry(2)};
  };
  shapes_[static_cast<std::size_t>(k)].pose.R = {row(E.row0.x, E.row1.x, E.row2.x), row(E.row0.y, E.row1.y, E.row2.y),
                                                 row(E.row0.z, E.row1.z, E.row2.z)};
}

/// In any lane.
template <class P>
bool TileContacts<P>::is_near(const Near& pair) const {
  const Vec3<P> between = pair.two->pose.p - pair.one->pose.p;
  if (pair.with_plane) return any(dot(pair.one->pose.axis_z(), between) < P(pair.reach));
  return any(dot(between, between) < P(pair.reach));
}

/// Pairs that are near in any lane.
template <class P>
void TileContacts<P>::find_near() {
  for (int lane = 0; lane < n_; ++lane) {
    for (std::size_t k = 0; k < shapes_.size(); ++k) {
      const Vec3<P>& p = shapes_[k].pose.p;
      origins_[3 * k] = double{lane_of(p.x, lane)};
      origins_[3 * k + 1] = double{lane_of(p.y, lane)};
      origins_[3 * k + 2] = double{lane_of(p.z, lane)};
    }
    finder_->near.add(origins_.data());
  }
  finder_->near.close();
}

template <class P>
LinkPair TileContacts<P>::found_pair(const NearShapes::Pair& near) const {
  const FoundPairs& found = *problem_.found;
  const auto shape = [&](int k) -> const LinkShape& { return problem_.shapes[static_cast<std::size_t>(k)]; };
  const auto material = [&](int k) { return found.material[static_cast<std::size_t>(k)]; };
  const ShapeType later = shape(near.later).type, other = shape(near.other).type;
  const bool later_first = later != other ? later < other : near.later < near.other;
  const int one = later_first ? near.later : near.other, two = later_first ? near.other : near.later;
  LinkPair pair{found.kinds[static_cast<std::size_t>(found.n_materials * material(one) + material(two))],
                one,
                two,
                0,
                contact_slots(shape(one).type, shape(two).type),
                later_first};
  pair.kind.link = shape(near.later).link;
  pair.kind.other = shape(near.other).link;
  pair.kind.mobility = found.mobility[static_cast<std::size_t>(one)] + found.mobility[static_cast<std::size_t>(two)];
  pair.is_found = true;
  return pair;
}

/// The contacts of two shapes, in lanes in which they touch.
template <class P>
void TileContacts<P>::touch(const LinkPair& pair) {
  place(pair.shape_1);
  place(pair.shape_2);
  ContactPoint<P> points[most_contact_slots];
  pair_contacts(shapes_[static_cast<std::size_t>(pair.shape_1)], shapes_[static_cast<std::size_t>(pair.shape_2)],
                points, pair.kind.margin);
  const P margin(pair.kind.margin);
  for (int slot = 0; slot < pair.slots; ++slot) {
    const auto touches = points[slot].distance < margin;
    if (!any(touches)) continue;
    slots_.push_back({pair.first_slot + slot, pair.first_moves, pair.shape_1, pair.shape_2, pair.is_found});
    kinds_.push_back({pair.kind});
    n_columns_ += columns_of(pair.kind);
    if (!normals_.empty()) last_normal_.push_back(normals_[static_cast<std::size_t>(pair.first_slot + slot)]);
    const Mat3<P> axes = contact_frame(points[slot]);
    const Vec3<P>& at = points[slot].position;
    // a distance without a contact may be too large to compute with
    for (const P& x : {select(touches, points[slot].distance, margin), at.x, at.y, at.z}) places_.push_back(x);
    for (const Vec3<P>* axis : {&axes.row0, &axes.row1, &axes.row2})
      for (const P& x : {axis->x, axis->y, axis->z}) places_.push_back(pair.first_moves ? -x : x);
  }
}

/// The contacts of this tile, and where they are.
template <class P>
void TileContacts<P>::find(const ModelView<P>& m, P* w) {
  ++time_;
  LinkPasses::places<P>(m, w, [&](int i, const Transform<P>& X_iw) TANDEM_INLINE {
    links_[static_cast<std::size_t>(i)] = X_iw;
  });
  for (std::size_t k = 0; k < shapes_.size(); ++k) {
    const LinkShape& of = problem_.shapes[k];
    if (of.link == 0) continue;
    const Transform<P>& X = links_[static_cast<std::size_t>(of.link)];
    shapes_[k].pose.p = transpose_mul_add(X.E, Vec3<P>{P(of.p[0]), P(of.p[1]), P(of.p[2])}, X.r);
  }
  n_columns_ = 0;
  slots_.clear();
  kinds_.clear();
  places_.clear();
  last_normal_.clear();
  if (finder_) find_near();
  const Index n_found = finder_ ? finder_->near.n() : 0;
  Index next = 0;
  const auto touch_found = [&](int end) {  // pairs in the order of links: listed ones of a link, then found ones
    for (; next < n_found; ++next) {
      const NearShapes::Pair& near = finder_->near.pairs()[next];
      if (problem_.shapes[static_cast<std::size_t>(near.later)].link >= end) return;
      touch(found_pair(near));
    }
  };
  for (std::size_t k = 0; k < near_.size(); ++k) {
    const LinkPair& pair = problem_.pairs[k];
    touch_found(pair.kind.link);
    if (near_[k].never_apart || is_near(near_[k])) touch(pair);
  }
  touch_found(std::numeric_limits<int>::max());
  n_contacts_ = static_cast<int>(slots_.size());
  forces_.resize(static_cast<std::size_t>(Index{6} * n_contacts_));
}

}  // namespace tandem::inline TANDEM_ISA
