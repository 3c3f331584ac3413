// SPDX-License-Identifier: Apache-2.0
/// Whether the numbers by which the arrays of a compiled model refer to each other do so. Those that MuJoCo has made
/// always do.
#include <algorithm>

#include "core/at.hpp"
#include "mjcf_parts.hpp"
#include "tandem/error.hpp"

namespace tandem::io {
namespace {

/// The first fault is told: what follows from it is no news.
class MujocoCheck {
 public:
  MujocoCheck(const MujocoModel& model, const std::string& file) : m_(model), file_(file) {}

  void all() const {
    bodies();
    joints();
    each("site_bodyid", m_.site_bodyid, 0, size(m_.body_parentid));
    each("geom_bodyid", m_.geom_bodyid, 0, size(m_.body_parentid));
    shapes();
    constraints();
    actuators();
    tendons();
    fields("numeric", m_.numeric_adr, m_.numeric_size, m_.numeric_data.size());
    fields("text", m_.text_adr, m_.text_size, m_.text_data.size());
  }

 private:
  static int size(const auto& array) { return static_cast<int>(array.size()); }
  static int of(const std::vector<int>& values, int k) {
    return k < size(values) ? values[static_cast<std::size_t>(k)] : 0;
  }

  void require(const char* array, int k, int given, int low, int end) const {
    if (low <= given && given < end) return;
    const std::string expected = end <= low       ? std::string("none: there are no such elements")
                                 : end == low + 1 ? std::to_string(low)
                                                  : sentence(low, " to ", end - 1);
    throw ModelError({{{file_, 0, {}}, sentence(array, "[", k, "] is ", given, ", expected ", expected)}});
  }
  void each(const char* array, const std::vector<int>& values, int low, int end) const {
    for (int k = 0; k < size(values); ++k) require(array, k, of(values, k), low, end);
  }

