// SPDX-License-Identifier: Apache-2.0
/// Configurations that have names.
#include <algorithm>
#include <set>

#include "core/at.hpp"
#include "description.hpp"

namespace tandem::model_detail {

Positions resolve_configurations(const Description& d, const Tree& tree, const Mimics& mimics, Findings& findings) {
  Positions all;
  std::set<std::string_view> names;
  for (const ConfigurationDescription& configuration : d.configurations()) {
    const auto problem = [&](const auto&... parts) { findings.problem(d.where(configuration), parts...); };
    if (configuration.name.empty())
      problem("configuration without a name");
    else if (!names.insert(configuration.name).second)
      problem("duplicate configuration name ", in_quotes(configuration.name));
    std::set<int> placed;
    std::vector<int>& joints = all.emplace_back();
    for (const JointPosition& position : configuration.positions) {
      const std::string joint = element("joint", position.joint);
      const int j = joints.emplace_back(tree.joints.find(position.joint));
      if (j < 0) {
        problem(joint, " does not exist", findings.suggestion(position.joint, tree.joints));
        continue;
      }
      const JointKind& kind = joint_kind(d.joint(j).type);
      const std::span<const double> q = position.q;
      if (!placed.insert(j).second) problem(joint, " occurs twice");
      if (!mimics.empty() && mimics[at(j)].source >= 0)
        problem(joint, " follows ", element("joint", d.joint(mimics[at(j)].source).name),
                ": give the position of that joint");
      else if (std::ssize(q) != kind.nq)
        problem(joint, " is ", kind.name, " and has ", q.size(), " numbers there, expected ", kind.nq);
      else if (!finite(q))
        problem(joint, " has a number that is not finite");
      else if (kind.quaternion >= 0 &&
               std::ranges::all_of(q.subspan(at(kind.quaternion), 4), [](double x) { return x == 0; }))
        problem(joint, " has a quaternion of zeros");
    }
  }
  return all;
}

}  // namespace tandem::model_detail
