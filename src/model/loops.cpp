// SPDX-License-Identifier: Apache-2.0
/// Joints that close loops: which links they connect, and descriptions that cannot be.
#include <algorithm>
#include <set>

#include "core/at.hpp"
#include "description.hpp"

namespace tandem::model_detail {

namespace {

/// "fixed, revolute, ... or spherical".
std::string loop_types() {
  std::string names;
  for (int k = 0; k < static_cast<int>(std::size(NamesOf<JointType>::table)); ++k) {
    const auto type = static_cast<JointType>(k);
    if (held_directions(type) != 0)
      names += (names.empty() ? "" : type == JointType::spherical ? " or " : ", ") + std::string(to_string(type));
  }
  return names;
}

/// The link itself, or the one that it is fixed to.
int rigid_with(const Description& d, const Tree& tree, int link) {
  for (int joint = tree.carrier[at(link)]; joint >= 0 && d.joint(joint).type == JointType::fixed;
       joint = tree.carrier[at(link)])
    link = tree.parent[at(joint)];
  return link;
}

}  // namespace

Loops resolve_loops(const Description& d, const Tree& tree, Findings& findings) {
  Loops loops;
  std::set<std::string_view> names;
  for (const LoopDescription& loop : d.loops()) {
    const auto problem = [&](const auto&... parts) { findings.problem(d.where(loop), parts...); };
    if (loop.name.empty())
      problem("loop joint without a name");
    else if (!names.insert(loop.name).second)
      problem("duplicate loop joint name ", in_quotes(loop.name));
    else if (const int joint = tree.joints.find(loop.name); joint >= 0)
      problem("duplicate joint name ", in_quotes(loop.name), ": a joint has this name", in_line(d.joint(joint).source));
    if (held_directions(loop.type) == 0)
      problem("type is ", to_string(loop.type), ", expected a type that can close a loop: ", loop_types());
    const auto find = [&](const std::string& name, const char* role) {
      const int link = name.empty() ? -1 : tree.links.find(name);
      if (name.empty())
        problem("has no ", role, ", expected the name of a link");
      else if (link < 0)
        problem(role, " ", in_quotes(name), " does not exist", findings.suggestion(name, tree.links));
      return link;
    };
    const LoopLinks ends = {find(loop.link_1, "link1"), find(loop.link_2, "link2")};
    loops.push_back(ends);
    if (ends.link_1 < 0 || ends.link_2 < 0 || !tree.is_complete()) continue;
    if (ends.link_1 == ends.link_2)
      problem("connects link ", in_quotes(loop.link_1), " to itself, expected two links");
    else if (rigid_with(d, tree, ends.link_1) == rigid_with(d, tree, ends.link_2))
      problem("is redundant: fixed joints already connect its links ", in_quotes(loop.link_1), " and ",
              in_quotes(loop.link_2));
  }
  return loops;
}

}  // namespace tandem::model_detail
