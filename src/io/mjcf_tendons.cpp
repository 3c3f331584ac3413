// SPDX-License-Identifier: Apache-2.0
/// Fixed tendons of a model that MuJoCo has compiled, and warnings of the others.
#include "core/at.hpp"
#include "mjcf_parts.hpp"

namespace tandem::io {

void MujocoReader::add_tendons() {
  Taken names;
  for (int k = 0; k < static_cast<int>(m_.name_tendonadr.size()); ++k) {
    TendonDescription tendon;
    tendon.name = names.take(name_of(m_.name_tendonadr, "tendon", k), "_");
    tendon.source = source("tendon", tendon.name);
    const int first = of(m_.tendon_adr, k), count = of(m_.tendon_num, k);
    bool is_fixed = count > 0;
    for (int part = first; part < first + count; ++part) {
      is_fixed = is_fixed && of(m_.wrap_type, part) == mj_joint_of_tendon;
      if (is_fixed) tendon.joints.push_back({jnt_names_[at(of(m_.wrap_objid, part))], of(m_.wrap_prm, part)});
    }
    tendon_names_.push_back(is_fixed ? tendon.name : std::string());
    if (!is_fixed) {
      warn("tendon", tendon.name, "is ignored: spatial tendons are not supported");
      continue;
    }
    if (of(m_.tendon_armature, k) != 0) warn("tendon", tendon.name, "has armature, which is ignored");
    if (of(m_.tendon_actfrclimited, k) != 0)
      warn("tendon", tendon.name, "has a limit of the force of all its actuators, which is ignored");
    const auto any = [](const std::array<double, 2>& x) { return x[0] != 0 || x[1] != 0; };
    if ((m_.springs && any(row<2>(m_.tendon_stiffnesspoly, k))) ||
        (m_.damping && any(row<2>(m_.tendon_dampingpoly, k))))
      warn("tendon", tendon.name, "has a spring or damping with higher powers, which are ignored");
    if (m_.limits && of(m_.tendon_limited, k) != 0) {
      const auto range = row<2>(m_.tendon_range, k);
      if (range[0] > -mjcf_unlimited) tendon.lower = range[0];
      if (range[1] < mjcf_unlimited) tendon.upper = range[1];
    }
    tendon.friction = m_.friction ? of(m_.tendon_frictionloss, k) : 0;
    if (m_.springs) tendon.stiffness = of(m_.tendon_stiffness, k);
    if (m_.damping) tendon.damping = of(m_.tendon_damping, k);
    if (tendon.stiffness != 0) tendon.rest = row<2>(m_.tendon_lengthspring, k);
    const auto soften = [&](ContactSoftness& softness, const std::vector<double>& solref,
                            const std::vector<double>& solimp) {
      if (!solref.empty()) softness.solref = row<2>(solref, k);
      if (!solimp.empty()) softness.solimp = row<5>(solimp, k);
    };
    soften(tendon.limit_softness, m_.tendon_solref_lim, m_.tendon_solimp_lim);
    soften(tendon.friction_softness, m_.tendon_solref_fri, m_.tendon_solimp_fri);
    tendon.limit_softness.margin = of(m_.tendon_margin, k);
    robot_.tendon(std::move(tendon));
  }
}

}  // namespace tandem::io
