// SPDX-License-Identifier: Apache-2.0
#include "contacts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

#include "api/contact_solve.hpp"
#include "api/parameters.hpp"
#include "backends/cuda/contact_rollout.hpp"
#include "backends/cuda/contact_tables.hpp"
#include "backends/cuda/replication.hpp"
#include "backends/cuda/rollout_driver.hpp"
#include "measure.hpp"
#include "results.hpp"
#include "robots.hpp"
#include "rollout/law.hpp"
#include "tandem/model/builder.hpp"

namespace tandem::cpu {

/// The processor's kernels are no part of this program, and contact dynamics is not asked for them.
const KernelTables& in_use() { throw Error("gpu_check has no kernels of the processor"); }

}  // namespace tandem::cpu

namespace tandem::gpu_check {
namespace {

/// With a box, a capsule or a sphere on every link, and a floor.
Model with_shapes(const Model& robot) {
  ModelBuilder builder = describe(robot);
  builder.shape({.name = "floor", .link = std::string(robot.link_name(0)), .type = ShapeType::plane});
  for (int i = 1; i < robot.n_links(); ++i) {
    ShapeDescription shape;
    shape.link = robot.link_name(i);
    shape.name = shape.link + "_shape";
    shape.type = i % 4 == 0 ? ShapeType::box : i % 4 == 2 ? ShapeType::capsule : ShapeType::sphere;
    shape.size = {0.04, 0.04, 0.04};
    builder.shape(shape);
  }
  return builder.build();
}

/// Robots near the floor, at rest, under constant joint forces.
template <class T>
struct Instances {
  Index n, steps, nq, nv;
  const Model& model;
  ContactDynamics dynamics;
  std::vector<T> q0, tau, mass, q, v, speeds;
  std::vector<Status> status;
  std::vector<ContactTally> tallies;
  RolloutOptions options;

