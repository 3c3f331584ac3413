// SPDX-License-Identifier: Apache-2.0
/// The bodies, joints, sites and keyframes of a model that MuJoCo has compiled.
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/at.hpp"
#include "mjcf_parts.hpp"
#include "xml.hpp"

namespace tandem {
namespace io {

namespace {

/// R diag(moments) R^T as xx xy xz yy yz zz.
std::array<double, 6> turned_moments(const std::array<double, 9>& R, const std::array<double, 3>& moments) {
  const auto entry = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += R[3 * i + k] * moments[k] * R[3 * j + k];
    return sum;
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

std::array<double, 3> scaled(const std::array<double, 3>& a, double x) { return {x * a[0], x * a[1], x * a[2]}; }

std::array<double, 3> between(const std::array<double, 3>& from, const std::array<double, 3>& to) {
  return {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
}

}  // namespace

std::string MujocoReader::model_name() const {
  const std::string name = m_.names.c_str();
  return name.empty() ? "robot" : name;
}

std::string MujocoReader::given_name(const std::vector<int>& starts, int k) const {
  const int start = of(starts, k, -1);
  return start >= 0 && at(start) < m_.names.size() ? std::string(m_.names.c_str() + start) : std::string();
}

std::string MujocoReader::name_of(const std::vector<int>& starts, const char* kind, int k) const {
  const std::string given = given_name(starts, k);
  return given.empty() ? kind + std::to_string(k) : given;
}

/// The names of all elements of a kind. Those that have one keep it.
std::vector<std::string> MujocoReader::names_of(const std::vector<int>& starts, const char* kind, int count,
                                                Taken& taken) {
  std::vector<std::string> names(at(count));
  for (int k = 0; k < count; ++k)
    if (const std::string given = given_name(starts, k); !given.empty()) names[at(k)] = taken.take(given, "_");
  for (int k = 0; k < count; ++k)
    if (names[at(k)].empty()) names[at(k)] = taken.take(name_of(starts, kind, k), "_");
  return names;
}

/// Bodies first, then what may have the same names.
void MujocoReader::name_all() {
  for (std::size_t k = 0; k < m_.text_adr.size(); ++k) {
    if (given_name(m_.name_textadr, static_cast<int>(k)) != base_field) continue;
    base_ = m_.text_data.c_str() + std::min(at(m_.text_adr[k]), m_.text_data.size());
  }
  body_names_ = names_of(m_.name_bodyadr, "body", n_bodies(), link_names_);
  for (int body = 1; body < n_bodies() && !base_.empty(); ++body) {
    const std::string_view wanted = base_ == "world" ? base_field : std::string_view(base_);
    if (base_body_ != 0 || body_names_[at(body)] != wanted || of(m_.body_parentid, body) != 0 ||
        of(m_.body_jntnum, body) != 0)
      continue;
    base_body_ = body;
    body_names_[0] = body_names_[at(body)] = base_;
  }
  jnt_names_ = names_of(m_.name_jntadr, "joint", n_joints(), joint_names_);
  const auto is_nameless_and_free = [&](int j) {
    return of(m_.jnt_type, j) == mj_free && given_name(m_.name_jntadr, j).empty();
  };
  std::vector<int> floating;
  for (int j = 0; j < n_joints(); ++j)
    if (is_nameless_and_free(j)) floating.push_back(j);
  if (floating.size() == 1) jnt_names_[at(floating[0])] = joint_names_.take("floating_base", "_");
}

/// A joint at its own anchor: hinges and slides are at zero where q is 0, not where the robot was described.
JointDescription MujocoReader::joint_of(int j) const {
  JointDescription joint;
  joint.name = jnt_names_[at(j)];
  joint.source = source("joint", joint.name);
  const int type = of(m_.jnt_type, j), q = of(m_.jnt_qposadr, j), dof = of(m_.jnt_dofadr, j);
  const double reference = of(m_.qpos0, q);
  joint.damping = m_.damping ? of(m_.dof_damping, dof) : 0;
  joint.friction = m_.friction ? of(m_.dof_frictionloss, dof) : 0;
  joint.armature = of(m_.dof_armature, dof);
  if (!m_.jnt_solref.empty()) {
    joint.limit_softness.solref = row<2>(m_.jnt_solref, j);
    joint.limit_softness.solimp = row<5>(m_.jnt_solimp, j);
    joint.friction_softness.solref = row<2>(m_.dof_solref, dof);
    joint.friction_softness.solimp = row<5>(m_.dof_solimp, dof);
  }
  const bool limited = m_.limits && of(m_.jnt_limited, j) != 0;
  if (limited) joint.limit_softness.margin = of(m_.jnt_margin, j);
  joint.stiffness = m_.springs ? of(m_.jnt_stiffness, j) : 0;
  switch (type) {
    case mj_free: joint.type = JointType::free; return joint;
    case mj_ball:
      joint.type = JointType::spherical;
      if (limited) joint.upper = std::ranges::max(row<2>(m_.jnt_range, j));
      return joint;
    case mj_slide:
    case mj_hinge: break;
    default: throw ModelError({{joint.source, sentence("has type ", type, ", which is not a joint type of MuJoCo")}});
  }
  joint.axis = row<3>(m_.jnt_axis, j);
  joint.rest = of(m_.qpos_spring, q);
  if (limited) {
    const auto range = row<2>(m_.jnt_range, j);
    if (range[0] > -mjcf_unlimited) joint.lower = range[0];
    if (range[1] < mjcf_unlimited) joint.upper = range[1];
  }
  if (type == mj_slide) {
    joint.type = JointType::prismatic;
    joint.placement.position = scaled(joint.axis, -reference);
  } else {
    joint.type = limited ? JointType::revolute : JointType::continuous;
    const double c = std::cos(reference / 2), s = -std::sin(reference / 2);
    if (reference != 0)
      joint.placement.rotation = rotation_from_quaternion(s * joint.axis[0], s * joint.axis[1], s * joint.axis[2], c);
  }
  return joint;
}

void MujocoReader::add_body(int body) {
  const std::string& name = body_names_[at(body)];
  LinkDescription link;
  link.name = name;
  link.mass = of(m_.body_mass, body);
  link.com = row<3>(m_.body_ipos, body);
  const Pose principal = pose({}, row<4>(m_.body_iquat, body));
  link.inertia = turned_moments(principal.rotation, row<3>(m_.body_inertia, body));
  link.source = source("body", name);
  const bool passive = m_.springs || m_.damping;  // without both MuJoCo computes no passive forces at all
  link.carried_mass = passive ? of(m_.body_gravcomp, body) * link.mass : 0;
  link.carried_com = link.com;
  if (body == 0) {
    if (base_body_ == 0) robot_.link({.name = name, .source = link.source});
    return;
  }
  robot_.link(link);
  if (body == base_body_) return;

  const int first = of(m_.body_jntadr, body), count = of(m_.body_jntnum, body);
  Pose from_parent = pose(row<3>(m_.body_pos, body), row<4>(m_.body_quat, body));
  std::string carrier = body_names_[at(of(m_.body_parentid, body))];
  std::array<double, 3> anchor{};
  for (int j = first; j < first + count; ++j) {
    JointDescription joint = joint_of(j);
    const bool free = joint.type == JointType::free;
    const auto own_anchor = free ? std::array<double, 3>{} : row<3>(m_.jnt_pos, j);
    if (!free) joint.placement = from_parent * Pose{between(anchor, own_anchor)} * joint.placement;
    const bool carries_body = j == first + count - 1 && own_anchor == std::array<double, 3>{};
    joint.parent = carrier;
    joint.child = carries_body ? name : link_names_.take(name + ":" + joint.name, "_");
    if (!carries_body) robot_.link({.name = joint.child, .source = link.source});
    carrier = joint.child;
    anchor = own_anchor;
    from_parent = {};
    joint_at_.push_back(joints_.size());
    joints_.push_back(joint);
    remark_joint(j);
  }
  if (carrier == name) return;
  JointDescription fixed;
  fixed.name = joint_names_.take(name, "_fixed");
  fixed.parent = carrier;
  fixed.child = name;
  fixed.placement = from_parent * Pose{scaled(anchor, -1)};
  fixed.source = link.source;
  joints_.push_back(fixed);
}

void MujocoReader::add_sites() {
  for (int k = 0; k < static_cast<int>(m_.site_bodyid.size()); ++k) {
    const std::string given = name_of(m_.name_siteadr, "site", k);
    std::string& name = site_names_.emplace_back();
    if (given.starts_with(loop_site)) continue;
    name = link_names_.take(given, "_site");
    robot_.frame({name, body_names_[at(of(m_.site_bodyid, k))], pose(row<3>(m_.site_pos, k), row<4>(m_.site_quat, k)),
                  source("site", name)});
  }
}

/// Keyframes and, where it is not neutral, the state that MuJoCo resets to.
void MujocoReader::add_keys() {
  const int nq = static_cast<int>(m_.qpos0.size());
  Taken names;
  const auto add = [&](const std::string& name, const std::vector<double>& q, int first, int key) {
    ConfigurationDescription configuration;
    configuration.name = names.take(name, "_");
    configuration.source = source("key", name);
    for (int j = 0; j < n_joints(); ++j) {
      const JointDescription& joint = joints_[joint_at_[at(j)]];
      if (!joint.mimic.empty()) continue;
      const int start = first + of(m_.jnt_qposadr, j);
      JointPosition position;
      position.joint = jnt_names_[at(j)];
      const int nq_j = joint_nq(joint.type);
      for (int k = 0; k < nq_j; ++k) position.q.push_back(of(q, start + k));
      // w comes first there
      if (nq_j > 1) std::ranges::rotate(position.q.end() - 4, position.q.end() - 3, position.q.end());
      configuration.positions.push_back(std::move(position));
    }
    const int controls = static_cast<int>(control_names_.size());
    for (int c = 0; key >= 0 && c < controls; ++c)  // each in its own place
      configuration.controls.push_back({control_names_[at(c)], of(m_.key_ctrl, key * controls + c)});
    robot_.configuration(std::move(configuration));
  };
  if (nq == 0) return;
  const int keys = static_cast<int>(m_.key_qpos.size()) / nq;
  for (int k = 0; k < keys; ++k) add(name_of(m_.name_keyadr, "key", k), m_.key_qpos, k * nq, k);
  bool neutral = true;
  for (int j = 0; j < n_joints(); ++j) {
    const int start = of(m_.jnt_qposadr, j), type = of(m_.jnt_type, j);
    const int real = type == mj_free   ? 3
                     : type == mj_ball ? 0
                                       : -1,
              count = type == mj_free   ? 7
                      : type == mj_ball ? 4
                                        : 1;
    for (int k = 0; k < count; ++k) neutral = neutral && of(m_.qpos0, start + k) == (k == real ? 1 : 0);
  }
  if (!neutral) add("qpos0", m_.qpos0, 0, -1);
}

ModelBuilder MujocoReader::read() {
  name_all();
  auto g = m_.falls ? m_.gravity : std::array<double, 3>{};
  robot_.gravity(g);
  robot_.reserve(at(n_bodies()));
  for (int body = 0; body < n_bodies(); ++body) add_body(body);
  add_sites();
  read_limits();
  add_shapes();
  add_tendons();
  add_actuators();
  add_equalities();
  for (const JointDescription& joint : joints_) robot_.joint(joint);
  add_keys();
  remark_rest();
  add_warnings();
  return std::move(robot_);
}

}  // namespace io

Model load_mjcf(const std::string& path, const BuildOptions& options) { return read_mjcf_file(path).build(options); }

Model parse_mjcf(std::string_view text, const BuildOptions& options, const std::string& name) {
  return read_mjcf(text, name).build(options);
}

bool is_mjcf(std::string_view text) {
  bool found = false;
  const auto start = [&](const io::XmlElement& first) {
    found = first.name == "mujoco" || first.name == "mujocoinclude";
    return false;
  };
  if (!io::is_binary(text)) io::parse_xml(text, {start, [] {}});
  return found;
}

ModelBuilder read_mujoco(const MujocoModel& model, const std::string& name) {
  io::check_mujoco(model, name);
  return io::MujocoReader(model, name).read();
}

}  // namespace tandem