  /// The world first, every body behind the one that it hangs from.
  void bodies() const {
    for (int b = 0; b < size(m_.body_parentid); ++b)
      require("body_parentid", b, of(m_.body_parentid, b), 0, b == 0 ? 1 : b);
  }
  /// Joints in the order of their bodies, with room for their numbers.
  void joints() const {
    int next = 0;
    const int n = size(m_.jnt_type), nq = size(m_.qpos0), nv = size(m_.dof_armature);
    for (int b = 0; b < size(m_.body_parentid); ++b) {
      const int count = of(m_.body_jntnum, b);
      require("body_jntnum", b, count, 0, b == 0 ? 1 : n - next + 1);
      if (count > 0) require("body_jntadr", b, of(m_.body_jntadr, b), next, next + 1);
      next += count;
    }
    if (next != n)
      throw ModelError(
          {{{file_, 0, {}}, sentence("there are ", n, " joints in jnt_type, and ", next, " in body_jntnum")}});
    for (int j = 0; j < n; ++j) {
      const int type = of(m_.jnt_type, j);
      const int rows = type == mj_free   ? 7
                       : type == mj_ball ? 4
                                         : 1,
                degrees = type == mj_free   ? 6
                          : type == mj_ball ? 3
                                            : 1;
      require("jnt_qposadr", j, of(m_.jnt_qposadr, j), 0, nq - rows + 1);
      require("jnt_dofadr", j, of(m_.jnt_dofadr, j), 0, nv - degrees + 1);
    }
  }
  /// Shapes with their meshes and hulls, pairs of them, and bodies whose shapes do not touch.
  void shapes() const {
    const int meshes = size(m_.mesh_vertadr), vertices = size(m_.mesh_vert) / 3, graph = size(m_.mesh_graph);
    each("geom_type", m_.geom_type, 0, 9);
    for (int g = 0; g < size(m_.geom_type); ++g)
      if (of(m_.geom_type, g) == 7 && (at(g) >= m_.geom_unread.size() || m_.geom_unread[at(g)].empty()))
        require("geom_dataid", g, of(m_.geom_dataid, g), 0, meshes);
    for (int k = 0; k < meshes; ++k) {
      const int first = of(m_.mesh_vertadr, k), count = of(m_.mesh_vertnum, k);
      require("mesh_vertadr", k, first, 0, vertices + 1);
      require("mesh_vertnum", k, count, 0, vertices - first + 1);
      const int hull = k < size(m_.mesh_graphadr) ? of(m_.mesh_graphadr, k) : -1;
      if (hull < 0) continue;
      require("mesh_graphadr", k, hull, 0, graph - 1);
      const int corners = of(m_.mesh_graph, hull);
      require("mesh_graph", hull, corners, 0, (graph - hull - 2) / 2 + 1);
      for (int c = hull + 2 + corners; c < hull + 2 + 2 * corners; ++c)
        require("mesh_graph", c, of(m_.mesh_graph, c), 0, count);
    }
    each("pair_geom1", m_.pair_geom1, 0, size(m_.geom_bodyid));
    each("pair_geom2", m_.pair_geom2, 0, size(m_.geom_bodyid));
    if (m_.pair_geom1.size() != m_.pair_geom2.size())
      require("pair_geom2 has a length that", 0, size(m_.pair_geom2), size(m_.pair_geom1), size(m_.pair_geom1) + 1);
    for (int k = 0; k < size(m_.exclude_signature); ++k) {
      require("exclude_signature", k, of(m_.exclude_signature, k) >> 16, 0, size(m_.body_parentid));
      require("exclude_signature", k, of(m_.exclude_signature, k) & 0xFFFF, 0, size(m_.body_parentid));
    }
  }
  void constraints() const {
    const int n = size(m_.eq_type), bodies = size(m_.body_parentid), sites = size(m_.site_bodyid),
              joints = size(m_.jnt_type);
    for (int eq = 0; eq < n; ++eq) {
      const int type = of(m_.eq_type, eq), first = of(m_.eq_obj1id, eq), second = of(m_.eq_obj2id, eq);
      if (type == mj_joint_equality) {
        require("eq_obj1id", eq, first, 0, joints);
        require("eq_obj2id", eq, second, -1, joints);
      } else if (type == mj_tendon_equality) {
        require("eq_obj1id", eq, first, 0, size(m_.name_tendonadr));
        require("eq_obj2id", eq, second, -1, size(m_.name_tendonadr));
      } else if (type == mj_connect || type == mj_weld) {
        const int end = of(m_.eq_objtype, eq) == mj_site ? sites : bodies;
        require("eq_obj1id", eq, first, 0, end);
        require("eq_obj2id", eq, second, 0, end);
      }
    }
  }
  void actuators() const {
    const int n = size(m_.actuator_trntype);
    for (int k = 0; k < n; ++k)
      switch (of(m_.actuator_trntype, k)) {
        case mj_joint_actuator:
        case mj_joint_in_parent:
          require("actuator_trnid", 2 * k, of(m_.actuator_trnid, 2 * k), -1, size(m_.jnt_type));
          break;
        case mj_tendon_actuator:
          require("actuator_trnid", 2 * k, of(m_.actuator_trnid, 2 * k), 0, size(m_.name_tendonadr));
          break;
        case mj_site_actuator:
          require("actuator_trnid", 2 * k, of(m_.actuator_trnid, 2 * k), 0, size(m_.site_bodyid));
          break;
        default: break;
      }
    each("actuator_outadr", m_.actuator_outadr, 0, size(m_.actuator_gear) / 6);
    each("actuator_ctrladr", m_.actuator_ctrladr, -1, std::max(size(m_.actuator_ctrllimited), 1));
    each("actuator_ctrlnum", m_.actuator_ctrlnum, 0, size(m_.actuator_ctrllimited) + 1);
  }
  void tendons() const {
    const int n = size(m_.tendon_adr), parts = size(m_.wrap_type);
    for (int k = 0; k < n; ++k) {
      const int first = of(m_.tendon_adr, k), count = of(m_.tendon_num, k);
      require("tendon_adr", k, first, 0, parts + 1);
      require("tendon_num", k, count, 0, parts - first + 1);
      for (int part = first; part < first + count; ++part) {
        if (of(m_.wrap_type, part) != mj_joint_of_tendon) continue;
        const int joint = of(m_.wrap_objid, part);
        require("wrap_objid", part, joint, 0, size(m_.jnt_type));
        require("jnt_type", joint, of(m_.jnt_type, joint), mj_slide, mj_hinge + 1);
      }
    }
  }
  void fields(const char* kind, const std::vector<int>& starts, const std::vector<int>& sizes,
              std::size_t numbers) const {
    const std::string adr = std::string(kind) + "_adr", length = std::string(kind) + "_size";
    const int end = static_cast<int>(numbers);
    for (int k = 0; k < size(starts); ++k) {
      require(adr.c_str(), k, of(starts, k), 0, end + 1);
      require(length.c_str(), k, of(sizes, k), 0, end - of(starts, k) + 1);
    }
  }

  const MujocoModel& m_;
  const std::string& file_;
};

}  // namespace

void check_mujoco(const MujocoModel& model, const std::string& file) { MujocoCheck(model, file).all(); }

}  // namespace tandem::io