  Instances(const Model& of, const ContactSet& set, Index instances, Index n_steps, const ContactDynamicsOptions& how)
      : n(instances), steps(n_steps), nq(of.nq()), nv(of.nv()), model(of), dynamics(set, how) {
    options.dt = 1e-3;
    options.steps = steps;
    options.contacts = set;
    const std::vector<double> some = random_configurations(model, 1, 64);
    for (Index b = 0; b < n; ++b)
      for (Index k = 0; k < nq; ++k) q0.push_back(static_cast<T>(some[static_cast<std::size_t>(b % 64 * nq + k)]));
    for (int i = 1; i < model.n_links(); ++i)
      for (Index b = 0; b < n && model.joint_type(i) == JointType::free; ++b)
        q0[static_cast<std::size_t>(b * nq + model.q_index(i) + 2)] = static_cast<T>(0.2 + 0.01 * double(b % 64));
    for (Index k = 0; k < nv; ++k) tau.push_back(static_cast<T>(0.1 * std::sin(static_cast<double>(k))));
    for (Index b = 0; b < n; ++b)
      for (int i = 0; i < model.n_links(); ++i)
        mass.push_back(static_cast<T>(model.mass_properties(i).mass * (1 + 0.01 * double(b % 16))));
    q.resize(q0.size());
    v.resize(static_cast<std::size_t>(n * nv));
    status.resize(static_cast<std::size_t>(n));
    tallies.resize(status.size());
    speeds = most_speeds<T>(model, options);
  }
  ContactCall<T> contacts() {
    return {.problem = &dynamics.prepared().problem, .h = options.dt, .accounts = true, .tally = tallies.data()};
  }
  RolloutCall<T> call() {
    RolloutArrays<T> a;
    a.tau = Series<T>::input(tau.data(), 0, 0);
    RolloutCall<T> c = {model.view<T>(), law_of(a, options)};
    fill_inputs(c.inputs, a);
    c.most_speed = speeds.data();
    c.q0 = {q0.data(), nq};
    c.q = {q.data(), nq};
    c.v = {v.data(), nv};
    c.status = status.data();
    return c;
  }
};

/// The last states of a few instances as the text of the kernel has them, on the processor.
template <class T>
Index different_numbers(Instances<T>& x, const ParameterArrays<T>* parameters) {
  const std::vector<T> q = x.q, v = x.v;
  const std::vector<Status> status = x.status;
  const std::vector<ContactTally> tallies = x.tallies;
  const ModelView<T>& m = x.model.template view<T>();
  const RolloutCall<T> given = x.call();
  cuda::DeviceRollout<T> call;
  call.law = given.law;
  std::copy(std::begin(given.inputs), std::end(given.inputs), call.inputs);
  call.most_speed = given.most_speed;
  call.q0 = given.q0;
  call.q = given.q;
  call.v = given.v;
  call.status = given.status;
  call.batch = std::min<Index>(x.n, 64);
  const ContactCall<T> contacts = x.contacts();
  const cuda::ContactTables<T> tables(*contacts.problem, m);
  const cuda::DeviceContacts<T> touching = tables.call(contacts);
  const cuda::Replication<T> replication(x.model);
  const T* const numbers = replication.numbers().data();
  const auto view = known_as<cuda::InWarp<T>>(replication.view(m, numbers));
  const Index rows = cuda::contact_rollout_rows(call, touching, view);
  std::vector<T> work(static_cast<std::size_t>((rows + cuda::own_rows(m)) * cuda::warp));
  cuda::Variation<T> variation;
  if (parameters) variation = replication.variation(*parameters, numbers, work.data() + rows * cuda::warp);
  for (Index t = 0; t < cuda::warp; ++t)
    cuda::run_contact_rollout_thread(call, touching, view, {work.data(), cuda::warp, cuda::warp}, variation, t);
  Index different = 0;
  for (Index b = 0; b < call.batch; ++b) {
    const auto i = static_cast<std::size_t>(b);
    different += status[i] != x.status[i] || tallies[i].steps != x.tallies[i].steps ||
                 tallies[i].dropped != x.tallies[i].dropped;
    for (Index k = b * x.nq; k < (b + 1) * x.nq; ++k)
      different += q[static_cast<std::size_t>(k)] != x.q[static_cast<std::size_t>(k)];
    for (Index k = b * x.nv; k < (b + 1) * x.nv; ++k)
      different += v[static_cast<std::size_t>(k)] != x.v[static_cast<std::size_t>(k)];
  }
  return different;
}

template <class T>
void check(const Robot& robot, bool varied, int room) {
  ContactDynamicsOptions how;
  how.time_step = 1e-3;
  how.max_contacts = room;
  Instances<T> x(robot.model, ContactSet(robot.model), 256, 20, how);
  const BatchedParameter<T> masses[] = {{Parameter::mass, {x.mass.data(), robot.model.n_links()}}};
  const ParametersOfModel<T> parameters(robot.model, masses, x.n);
  RolloutCall<T> call = x.call();
  const ContactCall<T> contacts = x.contacts();
  call.contacts = &contacts;
  if (varied) call.parameters = &parameters.arrays();
  cuda::Workspace work;
  cuda::roll_out(robot.model, 0, call, x.n, Place::host, nullptr, work);
  const auto ended = std::ranges::count(x.status, Status::diverged);
  std::int64_t solutions = 0, steps = 0, dropped = 0;
  for (const ContactTally& tally : x.tallies) {
    solutions += tally.solutions;
    steps += tally.steps;
    dropped += tally.dropped;
  }
  const Index different = different_numbers(x, varied ? &parameters.arrays() : nullptr);
  const bool passed = different == 0 && (room == 0 ? steps > 0 : dropped > 0);
  std::printf("contacts %-12s %-7s%s room %2d: %lld numbers differ, %.2f Newton steps, %lld robots ended, %lld "
              "contacts dropped%s\n",
              robot.name.c_str(), precision<T>, varied ? " varied" : "", room, static_cast<long long>(different),
              static_cast<double>(steps) / static_cast<double>(std::max<std::int64_t>(1, solutions)),
              static_cast<long long>(ended), static_cast<long long>(dropped), passed ? "" : "  FAILED");
  write_row("contacts", Row().add("robot", robot.name).add("precision", precision<T>)
                            .add("varied", varied).add("room", static_cast<double>(room))
                            .add("different", static_cast<double>(different)).add("ended", static_cast<double>(ended))
                            .add("dropped", static_cast<double>(dropped)).add("passed", passed));
  if (passed) return;
  count_failure();
  std::printf(
      "  chain of calls: 256 instances of random_configurations(model, 1, 64), free joints 0.2 m and more high, 20 "
      "steps of 1e-3 s, tau[k] = 0.1 sin(k)\n");
}

template <class T>
void measure_one(const Robot& robot, bool self_contact) {
  const Index instances = 65536, steps = 100;
  ContactDynamicsOptions how;
  how.time_step = 1e-3;
  const ContactSet set(robot.model, {.self_contact = self_contact});
  Instances<T> x(robot.model, set, instances, steps, how);
  RolloutCall<T> call = x.call();
  const auto there = [](std::vector<T>& numbers, cuda::Memory& memory) {
    const std::size_t bytes = numbers.size() * sizeof(T);
    memory.reserve(bytes);
    cuda::copy_to_device(memory.data(), numbers.data(), bytes);
    cuda::synchronise();
    return static_cast<T*>(memory.data());
  };
  // [instance][row]: these configurations are those of robots that touch the floor
  cuda::Memory q0(Place::device), tau(Place::device), q(Place::device), v(Place::device);
  call.q0 = {there(x.q0, q0), x.nq, 1, Place::device};
  call.inputs[0] = {there(x.tau, tau), 0, 0, 1, Place::device};
  call.q = {there(x.q, q), x.nq, 1, Place::device};
  call.v = {there(x.v, v), x.nv, 1, Place::device};
  const ContactCall<T> contacts = x.contacts();
  call.contacts = &contacts;
  cuda::Workspace work;
  const Times times = host_times([&] { cuda::roll_out(robot.model, 0, call, x.n, Place::host, nullptr, work); });
  std::int64_t solutions = 0, newton = 0, dropped = 0;
  for (const ContactTally& tally : x.tallies) {
    solutions += tally.solutions;
    newton += tally.steps;
    dropped += tally.dropped;
  }
  const double each = static_cast<double>(newton) / static_cast<double>(std::max<std::int64_t>(1, solutions));
  std::printf("contacts %-12s %-7s%s %8lld x %lld steps %10.4g steps/s, %.2f Newton steps, %lld contacts dropped\n",
              robot.name.c_str(), precision<T>, self_contact ? " of its links, too," : "",
              static_cast<long long>(instances), static_cast<long long>(steps),
              static_cast<double>(solutions) / times.median, each, static_cast<long long>(dropped));
  write_row("contact_rates", Row()
                                 .add("robot", robot.name)
                                 .add("precision", precision<T>)
                                 .add("self_contact", self_contact)
                                 .add("instances", static_cast<double>(instances))
                                 .add("steps", static_cast<double>(steps))
                                 .add("newton_steps", each)
                                 .add("dropped", static_cast<double>(dropped))
                                 .add("steps_per_second", static_cast<double>(solutions) / times.median)
                                 .add("best", static_cast<double>(solutions) / times.best));
}

Robot touching(std::size_t number) {
  const Robot robot = robots()[number];
  return {robot.name, with_shapes(robot.model)};
}

}  // namespace

void add_contact_checks(std::vector<Unit>& units) {
  for (const std::size_t number : {1, 4})
    units.push_back({number == 1 ? "contacts of a humanoid" : "contacts of every joint", [number] {
                       const Robot robot = touching(number);
                       for (const bool varied : {false, true}) {
                         check<double>(robot, varied, 0);
                         check<float>(robot, varied, 0);
                       }
                       check<double>(robot, false, 1);
                     }});
}
void add_contact_rates(std::vector<Unit>& units) {
  for (const bool self_contact : {false, true})
    units.push_back({self_contact ? "contacts of a humanoid with itself" : "contacts of a humanoid", [self_contact] {
                       const Robot robot = touching(1);
                       measure_one<float>(robot, self_contact);
                       measure_one<double>(robot, self_contact);
                     }});
}

}  // namespace tandem::gpu_check
