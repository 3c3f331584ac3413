// SPDX-License-Identifier: Apache-2.0
/// libFuzzer target: any bytes as the arrays of a model that MuJoCo has compiled, and as text that may be MJCF.
/// Whatever they are, a description comes out or an Error; what can be built can be written as MJCF, or a ModelError
/// says what MJCF has no word for. The text itself is for MuJoCo's own compiler, which this is no test of.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.hpp"
#include "tandem/io/mjcf.hpp"

namespace {

constexpr std::size_t longest_input = 8 * 1024;

using tandem::fuzz::Bytes;
using tandem::fuzz::require;

void fill(std::vector<double>& x, int n, Bytes& from) {
  for (int k = 0; k < n; ++k) x.push_back(from.number());
}
void fill(std::vector<int>& x, int n, int end, Bytes& from) {
  for (int k = 0; k < n; ++k) x.push_back(from.index(end));
}

/// Names one after the other, as MuJoCo keeps them.
void name(tandem::MujocoModel& m, std::vector<int>& starts, int n, Bytes& from) {
  for (int k = 0; k < n; ++k) {
    starts.push_back(static_cast<int>(m.names.size()));
    m.names += from.text(4);
    m.names += '\0';
  }
}

void add_bodies(tandem::MujocoModel& m, Bytes& from) {
  const int n = 1 + from.below(7);
  name(m, m.name_bodyadr, n, from);
  for (int b = 0; b < n; ++b) {
    m.body_parentid.push_back(b < 2 ? 0 : from.index(b));
    const int joints = b == 0 ? 0 : from.index(3);
    m.body_jntadr.push_back(static_cast<int>(m.jnt_type.size()));
    m.body_jntnum.push_back(joints);
    for (int j = 0; j < joints && j < 4; ++j) {
      const int type = from.index(4),
                rows = type == 0   ? 7
                       : type == 1 ? 4
                                   : 1,
                degrees = type == 0   ? 6
                          : type == 1 ? 3
                                      : 1;
      m.jnt_type.push_back(type);
      m.jnt_qposadr.push_back(static_cast<int>(m.qpos0.size()));
      m.jnt_dofadr.push_back(static_cast<int>(m.dof_armature.size()));
      fill(m.qpos0, rows, from);
      for (auto* x : {&m.dof_armature, &m.dof_damping, &m.dof_frictionloss}) fill(*x, degrees, from);
    }
  }
  fill(m.body_mocapid, from.below(2) * n, 2, from);
  fill(m.body_pos, 3 * n, from);
  fill(m.body_quat, 4 * n, from);
  fill(m.body_ipos, 3 * n, from);
  fill(m.body_iquat, 4 * n, from);
  fill(m.body_mass, n, from);
  fill(m.body_inertia, 3 * n, from);
}

void add_joints(tandem::MujocoModel& m, Bytes& from) {
  const int n = static_cast<int>(m.jnt_type.size());
  name(m, m.name_jntadr, n, from);
  m.qpos_spring = m.qpos0;
  fill(m.jnt_limited, n, 2, from);
  fill(m.jnt_actfrclimited, n, 2, from);
  fill(m.jnt_pos, 3 * n, from);
  fill(m.jnt_axis, 3 * n, from);
  fill(m.jnt_stiffness, n, from);
  fill(m.jnt_range, 2 * n, from);
  fill(m.jnt_actfrcrange, 2 * n, from);
  fill(m.key_qpos, from.below(3) * static_cast<int>(m.qpos0.size()), from);
}

void add_rest(tandem::MujocoModel& m, Bytes& from) {
  const int bodies = static_cast<int>(m.body_parentid.size()), joints = static_cast<int>(m.jnt_type.size());
  const int sites = from.below(4), holds = from.below(4), motors = from.below(4), numerics = from.below(3);
  name(m, m.name_siteadr, sites, from);
  fill(m.site_bodyid, sites, bodies, from);
  fill(m.site_pos, 3 * sites, from);
  fill(m.site_quat, 4 * sites, from);
  name(m, m.name_eqadr, holds, from);
  fill(m.eq_type, holds, 4, from);
  fill(m.eq_obj1id, holds, std::max(bodies, joints), from);
  fill(m.eq_obj2id, holds, std::max(bodies, joints), from);
  fill(m.eq_objtype, holds, 8, from);
  fill(m.eq_active0, holds, 2, from);
  fill(m.eq_data, 11 * holds, from);
  name(m, m.name_actuatoradr, motors, from);
  fill(m.actuator_trntype, motors, 2, from);
  fill(m.actuator_dyntype, motors, 2, from);
  fill(m.actuator_trnid, 2 * motors, joints, from);
  fill(m.actuator_gear, 6 * motors, from);
  fill(m.actuator_outadr, from.below(2) * motors, motors, from);
  fill(m.actuator_ctrladr, from.below(2) * motors, motors, from);
  fill(m.actuator_forcelimited, motors, 2, from);
  fill(m.actuator_forcerange, 2 * motors, from);
  fill(m.numeric_data, from.below(5), from);
  for (int k = 0; k < numerics; ++k) {
    m.name_numericadr.push_back(static_cast<int>(m.names.size()));
    constexpr const char* fields[] = {"tandem_velocity_limit:", "tandem_effort_limit:", "tandem_loop_axis:", ""};
    m.names += fields[from.below(4)] + from.text(4);
    m.names += '\0';
    m.numeric_adr.push_back(from.index(4));
    m.numeric_size.push_back(from.index(4));
  }
  m.name_textadr.push_back(static_cast<int>(m.names.size()));
  m.names += "tandem_base";
  m.names += '\0';
  m.text_data = from.text(5);
  m.text_adr.push_back(from.index(3));
  m.text_size.push_back(from.index(3));
}

void add_shapes(tandem::MujocoModel& m, Bytes& from) {
  const int bodies = static_cast<int>(m.body_parentid.size());
  const int shapes = from.below(5), meshes = from.below(3), pairs = from.below(3), excludes = from.below(3);
  name(m, m.name_geomadr, shapes, from);
  fill(m.geom_bodyid, shapes, bodies, from);
  fill(m.geom_type, shapes, 9, from);
  fill(m.geom_contype, shapes, 4, from);
  fill(m.geom_conaffinity, shapes, 4, from);
  fill(m.geom_condim, from.below(2) * shapes, 7, from);
  fill(m.geom_dataid, shapes, meshes, from);
  fill(m.geom_pos, 3 * shapes, from);
  fill(m.geom_quat, 4 * shapes, from);
  fill(m.geom_size, 3 * shapes, from);
  fill(m.geom_friction, 3 * shapes, from);
  fill(m.geom_solref, 2 * shapes, from);
  fill(m.geom_solimp, 5 * shapes, from);
  fill(m.geom_margin, shapes, from);
  for (int k = from.below(2) * shapes; k > 0; --k) m.geom_unread.push_back(from.text(3));
  fill(m.mesh_vert, 3 * from.below(9), from);
  fill(m.mesh_vertadr, meshes, 9, from);
  fill(m.mesh_vertnum, meshes, 9, from);
  fill(m.mesh_graphadr, from.below(2) * meshes, 9, from);
  fill(m.mesh_graph, from.below(20), 5, from);
  fill(m.pair_dim, pairs, 7, from);
  fill(m.pair_geom1, pairs, shapes, from);
  fill(m.pair_geom2, pairs, shapes, from);
  fill(m.pair_friction, 5 * pairs, from);
  for (int k = 0; k < excludes; ++k) m.exclude_signature.push_back(from.index(bodies) << 16 | from.index(bodies));
}

tandem::MujocoModel arrays_of(Bytes from) {
  tandem::MujocoModel m;
  m.names = from.text(5);
  m.names += '\0';
  add_bodies(m, from);
  add_joints(m, from);
  add_rest(m, from);
  add_shapes(m, from);
  return m;
}

template <class F>
bool refused(F&& f) {
  try {
    f();
    return false;
  } catch (const tandem::Error& error) {
    require(std::string_view(error.what()) != "", "every refusal gives a reason");
    return true;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > longest_input) return -1;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  tandem::is_mjcf(input);
  std::optional<tandem::ModelBuilder> robot;
  if (refused([&] { robot = tandem::read_mujoco(arrays_of(Bytes(input)), "fuzz"); })) return 0;
  std::optional<tandem::Model> model;
  if (refused([&] { model = robot->build({}); })) return 0;
  std::string text;
  if (refused([&] { text = tandem::write_mjcf(*robot); })) return 0;
  require(tandem::is_mjcf(text), "what is written is MJCF", text);
  return 0;
}
