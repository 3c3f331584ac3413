// SPDX-License-Identifier: Apache-2.0
/// MuJoCo's C API on the same robots, contacts and constraints off: one state at a time, one after another over a
/// batch, and its own batches.
#include "rivals.hpp"
#include "rollouts.hpp"

#ifndef TANDEM_BENCH_MUJOCO

namespace tandem::bench {
void add_mujoco_rows(Rows&, const PlainRobotPointer&) {}
void add_mujoco_batch_rows(Rows&, const PlainRobotPointer&) {}
void add_mujoco_rollout_rows(Rows&, const PlainRobotPointer&, const RolloutSize&,
                             const std::shared_ptr<const std::vector<double>>&) {}
std::string mujoco_version() { return {}; }
}  // namespace tandem::bench

#else
#include <fmt/core.h>
#include <mujoco/mujoco.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "tandem/error.hpp"
#include "threads.hpp"

#if __has_include(<mujoco/mjbatch.h>)  // MuJoCo 4
#include <mujoco/mjbatch.h>
#define TANDEM_BENCH_MUJOCO_BATCH
#endif

namespace tandem::bench {
namespace {

mjtJoint joint_type(PlainLink::Joint joint) {
  switch (joint) {
    case PlainLink::Joint::prismatic: return mjJNT_SLIDE;
    case PlainLink::Joint::spherical: return mjJNT_BALL;
    case PlainLink::Joint::free: return mjJNT_FREE;
    default: return mjJNT_HINGE;
  }
}

template <std::size_t n>
void copy(double* to, const std::array<double, n>& from) {
  std::copy(from.begin(), from.end(), to);
}

/// Built body by body through mjSpec: chains of a thousand links are too deep for its XML reader. Null if it refuses;
/// says why.
mjModel* build(const PlainRobot& robot) {
  mjSpec* spec = mj_makeSpec();
  spec->compiler.balanceinertia = 0;
  spec->compiler.autolimits = 0;
  spec->compiler.degree = 0;
  std::vector<mjsBody*> bodies(robot.links.size());
  bodies[0] = mjs_findBody(spec, "world");
  int v_index = 0;
  for (std::size_t i = 1; i < robot.links.size(); ++i) {
    const PlainLink& link = robot.links[i];
    const PlainLink::InFrame& f = link.turned;
    mjsBody* body = mjs_addBody(bodies[static_cast<std::size_t>(link.parent)], nullptr);
    bodies[i] = body;
    copy(body->pos, f.position);
    mju_mat2Quat(body->quat, f.rotation.data());
    copy(body->ipos, f.com);
    const Numbers9& I = f.inertia;
    copy(body->fullinertia, std::array{I[0], I[4], I[8], I[1], I[2], I[5]});
    body->mass = link.mass;
    body->explicitinertial = 1;
    mjsJoint* joint = mjs_addJoint(body, nullptr);
    joint->type = joint_type(link.joint);
    copy(joint->axis, f.axis);
    joint->armature = robot.armature[static_cast<std::size_t>(v_index)];
    v_index += link.joint == PlainLink::Joint::free ? 6 : link.joint == PlainLink::Joint::spherical ? 3 : 1;
  }
  mjModel* model = mj_compile(spec, nullptr);
  if (model)
    model->opt.disableflags |= mjDSBL_CONTACT | mjDSBL_CONSTRAINT;
  else
    fmt::print(stderr, "{}: left out of MuJoCo's rows: {}\n", robot.name, mjs_getError(spec));
  mj_deleteSpec(spec);
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
  void set(const double* q, const double* v) {
    std::memcpy(data->qpos, q, static_cast<std::size_t>(model->nq) * sizeof(double));
    std::memcpy(data->qvel, v, static_cast<std::size_t>(model->nv) * sizeof(double));
  }
  void place() {
    mj_kinematics(model, data);
    mj_comPos(model, data);
  }
};

/// Null if MuJoCo cannot take the robot; says why.
std::shared_ptr<Instance> instance(const PlainRobot& robot) {
  if (robot.nv > 2000) return nullptr;
  if (!robot.known_joints) {
    fmt::print(stderr, "{}: left out of MuJoCo's rows: a joint has no counterpart there\n", robot.name);
    return nullptr;
  }
  mjModel* model = build(robot);
  return model ? std::make_shared<Instance>(model) : nullptr;
}

/// Every row: call(q, v, a, tau) is one state.
template <class Add>
void for_each_function(const std::shared_ptr<Instance>& x, Add add) {
  const auto size = static_cast<std::size_t>(x->model->nv) * sizeof(double);
  add("inverse_dynamics", "rne", [x, size](const double* q, const double* v, const double* a, const double*) {
    x->set(q, v);
    std::memcpy(x->data->qacc, a, size);
    x->place();
    mj_comVel(x->model, x->data);
    mj_rne(x->model, x->data, 1, x->out.data());
  });
  add("mass_matrix", "crb", [x](const double* q, const double* v, const double*, const double*) {
    x->set(q, v);
    x->place();
    mj_crb(x->model, x->data);
  });
  add("forward_dynamics", "forward", [x, size](const double* q, const double* v, const double*, const double* tau) {
    x->set(q, v);
    std::memcpy(x->data->qfrc_applied, tau, size);
    mj_forward(x->model, x->data);
  });
  add("inverse_dynamics", "inverse", [x, size](const double* q, const double* v, const double* a, const double*) {
    x->set(q, v);
    std::memcpy(x->data->qacc, a, size);
    mj_inverse(x->model, x->data);
  });
  add("forward_kinematics", "kinematics", [x](const double* q, const double* v, const double*, const double*) {
    x->set(q, v);
    mj_kinematics(x->model, x->data);
  });
}

#ifdef TANDEM_BENCH_MUJOCO_BATCH
using BatchPointer = std::shared_ptr<mjBatch>;

BatchPointer batch_of(const Instance& x, std::int64_t size, int threads) {
  mjBatchConfig config;
  mjb_defaultConfig(&config);
  config.nthread = threads;
  char why[500] = "";
  BatchPointer batch(mjb_makeBatch(x.model, static_cast<int>(size), &config, why, sizeof why), mjb_deleteBatch);
  if (!batch) throw Error(std::string("mjb_makeBatch: ") + why);
  return batch;
}

void fill(const BatchPointer& batch, std::int64_t states, int component, const std::vector<double>& numbers) {
  int size = 0;
  double* state = mjb_stateComponent(batch.get(), component, &size);
  for (std::int64_t b = 0; b < states; ++b)
    std::copy_n(numbers.data() + b * size, size, state + b * mjb_nstate(batch.get()));
}

/// Forward dynamics of every simulation on a pool of threads; the states are in it already.
void add_own_batches(Rows& rows, const PlainRobotPointer& robot, const Instance& x) {
  const PlainState& s = robot->batch;
  for (const int threads : thread_counts()) {
    const auto batch = batch_of(x, compared, threads);
    fill(batch, compared, mjSTATE_QPOS, s.q);
    fill(batch, compared, mjSTATE_QVEL, s.v);
    fill(batch, compared, mjSTATE_QFRC_APPLIED, s.tau);
    mjb_output(batch.get(), "qacc", nullptr, nullptr);
    Row row{"forward_dynamics", robot->name, "mujoco_batch", "mjb_forward"};
    row.batch = compared;
    row.threads = threads;
    row.run = timed([batch] { mjb_forward(batch.get(), nullptr, static_cast<int>(compared), mjSTAGE_ACC); });
    rows.push_back(std::move(row));
  }
}

void add_rollouts(Rows& rows, const PlainRobotPointer& robot, const std::shared_ptr<Instance>& x,
                  const RolloutSize& size, const std::shared_ptr<const std::vector<double>>& tau) {
  x->model->opt.timestep = size.dt;
  const int threads = thread_counts().back();  // a call takes seconds
  Row row{"rollout", robot->name, "mujoco_batch", "mjb_rollout"};
  row.batch = size.instances * size.steps;
  row.threads = threads;
  const BatchPointer batch = batch_of(*x, size.instances, threads);
  row.run = timed([robot, x, batch, size, tau] {
    fill(batch, size.instances, mjSTATE_QPOS, robot->batch.q);  // where ours begin, too
    fill(batch, size.instances, mjSTATE_QVEL, robot->batch.v);
    mjb_rollout(batch.get(), nullptr, static_cast<int>(size.instances), static_cast<int>(size.steps), tau->data(),
                mjSTATE_QFRC_APPLIED, nullptr, 0);
  });
  rows.push_back(std::move(row));
}
#else
void add_own_batches(Rows&, const PlainRobotPointer&, const Instance&) {}
void add_rollouts(Rows&, const PlainRobotPointer&, const std::shared_ptr<Instance>&, const RolloutSize&,
                  const std::shared_ptr<const std::vector<double>>&) {}
#endif

}  // namespace

void add_mujoco_rows(Rows& rows, const PlainRobotPointer& robot) {
  const auto x = instance(*robot);
  if (!x) return;
  for_each_function(x, [&](const char* algorithm, const char* variant, auto call) {
    if (variant == std::string_view("inverse")) return;  // rne is the part of it that our rows do
    add_serial_row(rows, algorithm, robot, "mujoco", variant,
                   [call](const PlainState& s) { call(s.q.data(), s.v.data(), s.a.data(), s.tau.data()); });
  });
}

void add_mujoco_batch_rows(Rows& rows, const PlainRobotPointer& robot) {
  const auto x = instance(*robot);
  if (!x) return;
  for_each_function(x, [&](const char* algorithm, const char* variant, auto call) {
    if (algorithm == std::string_view("forward_kinematics")) return;
    Row row{algorithm, robot->name, "mujoco", variant};
    row.batch = compared;
    row.run = timed([robot, x, call] {
      const PlainState& s = robot->batch;
      const std::int64_t nq = x->model->nq, nv = x->model->nv;
      for (std::int64_t b = 0; b < compared; ++b)
        call(s.q.data() + b * nq, s.v.data() + b * nv, s.a.data() + b * nv, s.tau.data() + b * nv);
    });
    rows.push_back(std::move(row));
  });
  add_own_batches(rows, robot, *x);
}

void add_mujoco_rollout_rows(Rows& rows, const PlainRobotPointer& robot, const RolloutSize& size,
                             const std::shared_ptr<const std::vector<double>>& tau) {
  if (const auto x = instance(*robot)) add_rollouts(rows, robot, x, size, tau);
}

std::string mujoco_version() { return mj_versionString(); }

}  // namespace tandem::bench
#endif
