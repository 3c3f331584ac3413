// SPDX-License-Identifier: Apache-2.0
/// What moves a robot in MuJoCo and has no equivalent here: a warning of each kind of it.
#include <algorithm>
#include <utility>

#include "core/at.hpp"
#include "mjcf_parts.hpp"

namespace tandem::io {

namespace {

std::string plural(const std::string& kind) {
  if (kind.ends_with('y')) return kind.substr(0, kind.size() - 1) + "ies";
  return kind + (kind.ends_with('x') ? "es" : "s");
}

}  // namespace

void MujocoReader::remark(const char* kind, const std::string& name, std::string what) {
  const auto same = std::ranges::find_if(
      remarks_, [&](const Remark& r) { return std::string_view(r.kind) == kind && r.what == what; });
  if (same != remarks_.end()) return same->names.push_back(name);
  remarks_.push_back({kind, std::move(what), {name}});
}

void MujocoReader::add_warnings() {
  constexpr std::size_t most_named = 3;
  for (const Remark& r : remarks_) {
    const std::size_t n = r.names.size();
    if (n == 1) {
      robot_.warning(source(r.kind, r.names[0]), r.what);
      continue;
    }
    std::string of = std::to_string(n) + ' ' + plural(r.kind);
    for (std::size_t k = 0; k < std::min(n, most_named); ++k) of += (k == 0 ? " " : ", ") + in_quotes(r.names[k]);
    if (n > most_named) of += ", ...";
    robot_.warning({file_, 0, std::move(of)}, "each " + r.what);
  }
}

void MujocoReader::remark_joint(int j) {
  const std::string& name = jnt_names_[at(j)];
  const int type = of(m_.jnt_type, j), dof = of(m_.jnt_dofadr, j);
  const auto any = [](const std::array<double, 2>& x) { return x[0] != 0 || x[1] != 0; };
  if (m_.springs && any(row<2>(m_.jnt_stiffnesspoly, j)))
    warn("joint", name, "has a spring with higher powers of the position, which are ignored");
  if (m_.damping && any(row<2>(m_.dof_dampingpoly, dof)))
    warn("joint", name, "has damping with higher powers of the velocity, which are ignored");
  if (of(m_.jnt_springyield, j) != 0) warn("joint", name, "has a spring with a time constant, which is ignored");
  if (joints_.back().limit_softness.margin != 0)
    warn("joint", name,
         "has limits with a margin, which acts only in simulations with contacts and in contact dynamics");
  if (type == mj_free && joints_.back().stiffness != 0) {
    warn("joint", name, "has a spring, which is ignored for this joint type");
    joints_.back().stiffness = 0;
  }
  if (type == mj_free && joints_.back().armature != 0)
    warn("joint", name,
         "has armature, which MuJoCo applies along the axes of the world and Tandem along those of the body");
}

void MujocoReader::remark_rest() {
  const auto each = [&](const char* kind, const std::vector<int>& starts, const auto&... why) {
    for (int k = 0; k < static_cast<int>(starts.size()); ++k) warn(kind, name_of(starts, kind, k), why...);
  };
  each("flex", m_.name_flexadr, "is ignored: deformable bodies are not supported");
  each("pair", m_.name_pairadr, "acts only in calls with a ContactSet");
  for (int body = 1; body < n_bodies(); ++body) {
    const std::string& name = body_names_[at(body)];
    if (of(m_.body_mocapid, body, -1) >= 0) warn("body", name, "is a mocap body, which does not move in Tandem");
    if (of(m_.body_plugin, body, -1) >= 0) warn("body", name, "has a plugin, whose forces are ignored");
  }
  const std::string& robot = robot_.name();
  int touch = 0;
  std::string first;
  for (int g = 0; g < static_cast<int>(m_.geom_contype.size()); ++g) {
    if (of(m_.geom_contype, g) == 0 && of(m_.geom_conaffinity, g) == 0) continue;
    if (touch++ == 0) first = body_names_[at(of(m_.geom_bodyid, g))];
  }
  if (touch > 0)
    warn("robot", robot, "has ", touch, touch == 1 ? " shape" : " shapes", " with collisions enabled, the first on ",
         element("body", first), "; contacts act only in calls with a ContactSet");
  if (m_.density != 0 || m_.viscosity != 0)
    warn("robot", robot, "is in a medium of density ", m_.density, " and viscosity ", m_.viscosity,
         ", whose forces are ignored");
  if (m_.explicit_damping)
    warn("robot", robot, "disables implicit damping (eulerdamp), which Simulation and step have");
  if (m_.short_time_constants)
    warn("robot", robot,
         "allows time constants of contacts and limits below two steps (refsafe); two steps are the least");
  if (m_.noslip_iterations > 0)
    warn("robot", robot, "asks for iterations against slip (noslip_iterations), which are left out");
  if (m_.exact_diagonal)
    warn("robot", robot, "asks for the exact diagonal of the constraint space (diagexact), which is left out");
  if (m_.sensors > 0)
    warn("robot", robot, "has ", m_.sensors, m_.sensors == 1 ? " sensor" : " sensors",
         ", not part of the model; in Python Sensors.from_mjcf of tandem.sensors reads them");
  const std::size_t nq = m_.qpos0.size(), keys = nq > 0 ? m_.key_qpos.size() / nq : 0;
  for (const auto& [what, of_keys] : {std::pair{"velocities", &m_.key_qvel}, {"activations", &m_.key_act}}) {
    const auto rows = static_cast<std::ptrdiff_t>(keys > 0 ? of_keys->size() / keys : 0);
    for (std::size_t k = 0; k < keys; ++k) {
      const auto x = of_keys->begin() + static_cast<std::ptrdiff_t>(k) * rows;
      if (std::any_of(x, x + rows, [](double number) { return number != 0; }))
        warn("key", name_of(m_.name_keyadr, "key", static_cast<int>(k)), "has ", what, ", which are ignored");
    }
  }
}

}  // namespace tandem::io
