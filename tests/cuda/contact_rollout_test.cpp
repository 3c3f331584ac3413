// SPDX-License-Identifier: Apache-2.0
/// Rollouts with contacts as threads of the GPU do them, run on the processor, against those in lanes, whose
/// trajectories tests/python/test_contact_rollout.py compares with MuJoCo's.
#include "touching_threads.hpp"

namespace tandem::test {
namespace {

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
      if (r->done[b] == 0) {
        EXPECT_EQ(of(r->q), of(r->q0));
      }
    }
  EXPECT_GT(ended, 0);
  EXPECT_GT(went_on, 0);
}

/// Through the driver, arrays of the host.
TEST(WithAGpu, SimulatesContacts) {
  if (!cuda::is_available()) GTEST_SKIP() << cuda::why_unavailable();
  const PlainLanes lanes;
  for (const char* name : {"humanoid", "fingers", "mimic_branches"})
    for (const bool varied : {false, true}) {
      SCOPED_TRACE(name);
      const Model model = touching(name);
      TouchingRobots<double> expected(model), found(model);
      expected.varied = found.varied = varied;
      found.options.contact_dynamics.max_contacts = found.options.contact_dynamics.max_contact_columns = 1000;
      expected.in_lanes();
      found.in_lanes({Device::cuda});
      EXPECT_EQ(found.status, expected.status);
      EXPECT_EQ(found.done, expected.done);
      expect_same(found.q, expected.q, "q");
      expect_same(found.v, expected.v, "v");
      expect_same(found.path, expected.path, "path");
      expect_same(found.cost, expected.cost, "cost");
      expect_same(found.stops, expected.stops, "stops");
      expect_same(found.forces, expected.forces, "forces");
      for (std::size_t b = 0; b < found.tallies.size(); ++b) {
        EXPECT_EQ(found.tallies[b].steps, expected.tallies[b].steps);
        EXPECT_EQ(found.tallies[b].dropped, 0);
      }
    }
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
