// SPDX-License-Identifier: Apache-2.0
#include "part_model.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "tandem/error.hpp"

namespace tandem::mpi {
namespace {

std::string link_name(Index i) { return "link" + std::to_string(i); }

ChainLink checked(ChainLink described, Index i) {
  const auto refuse = [&](const char* why) { throw Error("link " + std::to_string(i) + " of the chain: " + why); };
  if (described.joint.type == JointType::fixed) refuse("its joint is fixed; merge the two links");
  if (!described.joint.mimic.empty()) refuse("its joint is a mimic joint, which chains over processes do not support");
  described.link.name = link_name(i);
  described.joint.name = "joint" + std::to_string(i);
  described.joint.parent = link_name(i - 1);
  described.joint.child = described.link.name;
  return described;
}

template <class T>
void append_rows(std::vector<T>& to, const T* from, Index rows, Index first, Index end) {
  to.insert(to.end(), from + rows * first, from + rows * end);
}

}  // namespace

PartModel::PartModel(Index first, Index end, Index links, const std::function<ChainLink(Index)>& describe,
                     const std::array<double, 3>& gravity) {
  if (end - first >= std::numeric_limits<std::int32_t>::max() / 8)
    throw Error("part of a chain: too many links for one process, " + std::to_string(end - first));
  const auto rows = static_cast<std::size_t>(end - first + 1);
  for (auto* list : {&parent_, &q_index_, &v_index_}) list->reserve(rows);
  type_.reserve(rows);
  slides_.reserve(rows);
  placement_.reserve(12 * rows);
  frame_placement_.reserve(12 * rows);
  inertia_.reserve(10 * rows);
  // A link's numbers depend on the axes of its joint and of its two neighbours'. So they are taken from models of a few
  // thousand links with one more at each end, and are those of the whole chain's model.
  constexpr Index at_once = 4096;
  for (Index begin = first; begin < end; begin += at_once) {
    const Index stop = std::min(begin + at_once, end);
    const Index from = begin > 1 ? begin - 1 : 1, to = stop <= links ? stop : links;
    ModelBuilder builder("chain");
    builder.gravity(gravity).reserve(static_cast<std::size_t>(to - from + 2));
    builder.link({.name = link_name(from - 1)});
    for (Index i = from; i <= to; ++i) {
      ChainLink link = checked(describe(i), i);
      if (i == stop) {  // carries what lies behind it, which may be all that this joint moves
        link.link.mass = 1;
        link.link.inertia = {1, 0, 0, 1, 0, 1};
      }
      builder.joint(std::move(link.joint)).link(std::move(link.link));
    }
    const Model piece = builder.build();
    if (begin == first) append(piece, static_cast<int>(begin - from), static_cast<int>(begin - from) + 1);
    append(piece, static_cast<int>(begin - from) + 1, static_cast<int>(stop - from) + 1);
  }
  view_.parent = parent_.data();
  view_.type = type_.data();
  view_.q_index = q_index_.data();
  view_.v_index = v_index_.data();
  view_.slides = slides_.data();
  view_.placement = placement_.data();
  view_.inertia = inertia_.data();
  view_.armature = armature_.data();
  view_.frame_placement = frame_placement_.data();
}

void PartModel::append(const Model& piece, int first, int end) {
  const ModelView<double>& m = piece.view<double>();
  std::copy(std::begin(m.base_acceleration), std::end(m.base_acceleration), std::begin(view_.base_acceleration));
  append_rows(type_, m.type, 1, first, end);
  append_rows(slides_, m.slides, 1, first, end);
  append_rows(placement_, m.placement, 12, first, end);
  append_rows(inertia_, m.inertia, 10, first, end);
  append_rows(frame_placement_, m.frame_placement, 12, first, end);
  for (int i = first; i < end; ++i) {
    parent_.push_back(view_.n_links - 1);
    q_index_.push_back(view_.nq);
    v_index_.push_back(view_.nv);
    if (view_.n_links++ == 0) continue;  // the link before has no joint here
    const int nv = joint_nv(m.type[i]);
    append_rows(armature_, m.armature + m.v_index[i], 1, 0, nv);
    view_.nq += joint_nq(m.type[i]);
    view_.nv += nv;
  }
  view_.n_dof = view_.nv;
  view_.n_frames = view_.n_links;
  view_.depth = view_.n_links - 1;
}

}  // namespace tandem::mpi
