// SPDX-License-Identifier: Apache-2.0
/// Actuators, from a description to a model and under its edits.
#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "core/at.hpp"
#include "description.hpp"
#include "storage.hpp"

namespace tandem {

using model_detail::storage_of;

std::span<const Actuator> actuators(const Model& model) { return storage_of(model).actuators; }

int activations(const Model& model) {
  return static_cast<int>(std::ranges::count_if(
      actuators(model), [](const Actuator& each) { return each.dynamics != ActivationDynamics::none; }));
}

std::span<const double> controls(const Model& model, int configuration) {
  static_cast<void>(model.configuration(configuration));  // that there is one
  const std::size_t n = actuators(model).size();
  return std::span(storage_of(model).configuration_ctrl).subspan(static_cast<std::size_t>(configuration) * n, n);
}

}  // namespace tandem

namespace tandem::model_detail {

namespace {

bool is_range(const std::array<double, 2>& range) { return range[0] <= range[1]; }

}  // namespace

void check_actuators(const Description& d, const Tree& tree, Findings& findings) {
  Names names, tendons, frames;
  for (const TendonDescription& tendon : d.tendons()) tendons.add(tendon.name);
  for (int link = 0; link < d.n_links(); ++link) frames.add(d.link(link).name);
  for (const FrameDescription& frame : d.frames()) frames.add(frame.name);
  for (const ActuatorDescription& actuator : d.actuators()) {
    const auto problem = [&](const auto&... parts) { findings.problem(d.where(actuator), parts...); };
    if (actuator.name.empty())
      problem("actuator without a name");
    else if (const int before = names.size(); names.add(actuator.name) != before)
      problem("duplicate actuator name ", in_quotes(actuator.name));
    if (!std::isfinite(actuator.gear) || !finite(actuator.gain) || !finite(actuator.bias))
      problem("has a gear, gain or bias that is not finite");
    for (const auto& [name, range] : {std::pair{"ctrl_range", actuator.ctrl_range},
                                      {"force_range", actuator.force_range},
                                      {"act_range", actuator.act_range}})
      if (!is_range(range)) problem(name, " is ", range[0], " to ", range[1], ", expected lower <= upper");
    if (!(actuator.time_constant >= 0) || std::isinf(actuator.time_constant))
      problem("time_constant is ", actuator.time_constant, ", expected a finite number of 0 or more");
    if (*to_string(actuator.dynamics) == '\0') problem("has unknown activation dynamics");
    if (!actuator.joint.empty() + !actuator.tendon.empty() + !actuator.frame.empty() > 1)
      problem("acts on more than one of joint, tendon and frame, expected one");
    if (!finite(actuator.wrench)) problem("has a wrench that is not finite");
    for (const auto& [kind, name, known] :
         {std::tuple{"tendon", &actuator.tendon, &tendons}, {"frame", &actuator.frame, &frames}})
      if (!name->empty() && known->find(*name) < 0)
        problem(element(kind, *name), " does not exist", findings.suggestion(*name, *known));
    if (actuator.joint.empty()) continue;
    const std::string joint = element("joint", actuator.joint);
    const int j = tree.joints.find(actuator.joint);
    if (j < 0)
      problem(joint, " does not exist", findings.suggestion(actuator.joint, tree.joints));
    else if (const JointKind& kind = joint_kind(d.joint(j).type); kind.nv != 1)
      problem(joint, " is ", kind.name, " and has ", kind.nv, " degrees of freedom, expected one");
  }
  for (const ConfigurationDescription& configuration : d.configurations())
    for (const ActuatorControl& control : configuration.controls) {
      if (names.find(control.actuator) < 0)
        findings.problem(d.where(configuration), element("actuator", control.actuator), " does not exist",
                         findings.suggestion(control.actuator, names));
      if (!std::isfinite(control.ctrl))
        findings.problem(d.where(configuration), "the control of ", element("actuator", control.actuator),
                         " is not finite");
    }
}

void hold(std::vector<ActuatorDescription>& actuators, std::span<const TendonDescription> tendons,
          std::string_view joint, double q) {
  for (const TendonDescription& tendon : tendons) {
    const TendonPart held = part_of(tendon, joint, q);
    if (held.parts == 0) continue;
    const auto ends = [&](ActuatorDescription& actuator) {
      if (actuator.tendon != tendon.name) return false;
      for (auto* line : {&actuator.gain, &actuator.bias}) (*line)[0] += (*line)[1] * actuator.gear * held.length;
      return held.parts == tendon.joints.size();
    };
    std::erase_if(actuators, ends);
  }
  std::erase_if(actuators, [&](const ActuatorDescription& actuator) { return actuator.joint == joint; });
}

}  // namespace tandem::model_detail
