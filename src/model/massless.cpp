// SPDX-License-Identifier: Apache-2.0
/// Joints that move nothing: the mass matrix has a row of zeros for them.
#include "core/at.hpp"
#include "description.hpp"

namespace tandem::model_detail {

namespace {

/// [n_links] whether a link, or anything that hangs from it, has inertia.
std::vector<char> branches_with_inertia(const Description& d, const Tree& tree) {
  std::vector<char> heavy(at(d.n_links()));
  for (auto link = tree.order.rbegin(); link != tree.order.rend(); ++link) {
    if (has_inertia(d.link(*link))) heavy[at(*link)] = 1;
    if (const int parent = tree.parent_link(*link); parent >= 0 && heavy[at(*link)]) heavy[at(parent)] = 1;
  }
  return heavy;
}

}  // namespace

void check_massless(const Description& d, const Tree& tree, const Mimics& mimics, Findings& findings) {
  const std::vector<char> heavy = branches_with_inertia(d, tree);
  std::vector<char> resists(at(d.n_joints()), 0);  // whether it takes a force to accelerate a joint
  bool any_moves = false, any_heavy = false, any_idle = false;
  for (int j = 0; j < d.n_joints(); ++j) {
    if (d.joint(j).type == JointType::fixed) continue;
    any_moves = true;
    if (heavy[at(tree.child[at(j)])]) any_heavy = true;
    const bool follows = !mimics.empty() && mimics[at(j)].source >= 0 && mimics[at(j)].multiplier != 0;
    if (heavy[at(tree.child[at(j)])] || d.joint(j).armature > 0) {
      resists[at(j)] = 1;
      if (follows) resists[at(mimics[at(j)].source)] = 1;
    }
  }
  if (!any_moves) return;

  std::vector<char> reported(at(d.n_links()), 0);  // links under a joint that has been reported
  for (const int link : tree.order) {
    const int j = tree.carrier[at(link)];
    if (j < 0) continue;
    if (reported[at(tree.parent[at(j)])]) {
      reported[at(link)] = 1;
      continue;
    }
    const bool follows = !mimics.empty() && mimics[at(j)].source >= 0;
    if (d.joint(j).type == JointType::fixed || follows || resists[at(j)]) continue;
    any_idle = true;
    reported[at(link)] = 1;
    if (any_heavy)
      findings.warning(d.where(d.joint(j)), "link ", in_quotes(d.link(link).name),
                       " and its descendants have no inertia, but this joint moves them; expected mass, "
                       "armature, or a fixed joint",
                       makes_singular);
  }
  if (any_idle && !any_heavy)
    findings.warning(d.where(), "no moving link has inertia: only kinematics can be computed");
}

}  // namespace tandem::model_detail
