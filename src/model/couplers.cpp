// SPDX-License-Identifier: Apache-2.0
/// Couplers of joints and of fixed tendons, from a description to a model and back.
#include "tandem/model/couplers.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/at.hpp"
#include "core/text.hpp"
#include "description.hpp"
#include "storage.hpp"

namespace tandem {

std::span<const Coupler> couplers(const Model& model) { return model_detail::storage_of(model).couplers; }

ModelBuilder& ModelBuilder::coupler(CouplerDescription coupler) {
  couplers_.push_back(std::move(coupler));
  return *this;
}

const CouplerDescription* ModelBuilder::find_coupler(std::string_view name) const {
  const auto found = std::ranges::find(couplers_, name, &CouplerDescription::name);
  return found == couplers_.end() ? nullptr : &*found;
}

ModelBuilder& ModelBuilder::remove_coupler(std::string_view name) {
  const CouplerDescription* const found = find_coupler(name);
  if (!found) throw Error(sentence(element("robot", name_), " has no coupler ", in_quotes(name)));
  couplers_.erase(couplers_.begin() + (found - couplers_.data()));
  return *this;
}

void ModelBuilder::forget_couplers(CoupledElement element, std::string_view name) {
  std::erase_if(couplers_, [&](const CouplerDescription& coupler) {
    return coupler.element == element && (coupler.first == name || coupler.second == name);
  });
}

ModelBuilder& ModelBuilder::couple_mimic_joints() {
  const auto follows = [](const JointDescription& joint) {
    return !joint.mimic.empty() && joint_nq(joint.type) == 1;
  };
  for (ConfigurationDescription& configuration : configurations_) {
    const auto position = [&](const auto& self, const std::string& name, std::size_t depth) -> double {
      const JointDescription* const joint = find_joint(name);
      if (joint && follows(*joint) && depth < joints_.size())
        return joint->multiplier * self(self, joint->mimic, depth + 1) + joint->offset;
      for (const JointPosition& placed : configuration.positions)
        if (placed.joint == name && placed.q.size() == 1) return placed.q[0];
      return 0;
    };
    std::vector<JointPosition> followed;
    for (const JointDescription& joint : joints_)
      if (follows(joint)) followed.push_back({joint.name, {position(position, joint.name, 0)}});
    configuration.positions.insert(configuration.positions.end(), followed.begin(), followed.end());
  }
  for (JointDescription& joint : joints_) {
    if (joint.mimic.empty()) continue;
    if (joint.type != JointType::fixed)
      couplers_.push_back({.name = joint.name,
                            .first = joint.name,
                            .second = joint.mimic,
                            .polynomial = {joint.offset, joint.multiplier, 0, 0, 0},
                            .softness = joint.mimic_softness,
                            .source = joint.source});
    joint.mimic.clear();
    joint.multiplier = 1;
    joint.offset = 0;
  }
  return *this;
}

}  // namespace tandem

namespace tandem::model_detail {

void check_couplers(const Description& d, const Tree& tree, Findings& findings) {
  Names names, tendons;
  for (const TendonDescription& tendon : d.tendons()) tendons.add(tendon.name);
  for (const CouplerDescription& coupler : d.couplers()) {
    const auto problem = [&](const auto&... parts) { findings.problem(d.where(coupler), parts...); };
    if (coupler.name.empty())
      problem("coupler without a name");
    else if (const int before = names.size(); names.add(coupler.name) != before)
      problem("duplicate coupler name ", in_quotes(coupler.name));
    const bool of_joints = coupler.element == CoupledElement::joint;
    const auto check = [&](const std::string& name) {
      const std::string what = element(of_joints ? "joint" : "tendon", name);
      const Names& known = of_joints ? tree.joints : tendons;
      const int k = known.find(name);
      if (k < 0)
        problem(what, " does not exist", findings.suggestion(name, known));
      else if (of_joints && joint_kind(d.joint(k).type).nv != 1)
        problem(what, " is ", joint_kind(d.joint(k).type).name, " and has ", joint_kind(d.joint(k).type).nv,
                " degrees of freedom, expected one");
    };
    check(coupler.first);
    if (!coupler.second.empty()) check(coupler.second);
    if (coupler.first == coupler.second) problem("connects ", in_quotes(coupler.first), " to itself, expected two");
    if (!finite(coupler.polynomial)) problem("has a polynomial that is not finite");
    if (!finite(coupler.softness.solref) || !finite(coupler.softness.solimp))
      problem("has a softness that is not finite");
    findings.warning(d.where(coupler), acts_with_contacts);
  }
}

void describe_couplers(const Model& model, ModelBuilder& robot) {
  for (const Coupler& coupler : couplers(model)) {
    const auto name = [&](int k) {
      return k < 0 ? std::string()
                   : coupler.element == CoupledElement::joint ? std::string(model.joint_name(k))
                                                               : tendons(model)[at(k)].name;
    };
    robot.coupler({.name = coupler.name,
                    .element = coupler.element,
                    .first = name(coupler.first),
                    .second = name(coupler.second),
                    .polynomial = coupler.polynomial,
                    .softness = coupler.softness});
  }
}

std::array<double, 5> shifted(const std::array<double, 5>& p, double by) {
  std::array<double, 5> q = p;  // Horner's scheme, again and again: p(x + by)
  for (std::size_t first = 0; first < 4; ++first)
    for (std::size_t k = 4; k-- > first;) q[k] += by * q[k + 1];
  return q;
}

namespace {

/// x = x' + by, of a joint or tendon; `for_good`: x' is 0. The couplers that end with it.
std::vector<std::string> move(std::vector<CouplerDescription>& couplers, CoupledElement element,
                              std::string_view name, double by, bool for_good) {
  std::vector<std::string> ended;
  std::erase_if(couplers, [&](CouplerDescription& coupler) {
    if (coupler.element != element) return false;
    if (coupler.second == name) {
      coupler.polynomial = shifted(coupler.polynomial, by);
      if (for_good) {
        coupler.second.clear();
        coupler.polynomial = {coupler.polynomial[0], 0, 0, 0, 0};
      }
    }
    if (coupler.first != name) return false;
    coupler.polynomial[0] -= by;
    if (for_good) ended.push_back(coupler.name);
    return for_good;
  });
  return ended;
}

}  // namespace

std::vector<std::string> hold(std::vector<CouplerDescription>& couplers, std::span<const TendonDescription> tendons,
                              std::string_view joint, double q) {
  std::vector<std::string> ended = move(couplers, CoupledElement::joint, joint, q, true);
  for (const TendonDescription& tendon : tendons) {
    const auto [by, parts] = part_of(tendon, joint, q);
    if (parts == 0) continue;
    for (std::string& name : move(couplers, CoupledElement::tendon, tendon.name, by, parts == tendon.joints.size()))
      ended.push_back(std::move(name));
  }
  return ended;
}

}  // namespace tandem::model_detail
