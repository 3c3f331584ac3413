// SPDX-License-Identifier: Apache-2.0
/// Robots that touch a floor and themselves, in rollouts by lanes of the processor and by threads of the GPU, run on
/// the processor.
#pragma once
#include "api/parameters.hpp"
#include "backends/cuda/contact_rollout.hpp"
#include "backends/cuda/contact_tables.hpp"
#include "backends/cuda/replication.hpp"
#include "contact/golden.hpp"
#include "rollout/contacts.hpp"
#include "rollout/law.hpp"
#include "simulation/touching_robots.hpp"
#include "support/property.hpp"

namespace tandem::test {

/// A robot with a sphere at the origin of every link and a capsule and a box on some, and a floor.
inline Model padded(const Model& robot) {
  ModelBuilder builder = describe(robot);
  builder.shape({.name = "floor", .link = std::string(robot.link_name(0)), .type = ShapeType::plane});
  for (int i = 1; i < robot.n_links(); ++i) {
    const std::string link(robot.link_name(i));
    if (i % 4 == 0)
      builder.shape({.name = link + "_box", .link = link, .type = ShapeType::box, .size = {0.04, 0.03, 0.05}});
    else if (i % 4 == 2)
      builder.shape({.name = link + "_capsule", .link = link, .type = ShapeType::capsule, .size = {0.03, 0.05, 0}});
    else
      builder.shape({.name = link + "_sphere", .link = link, .type = ShapeType::sphere, .size = {0.04, 0, 0}});
  }
  return builder.build();
}

inline Model touching(const std::string& name) {
  if (name == "fingers") return fingers();
  if (name == "tripod" || name == "golden humanoid") return golden_model(name == "tripod" ? name : "humanoid");
  return padded(case_named(name).model);
}

/// Robots near the floor; number 2 gets a force that is not a number in step 4, number 5 begins so.
template <class T>
struct TouchingRobots {
  static constexpr Index n = 7, steps = 6;
  const Model& model;
  RolloutOptions options;
  std::vector<T> q0, v0, tau, wrench, mass, damping;
  bool varied = false;
  std::vector<T> q, v, path, cost, stops, weights;
  std::vector<double> forces;
  std::vector<ContactTally> tallies;
  std::vector<Status> status;
  std::vector<std::int32_t> done;

  explicit TouchingRobots(const Model& of) : model(of) {
    options.dt = 1e-3;
    options.steps = steps;
    options.every = 3;
    options.contacts = ContactSet(model);
    options.contact_dynamics.tolerance = 1e-6;
    for (Index b = 0; b < n; ++b) {
      std::vector<double> start = random_configuration(model, static_cast<std::uint64_t>(b));
      for (int i = 1; i < model.n_links(); ++i)
        if (model.joint_type(i) == JointType::free)
          start[static_cast<std::size_t>(model.q_index(i)) + 2] = 0.05 + 0.03 * static_cast<double>(b);
      for (const double x : start) q0.push_back(static_cast<T>(x));
      for (Index k = 0; k < model.nv(); ++k) v0.push_back(static_cast<T>(0.3 * std::sin(double(7 * b + k))));
      for (Index k = 0; k < model.nv(); ++k) damping.push_back(static_cast<T>(0.01 * double(1 + b)));
      for (int i = 0; i < model.n_links(); ++i)
        mass.push_back(static_cast<T>(model.mass_properties(i).mass * (1 + 0.05 * static_cast<double>(b))));
    }
    for (Index k = 0; k < n * steps * model.nv(); ++k) tau.push_back(static_cast<T>(std::sin(1.0 + double(k))));
    for (int k = 0; k < 6; ++k) wrench.push_back(static_cast<T>(k));
    weights.assign(static_cast<std::size_t>(model.nv()), T(1));
    tau[static_cast<std::size_t>((2 * steps + 4) * model.nv())] = std::numeric_limits<T>::quiet_NaN();
    q0[static_cast<std::size_t>(5 * model.nq())] = std::numeric_limits<T>::quiet_NaN();
  }
  void clear() {
    const auto size = [](Index k) { return static_cast<std::size_t>(k); };
    q.assign(q0.size(), T(0));
    v.assign(v0.size(), T(0));
    path.assign(size(n * (steps / 3 + 1) * model.nq()), T(0));
    cost.assign(size(n), T(0));
    stops.assign(size(n * 3 * model.nv()), T(0));
    forces.assign(size(n * 6 * options.contacts->n_slots()), 0.0);
    tallies.assign(size(n), {});
    status.assign(size(n), Status::limit);
    done.assign(size(n), -1);
  }
  RolloutArrays<T> arrays(const Push<T>& push) {
    RolloutArrays<T> a;
    a.q0 = {q0.data(), model.nq()};
    a.v0 = {v0.data(), model.nv()};
    a.tau = {tau.data(), steps * model.nv(), model.nv()};
    a.pushes = {&push, 1};
    a.costs.v_weight = {weights.data(), 0};
    a.q = {q.data(), model.nq()};
    a.v = {v.data(), model.nv()};
    a.q_path = {path.data(), model.nq() * (steps / 3 + 1), model.nq()};
    a.cost = {cost.data(), 1};
    a.stops = {stops.data(), 3 * Index{model.nv()}};
    a.contact_forces = forces;
    a.contact_tally = tallies;
    return a;
  }
  std::vector<BatchedParameter<T>> parameters() {
    if (!varied) return {};
    return {{Parameter::mass, {mass.data(), model.n_links()}}, {Parameter::damping, {damping.data(), model.nv()}}};
  }
  Push<T> push() { return {model.n_links() - 1, {wrench.data(), 0}, 1, 4}; }

