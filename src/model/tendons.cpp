// SPDX-License-Identifier: Apache-2.0
/// Fixed tendons, from a description to a model and back.
#include "tandem/model/tendons.hpp"

#include <algorithm>
#include <cmath>

#include "core/at.hpp"
#include "core/text.hpp"
#include "description.hpp"
#include "storage.hpp"

namespace tandem {

std::span<const Tendon> tendons(const Model& model) { return model_detail::storage_of(model).tendons; }

std::vector<double> tendon_lengths(const Model& model, std::span<const double> q) {
  if (q.size() != at(model.nq()))
    throw Error(sentence("tendon_lengths: q has ", q.size(), " numbers, expected ", model.nq(),
                         ": this robot has nq = ", model.nq()));
  std::vector<double> lengths;
  for (const Tendon& tendon : tendons(model)) {
    double& length = lengths.emplace_back(0);
    for (const Tendon::Part& part : tendon.joints) {
      const MimicRule rule = model.mimic_rule(part.joint);
      const double own = q[at(model.q_index(part.joint))];
      length += part.coefficient * (rule.joint ? rule.multiplier * own + rule.offset : own);
    }
  }
  return lengths;
}

}  // namespace tandem

namespace tandem::model_detail {

void check_tendons(const Description& d, const Tree& tree, Findings& findings) {
  Names names;
  for (const TendonDescription& tendon : d.tendons()) {
    const auto problem = [&](const auto&... parts) { findings.problem(d.where(tendon), parts...); };
    if (tendon.name.empty())
      problem("tendon without a name");
    else if (const int before = names.size(); names.add(tendon.name) != before)
      problem("duplicate tendon name ", in_quotes(tendon.name));
    if (tendon.joints.empty()) problem("has no joints, expected one or more");
    for (const TendonJoint& part : tendon.joints) {
      const std::string joint = element("joint", part.joint);
      const int j = tree.joints.find(part.joint);
      if (j < 0)
        problem(joint, " does not exist", findings.suggestion(part.joint, tree.joints));
      else if (const JointKind& kind = joint_kind(d.joint(j).type); kind.nv != 1)
        problem(joint, " is ", kind.name, " and has ", kind.nv, " degrees of freedom, expected one");
      if (!std::isfinite(part.coefficient)) problem("the coefficient of ", joint, " is not finite");
    }
    for (const auto& [what, x] :
         {std::pair{"friction", tendon.friction}, {"stiffness", tendon.stiffness}, {"damping", tendon.damping}})
      if (!(x >= 0) || std::isinf(x)) problem(what, " is ", x, ", expected a finite number of 0 or more");
    if (!(tendon.lower < tendon.upper))
      problem("limits are ", tendon.lower, " and ", tendon.upper, ", expected lower < upper");
    if (!finite(tendon.rest) || tendon.rest[0] > tendon.rest[1])
      problem("rest is ", tendon.rest[0], " to ", tendon.rest[1], ", expected finite numbers with lower <= upper");
    for (const ContactSoftness* softness : {&tendon.limit_softness, &tendon.friction_softness})
      if (!finite(softness->solref) || !finite(softness->solimp) || !std::isfinite(softness->margin))
        problem("has a softness that is not finite");
    findings.warning(d.where(tendon), acts_with_contacts);
  }
}

void describe_tendons(const Model& model, ModelBuilder& robot) {
  for (const Tendon& tendon : tendons(model)) {
    TendonDescription described = {.name = tendon.name,
                                   .lower = tendon.lower,
                                   .upper = tendon.upper,
                                   .friction = tendon.friction,
                                   .stiffness = tendon.stiffness,
                                   .damping = tendon.damping,
                                   .rest = tendon.rest,
                                   .limit_softness = tendon.limit_softness,
                                   .friction_softness = tendon.friction_softness};
    for (const Tendon::Part& part : tendon.joints)
      described.joints.push_back({std::string(model.joint_name(part.joint)), part.coefficient});
    robot.tendon(std::move(described));
  }
}

TendonPart part_of(const TendonDescription& tendon, std::string_view joint, double q) {
  TendonPart sum;
  for (const TendonJoint& part : tendon.joints) {
    if (part.joint != joint) continue;
    sum.length += part.coefficient * q;
    ++sum.parts;
  }
  return sum;
}

void hold(TendonDescription& tendon, std::string_view joint, double q) {
  for (const TendonJoint& part : tendon.joints) {
    if (part.joint != joint) continue;
    for (double* length : {&tendon.lower, &tendon.upper, &tendon.rest[0], &tendon.rest[1]})
      *length -= part.coefficient * q;
  }
  std::erase_if(tendon.joints, [&](const TendonJoint& part) { return part.joint == joint; });
}

}  // namespace tandem::model_detail
