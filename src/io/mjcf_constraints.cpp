// SPDX-License-Identifier: Apache-2.0
/// Constraints of a model that MuJoCo has compiled: what Tandem has an equivalent for, and warnings of the rest.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/at.hpp"
#include "mjcf_parts.hpp"

namespace tandem::io {

int MujocoReader::rigid_root(int body) const {
  while (body > 0 && of(m_.body_jntnum, body) == 0) body = of(m_.body_parentid, body);
  return body;
}

std::vector<double> MujocoReader::custom_numbers(const std::string& name) const {
  std::vector<double> numbers;
  for (int k = 0; k < static_cast<int>(m_.numeric_adr.size()); ++k)
    for (int i = 0; given_name(m_.name_numericadr, k) == name && i < of(m_.numeric_size, k); ++i)
      numbers.push_back(of(m_.numeric_data, of(m_.numeric_adr, k) + i));
  return numbers;
}

void MujocoReader::add_equalities() {
  for (int eq = 0; eq < static_cast<int>(m_.eq_type.size()); ++eq) {
    const std::string name = name_of(m_.name_eqadr, "equality", eq);
    if (!m_.equalities) {
      warn("equality", name, "is ignored: it is disabled");
      continue;
    }
    if (of(m_.eq_active0, eq, 1) == 0) {
      warn("equality", name, "is ignored: it is inactive");
      continue;
    }
    switch (of(m_.eq_type, eq)) {
      case mj_connect:
      case mj_weld: add_loop(eq, name); break;
      case mj_joint_equality: add_follower(eq, name); break;
      case mj_tendon_equality: add_tendon_equality(eq, name); break;
      default: warn("equality", name, "is ignored: constraints of distances and flexes are not supported");
    }
  }
}

void MujocoReader::add_loop(int eq, const std::string& name) {
  if (name.ends_with(on_axis) &&
      custom_numbers(std::string(loop_axis_field) + name.substr(0, name.size() - on_axis.size())).size() == 3)
    return;  // the other half of a revolute loop
  const bool weld = of(m_.eq_type, eq) == mj_weld, sites = of(m_.eq_objtype, eq) == mj_site;
  const int first = of(m_.eq_obj1id, eq), second = of(m_.eq_obj2id, eq);
  LoopDescription loop;
  loop.type = weld ? JointType::fixed : JointType::spherical;
  loop.source = source("equality", name);
  loop.softness = softness_of(eq);
  const int width = static_cast<int>(m_.eq_data.size() / m_.eq_type.size());
  if (weld && width > 10) loop.torque_scale = of(m_.eq_data, eq * width + 10);
  int body_1 = first, body_2 = second;
  if (sites) {
    body_1 = of(m_.site_bodyid, first);
    body_2 = of(m_.site_bodyid, second);
    loop.placement_1 = pose(row<3>(m_.site_pos, first), row<4>(m_.site_quat, first));
    loop.placement_2 = pose(row<3>(m_.site_pos, second), row<4>(m_.site_quat, second));
  } else if (weld) {  // an anchor in body 2, then the pose of body 2 in body 1
    const std::array<double, 4> turned = row<4>(m_.eq_data, eq, 6, width);
    loop.placement_1 = pose(row<3>(m_.eq_data, eq, 3, width), turned);
    loop.placement_2.position = row<3>(m_.eq_data, eq, 0, width);
  } else {  // the anchor in both
    loop.placement_1.position = row<3>(m_.eq_data, eq, 0, width);
    loop.placement_2.position = row<3>(m_.eq_data, eq, 3, width);
  }
  if (const auto axis = custom_numbers(std::string(loop_axis_field) + name); !weld && axis.size() == 3) {
    loop.type = JointType::revolute;
    loop.axis = {axis[0], axis[1], axis[2]};
  }
  if (rigid_root(body_1) == rigid_root(body_2)) {
    warn("equality", name, "is ignored: no joint is between the bodies that it connects");
    return;
  }
  loop.link_1 = body_names_[at(body_1)];
  loop.link_2 = body_names_[at(body_2)];
  loop.name = joint_names_.take(name, "_loop");
  robot_.loop(std::move(loop));
}

/// A joint that follows another one linearly is a mimic joint, if none is followed in a circle.
void MujocoReader::add_follower(int eq, const std::string& name) {
  const int follower = of(m_.eq_obj1id, eq), leader = of(m_.eq_obj2id, eq);
  const auto reference = [&](int j) { return j < 0 ? 0 : of(m_.qpos0, of(m_.jnt_qposadr, j)); };
  const auto p = polynomial(eq, reference(follower), reference(leader));
  JointDescription& joint = joints_[joint_at_[at(follower)]];
  bool in_circle = !joint.mimic.empty();
  for (std::string next = leader < 0 ? std::string() : jnt_names_[at(leader)]; !next.empty() && !in_circle;) {
    in_circle = next == joint.name;
    next = std::ranges::find(joints_, next, &JointDescription::name)->mimic;
  }
  if (leader < 0 || in_circle || p[2] != 0 || p[3] != 0 || p[4] != 0) {
    robot_.coupler({.name = coupler_names_.take(name, "_"),
                     .first = joint.name,
                     .second = leader < 0 ? std::string() : jnt_names_[at(leader)],
                     .polynomial = p,
                     .softness = softness_of(eq),
                     .source = source("equality", name)});
    return;
  }
  joint.mimic = jnt_names_[at(leader)];
  joint.multiplier = p[1];
  joint.offset = p[0];
  joint.mimic_softness = softness_of(eq);
}

void MujocoReader::add_tendon_equality(int eq, const std::string& name) {
  const int first = of(m_.eq_obj1id, eq), second = of(m_.eq_obj2id, eq);
  for (const int tendon : {first, second})
    if (tendon >= 0 && tendon_names_[at(tendon)].empty()) {
      warn("equality", name, "is ignored: spatial tendons are not supported");
      return;
    }
  const auto reference = [&](int k) {
    double length = 0;
    if (k < 0) return length;
    for (int part = of(m_.tendon_adr, k); part < of(m_.tendon_adr, k) + of(m_.tendon_num, k); ++part)
      length += of(m_.wrap_prm, part) * of(m_.qpos0, of(m_.jnt_qposadr, of(m_.wrap_objid, part)));
    return length;
  };
  robot_.coupler({.name = coupler_names_.take(name, "_"),
                   .element = CoupledElement::tendon,
                   .first = tendon_names_[at(first)],
                   .second = second < 0 ? std::string() : tendon_names_[at(second)],
                   .polynomial = polynomial(eq, reference(first), reference(second)),
                   .softness = softness_of(eq),
                   .source = source("equality", name)});
}

/// Of x_1 = x_1,0 + p(x_2 - x_2,0), with the references that MuJoCo measures from.
std::array<double, 5> MujocoReader::polynomial(int eq, double reference_1, double reference_2) const {
  const int width = static_cast<int>(m_.eq_data.size() / m_.eq_type.size());
  auto p = row<5>(m_.eq_data, eq, 0, width);
  if (of(m_.eq_obj2id, eq) < 0) p = {p[0], 0, 0, 0, 0};
  for (std::size_t first = 0; first < 4; ++first)  // Horner's scheme, again and again: p(x - reference_2)
    for (std::size_t k = 4; k-- > first;) p[k] -= reference_2 * p[k + 1];
  p[0] += reference_1;
  return p;
}

ContactSoftness MujocoReader::softness_of(int eq) const {
  ContactSoftness softness;
  if (!m_.eq_solref.empty()) softness.solref = row<2>(m_.eq_solref, eq);
  if (!m_.eq_solimp.empty()) softness.solimp = row<5>(m_.eq_solimp, eq);
  return softness;
}

void MujocoReader::read_limits() {
  for (int k = 0; k < static_cast<int>(m_.numeric_adr.size()); ++k) {
    const std::string name = given_name(m_.name_numericadr, k);
    for (const auto& [field, limit] :
         {std::pair{velocity_field, &JointDescription::velocity}, {effort_field, &JointDescription::effort}}) {
      if (!name.starts_with(field)) continue;
      const auto joint = std::ranges::find(joints_, name.substr(field.size()), &JointDescription::name);
      if (joint != joints_.end()) (*joint).*limit = of(m_.numeric_data, of(m_.numeric_adr, k));
    }
  }
}

}  // namespace tandem::io