  /// By the library, in lanes or on a GPU.
  void in_lanes(const Device& device = {}) {
    clear();
    const Push<T> pushed = push();
    const auto given = parameters();
    Batch<T> batch(n, device.kind == Device::cpu ? 1 : 0, status, given);
    batch.iterations = done;
    Workspace<T> work;
    rollout<T>(model, arrays(pushed), batch, work, options, device);
  }
  /// Scratch memory has the rows that a kernel takes, and no more.
  void by_threads() {
    clear();
    const Push<T> pushed = push();
    const RolloutArrays<T> a = arrays(pushed);
    std::optional<ContactDynamics> last;
    const auto contacts = step_contacts("rollout", model, options, false, last, {Device::cuda});
    ContactCall<T> of_contacts = contacts->call<T>();
    of_contacts.accounts = true;
    of_contacts.forces = forces.data();
    of_contacts.tally = tallies.data();
    const auto& m = model.view<T>();
    const cuda::ContactTables<T> tables(*of_contacts.problem, m);
    const cuda::DeviceContacts<T> touching = tables.call(of_contacts);
    cuda::DeviceRollout<T> call;
    call.law = law_of(a, options);
    fill_inputs(call.inputs, a);
    call.pushes[0] = pushed;
    call.n_pushes = 1;
    const std::vector<T> speeds = most_speeds<T>(model, options);
    call.most_speed = speeds.data();
    call.q0 = a.q0;
    call.v0 = a.v0;
    call.stops = a.stops;
    call.q = a.q;
    call.v = a.v;
    call.cost = a.cost;
    call.q_path = a.q_path;
    call.status = status.data();
    call.steps = done.data();
    call.batch = n;
    constexpr Index threads = 3;
    constexpr T nan = std::numeric_limits<T>::quiet_NaN();
    const auto given = parameters();
    const ParametersOfModel<T> of_model(model, given, n);
    const cuda::Replication<T> replication(model);
    const T* const numbers = replication.numbers().data();
    const auto view = known_as<cuda::InWarp<T>>(replication.view(m, numbers));
    const Index rows = cuda::contact_rollout_rows(call, touching, view),
                own = varied ? cuda::own_rows(m) * cuda::warp : 0;
    std::vector<T> scratch(static_cast<std::size_t>(rows * threads + own), nan);
    cuda::Variation<T> variation;
    if (varied) variation = replication.variation(of_model.arrays(), numbers, scratch.data() + rows * threads);
    for (Index t = 0; t < threads + 2; ++t)
      cuda::run_contact_rollout_thread(call, touching, view, {scratch.data(), threads, threads}, variation, t);
  }
};

/// Lanes of the instruction set without fused products, whose bits are those of threads, if the library has it.
class PlainLanes {
 public:
  PlainLanes() : before_(instruction_set()) {
    try {
      use_instruction_set("baseline");
    } catch (const Error&) {  // not in this build
    }
  }
  PlainLanes(const PlainLanes&) = delete;
  PlainLanes& operator=(const PlainLanes&) = delete;
  ~PlainLanes() { use_instruction_set(before_); }

 private:
  std::string before_;
};

template <class T>
void expect_same(const std::vector<T>& found, const std::vector<T>& expected, const char* what) {
  const bool exact = instruction_set() == "baseline";
  ASSERT_EQ(found.size(), expected.size()) << what;
  double most = 0;
  for (const T x : expected) most = std::isfinite(x) ? std::max(most, std::abs(double{x})) : most;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (exact || !std::isfinite(expected[k]))
      EXPECT_TRUE(found[k] == expected[k] || (std::isnan(found[k]) && std::isnan(expected[k])))
          << what << " " << k << ": " << found[k] << ", expected " << expected[k];
    else
      EXPECT_NEAR(double{found[k]}, double{expected[k]}, (sizeof(T) == 8 ? 1e-6 : 2e-2) * (1 + most)) << what;
  }
}

}  // namespace tandem::test
