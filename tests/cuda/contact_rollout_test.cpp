// SPDX-License-Identifier: Apache-2.0
/// Rollouts with contacts as threads of the GPU do them, run on the processor, against those in lanes, whose
/// trajectories tests/python/test_contact_rollout.py compares with MuJoCo's.
#include "backends/cuda/contact_rollout.hpp"

#include "api/parameters.hpp"
#include "backends/cuda/contact_tables.hpp"
#include "backends/cuda/replication.hpp"
#include "contact/golden.hpp"
#include "rollout/contacts.hpp"
#include "rollout/law.hpp"
#include "simulation/touching_robots.hpp"
#include "support/property.hpp"

namespace tandem::test {
namespace {

/// A robot with a sphere at the origin of every link and a capsule and a box on some, and a floor.
Model padded(const Model& robot) {
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

Model touching(const std::string& name) {
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

  void in_lanes() {
    clear();
    const Push<T> pushed = push();
    const auto given = parameters();
    Batch<T> batch(n, 1, status, given);
    batch.iterations = done;
    Workspace<T> work;
    rollout<T>(model, arrays(pushed), batch, work, options);
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

template <class T>
class ContactRolloutThreads : public ::testing::Test {};
TYPED_TEST_SUITE(ContactRolloutThreads, Reals);

TYPED_TEST(ContactRolloutThreads, DoWhatLanesDo) {
  using T = TypeParam;
  const PlainLanes lanes;
  for (const char* name : {"humanoid", "quadruped", "tripod", "golden humanoid", "fingers", "mimic_branches"})
    for (const bool varied : {false, true})
      for (const Integrator integrator : {Integrator::semi_implicit_euler, Integrator::rk4})
        for (const ContactDamping damping : {ContactDamping::after, ContactDamping::within}) {
          if (integrator == Integrator::rk4 && damping == ContactDamping::after) continue;
          SCOPED_TRACE(std::string(name) + (varied ? ", varied, " : ", ") + to_string(integrator) + ", damping " +
                       to_string(damping));
          const Model model = touching(name);
          if (model.nv() == 0) continue;  // read by MuJoCo
          TouchingRobots<T> expected(model), found(model);
          for (TouchingRobots<T>* r : {&expected, &found}) {
            r->varied = varied;
            r->options.integrator = integrator;
            if (integrator != Integrator::rk4) r->options.contact_damping = damping;
          }
          found.options.contact_dynamics.max_contacts = found.options.contact_dynamics.max_contact_columns = 1000;
          expected.in_lanes();
          found.by_threads();
          EXPECT_EQ(found.status, expected.status);
          EXPECT_EQ(found.done, expected.done);
          EXPECT_NE(expected.status[2], Status::ok);
          EXPECT_EQ(expected.status[5], Status::non_finite);
          EXPECT_GT(std::ranges::count_if(expected.forces, [](double f) { return f > 0; }), 0) << "no robot touches";
          expect_same(found.q, expected.q, "q");
          expect_same(found.v, expected.v, "v");
          expect_same(found.path, expected.path, "path");
          expect_same(found.cost, expected.cost, "cost");
          if (instruction_set() != "baseline") continue;
          expect_same(found.stops, expected.stops, "stops");
          expect_same(found.forces, expected.forces, "forces");
          for (std::size_t b = 0; b < found.tallies.size(); ++b) {
            const ContactTally &one = found.tallies[b], &two = expected.tallies[b];
            EXPECT_EQ(one.solutions, two.solutions);
            EXPECT_EQ(one.steps, two.steps);
            EXPECT_EQ(one.not_converged, two.not_converged);
            EXPECT_EQ(one.taken, two.taken);
            EXPECT_EQ(one.dropped, 0);
          }
        }
}

/// A robot with more contacts than its thread has room for stays where it was before that step; others do not notice.
TYPED_TEST(ContactRolloutThreads, EndRobotsWithMoreContactsThanRoom) {
  using T = TypeParam;
  const Model model = touching("quadruped");
  TouchingRobots<T> all(model), few(model), narrow(model);
  all.options.contact_dynamics.max_contacts = all.options.contact_dynamics.max_contact_columns = 1000;
  few.options.contact_dynamics.max_contacts = 3;
  few.options.contact_dynamics.max_contact_columns = 1000;
  narrow.options.contact_dynamics.max_contacts = 1000;
  narrow.options.contact_dynamics.max_contact_columns = 1;
  all.by_threads();
  few.by_threads();
  narrow.by_threads();
  int ended = 0, went_on = 0;
  for (TouchingRobots<T>* r : {&few, &narrow})
    for (std::size_t b = 0; b < std::size_t{TouchingRobots<T>::n}; ++b) {
      const auto of = [&](const std::vector<T>& x) {
        const std::size_t rows = x.size() / std::size_t{TouchingRobots<T>::n};
        return std::vector<T>(x.begin() + static_cast<std::ptrdiff_t>(b * rows),
                              x.begin() + static_cast<std::ptrdiff_t>((b + 1) * rows));
      };
      if (r->tallies[b].dropped == 0) {
        EXPECT_EQ(r->status[b], all.status[b]);
        if (r->status[b] == Status::non_finite) continue;
        EXPECT_EQ(of(r->q), of(all.q));
        EXPECT_EQ(of(r->v), of(all.v));
        went_on += r->status[b] == Status::ok;
        continue;
      }
      ++ended;
      EXPECT_EQ(r->status[b], Status::diverged);
      EXPECT_LT(r->done[b], r->steps);
      EXPECT_EQ(r->tallies[b].solutions, r->done[b]);
      for (const T x : of(r->q)) EXPECT_TRUE(std::isfinite(x));
      if (r->done[b] == 0) EXPECT_EQ(of(r->q), of(r->q0));
    }
  EXPECT_GT(ended, 0);
  EXPECT_GT(went_on, 0);
}

TEST(ContactRoom, IsForAllSlotsOfFewAndForSomeOfMany) {
  const auto room = [](const Model& model, int contacts, int columns) {
    TouchingRobots<float> robots(model);
    robots.options.contact_dynamics.max_contacts = contacts;
    robots.options.contact_dynamics.max_contact_columns = columns;
    std::optional<ContactDynamics> last;
    const auto touching = step_contacts("rollout", model, robots.options, false, last, {Device::cuda});
    return cuda::ContactTables<float>(*touching->call<float>().problem, model.view<float>()).call({}).room;
  };
  const Model few = fingers(), many = touching("humanoid");
  EXPECT_EQ(room(few, 0, 0).contacts, ContactSet(few).n_slots());
  EXPECT_GT(ContactSet(many).n_slots(), 48);
  EXPECT_EQ(room(many, 0, 0).contacts, 48);
  EXPECT_EQ(room(many, 0, 0).columns, 24);
  EXPECT_EQ(room(many, 30, 12).contacts, 30);
  EXPECT_EQ(room(many, 30, 12).columns, 12);
}

}  // namespace
}  // namespace tandem::test
