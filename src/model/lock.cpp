// SPDX-License-Identifier: Apache-2.0
/// Joints that are held where they are.
#include <algorithm>
#include <cmath>

#include "core/text.hpp"
#include "described.hpp"
#include "edit.hpp"
#include "pose.hpp"
#include "tandem/error.hpp"

namespace tandem {
namespace model_detail {

bool lies_outside(const JointDescription& joint, std::span<const double> q) {
  return joint_kind(joint.type).has_range && q.size() == 1 && (q[0] < joint.lower || q[0] > joint.upper);
}

std::string locked_outside(const JointDescription& joint, double q) {
  return sentence(element("joint", joint.name), " is locked at ", q, ", outside of its limits ", joint.lower, " and ",
                  joint.upper);
}

JointDescription locked(const JointDescription& joint, std::span<const double> q) {
  const JointKind& kind = joint_kind(joint.type);
  const auto refuse = [&](const auto&... why) {
    throw Error(sentence(element("joint", joint.name), " cannot be locked: ", why...));
  };
  if (q.size() != static_cast<std::size_t>(kind.nq))
    refuse("its position has ", q.size(), " numbers, expected ", kind.nq);
  for (const double x : q)
    if (!std::isfinite(x)) refuse("its position has ", x, ", expected finite numbers");
  if (kind.quaternion >= 0 &&
      std::ranges::all_of(q.subspan(static_cast<std::size_t>(kind.quaternion), 4), [](double x) { return x == 0; }))
    refuse("its quaternion is zero");
  // a robot of this joint alone knows how it moves
  JointDescription alone = {.name = joint.name, .type = joint.type, .parent = "parent", .child = "child"};
  alone.placement = joint.placement;
  alone.axis = joint.axis;
  alone.pitch = joint.pitch;
  alone.source = joint.source;
  const Model one = ModelBuilder(joint.name)
                        .link({.name = "parent"})
                        .link({.name = "child", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}})
                        .joint(std::move(alone))
                        .build();
  const auto& m = one.view<double>();
  const Transform<double> X = on_joint_at<double>(
      m, 1, q.data(), [&](auto kind_of) { return joint_transform<double>(kind_of, m, 1, q.data()); });
  JointDescription fixed = {.name = joint.name, .parent = joint.parent, .child = joint.child};
  fixed.placement = pose(between_described(m, 1, X));
  fixed.source = joint.source;
  return fixed;
}

}  // namespace model_detail
}  // namespace tandem
