// SPDX-License-Identifier: Apache-2.0
/// Joints that follow other joints.
#include <algorithm>

#include "core/at.hpp"
#include "description.hpp"

namespace tandem::model_detail {

namespace {

/// The joint that a joint says it follows, or -1 with the problem noted.
int named_source(const Description& d, const Tree& tree, int j, Findings& findings) {
  const JointDescription& joint = d.joint(j);
  const int source = tree.joints.find(joint.mimic);
  const auto refuse = [&](const std::string& why) {
    findings.problem(d.where(joint), "mimics joint ", in_quotes(joint.mimic), ", ", why);
    return -1;
  };
  if (source < 0) return refuse("which does not exist" + findings.suggestion(joint.mimic, tree.joints));
  if (source == j) return refuse("which is itself; expected another joint");
  constexpr const char* expected = "; expected a revolute, continuous, prismatic or helical joint";
  const JointType type = d.joint(source).type;
  if (!is_one_dof(joint.type)) return refuse(sentence("but is ", to_string(joint.type), expected));
  if (!is_one_dof(type)) return refuse(sentence("which is ", to_string(type), expected));
  return source;
}

}  // namespace

Mimics resolve_mimics(const Description& d, const Tree& tree, Findings& findings) {
  Mimics mimics;
  for (int j = 0; j < d.n_joints(); ++j) {
    const JointDescription& joint = d.joint(j);
    if (joint.mimic.empty()) continue;
    if (joint.type == JointType::fixed) {
      findings.warning(d.where(joint), "mimics joint ", in_quotes(joint.mimic), " but is fixed; this has no effect");
      continue;
    }
    if (mimics.empty()) mimics.resize(at(d.n_joints()));
    mimics[at(j)] = {named_source(d, tree, j, findings), joint.multiplier, joint.offset};
  }

  // A joint that follows a follower follows its source: q_j = m_j (m_s q + o_s) + o_j. Lines of followers are
  // walked to an end that is known already, and settled on the way back.
  enum State : char { open, on_line, settled };
  std::vector<char> state(mimics.size(), open);
  std::vector<int> line;
  for (int start = 0; at(start) < mimics.size(); ++start) {
    int j = start;
    while (state[at(j)] == open && mimics[at(j)].source >= 0) {
      state[at(j)] = on_line;
      line.push_back(j);
      j = mimics[at(j)].source;
    }
    if (state[at(j)] == on_line)
      findings.problem(d.where(d.joint(j)), "mimics ", in_quotes(d.joint(j).mimic),
                       ", which depends on it: expected an independent joint at the end of mimic joints");
    for (; !line.empty(); line.pop_back()) {
      Mimic& mimic = mimics[at(line.back())];
      const Mimic& source = mimics[at(mimic.source)];
      if (source.source >= 0 && state[at(mimic.source)] == settled) {
        mimic = {source.source, mimic.multiplier * source.multiplier, mimic.multiplier * source.offset + mimic.offset};
      }
      state[at(line.back())] = settled;
    }
    state[at(j)] = settled;
  }
  return mimics;
}

}  // namespace tandem::model_detail
