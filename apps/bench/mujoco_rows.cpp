// SPDX-License-Identifier: Apache-2.0
/// MuJoCo's C API on the same robots, contacts and constraints off, one state at a time.
#include "rows.hpp"

#ifndef TANDEM_BENCH_MUJOCO

namespace tandem::bench {
void register_mujoco(std::shared_ptr<const Robot>) {}
std::string mujoco_version() { return {}; }
}  // namespace tandem::bench

#else
#include <fmt/core.h>
#include <mujoco/mujoco.h>

#include <cstring>

#include "tandem/model/joint.hpp"

namespace tandem::bench {
namespace {

void set_quaternion(double* wxyz, const Mat3<double>& R) {
  const double rows[9] = {R.row0.x, R.row0.y, R.row0.z, R.row1.x, R.row1.y, R.row1.z, R.row2.x, R.row2.y, R.row2.z};
  mju_mat2Quat(wxyz, rows);
}

mjtJoint joint_type(JointType type) {
  switch (type) {
    case JointType::prismatic: return mjJNT_SLIDE;
    case JointType::spherical: return mjJNT_BALL;
    case JointType::free: return mjJNT_FREE;
    default: return mjJNT_HINGE;
  }
}

/// Built body by body through mjSpec: chains of a thousand links are too deep for its XML reader.
mjModel* build(const Model& robot) {
  const auto& m = robot.view<double>();
  mjSpec* spec = mj_makeSpec();
  spec->compiler.balanceinertia = 0;
  spec->compiler.autolimits = 0;
  spec->compiler.degree = 0;
  std::vector<mjsBody*> bodies(static_cast<std::size_t>(m.n_links));
  bodies[0] = mjs_findBody(spec, "world");
  for (int i = 1; i < m.n_links; ++i) {
    if (m.mimics[i] != 0 || m.type[i] == JointType::planar) throw Error("joint type has no counterpart here");
    mjsBody* body = mjs_addBody(bodies[static_cast<std::size_t>(m.parent[i])], nullptr);
    bodies[static_cast<std::size_t>(i)] = body;
    const auto X = load_transform<double>(m.placement, Index{12} * i);
    const auto I = link_inertia<double>(m, i);
    const double position[3] = {X.r.x, X.r.y, X.r.z};
    std::memcpy(body->pos, position, sizeof position);
    set_quaternion(body->quat, transpose(X.E));
    const auto c = I.m > 0 ? (1 / I.m) * I.h : Vec3<double>::zero();
    const auto central = shift(Inertia<double>{I.m, I.h, I.I}, -c);
    const double com[3] = {c.x, c.y, c.z};
    const double inertia[6] = {central.I.xx, central.I.yy, central.I.zz, central.I.xy, central.I.xz, central.I.yz};
    std::memcpy(body->ipos, com, sizeof com);
    std::memcpy(body->fullinertia, inertia, sizeof inertia);
    body->mass = I.m;
    body->explicitinertial = 1;
    mjsJoint* joint = mjs_addJoint(body, nullptr);
    joint->type = joint_type(m.type[i]);
    const double z[3] = {0, 0, 1};
    std::memcpy(joint->axis, z, sizeof z);
    joint->armature = m.armature[m.v_index[i]];
  }
  mjModel* model = mj_compile(spec, nullptr);
  const std::string why = model ? "" : mjs_getError(spec);
  mj_deleteSpec(spec);
  if (!model) throw Error(why);
  model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  return model;
}

struct Instance {
  mjModel* model;
  mjData* data;
  std::vector<double> out;
  explicit Instance(mjModel* built)
      : model(built), data(mj_makeData(built)), out(static_cast<std::size_t>(built->nv)) {}
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;
  ~Instance() {
    mj_deleteData(data);
    mj_deleteModel(model);
  }
  // the order of a free joint's rows differs here and there; any valid state will do for a timing
  void set(const State& s) {
    std::memcpy(data->qpos, s.q.data(), s.q.size() * sizeof(double));
    std::memcpy(data->qvel, s.v.data(), s.v.size() * sizeof(double));
  }
  void place() {
    mj_kinematics(model, data);
    mj_comPos(model, data);
  }
};

}  // namespace

void register_mujoco(std::shared_ptr<const Robot> robot) {
  if (robot->model.nv() > 2000) return;
  std::shared_ptr<Instance> x;
  try {
    x = std::make_shared<Instance>(build(robot->model));
  } catch (const Error& e) {
    fmt::print(stderr, "{}: left out of MuJoCo's rows: {}\n", robot->name, e.what());
    return;
  }
  add_row("inverse_dynamics", robot, "mujoco_rne", [x](const State& s) {
    x->set(s);
    std::memcpy(x->data->qacc, s.a.data(), s.a.size() * sizeof(double));
    x->place();
    mj_comVel(x->model, x->data);
    mj_rne(x->model, x->data, 1, x->out.data());
  });
  add_row("mass_matrix", robot, "mujoco_crb", [x](const State& s) {
    x->set(s);
    x->place();
    mj_crb(x->model, x->data);
  });
  add_row("forward_dynamics", robot, "mujoco_forward", [x](const State& s) {
    x->set(s);
    std::memcpy(x->data->qfrc_applied, s.tau.data(), s.tau.size() * sizeof(double));
    mj_forward(x->model, x->data);
  });
  add_row("forward_kinematics", robot, "mujoco_kinematics", [x](const State& s) {
    x->set(s);
    mj_kinematics(x->model, x->data);
  });
}

std::string mujoco_version() { return mj_versionString(); }

}  // namespace tandem::bench
#endif
