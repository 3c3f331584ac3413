// SPDX-License-Identifier: Apache-2.0
/// Schedules carried out with the tasks of formulations: the torques are those of inverse dynamics.
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/api/schedule.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

TEST(RunSchedule, GivesTheTorquesOfInverseDynamics) {
  for (const char* name : {"arm6", "chain:5"}) {
    const Model model = load(name);
    const std::vector<double> q = random_configuration(model, 3);
    std::vector<double> v(q.size()), a(q.size()), tau(q.size());
    for (std::size_t k = 0; k < q.size(); ++k)
      v[k] = 0.5 - 0.2 * static_cast<double>(k), a[k] = 1 + static_cast<double>(k);
    Workspace<double> work;
    inverse_dynamics<double>(model, q, v, a, tau, work);
    for (const Method formulation :
         {Method::recne, Method::recneb, Method::resne, Method::recle, Method::hybrid, Method::classle})
      for (const Index processors : {1, 3})
        for (const Topology topology : {Topology::full, Topology::chain}) {
          ScheduleOptions options;
          options.processors = processors;
          options.topology = topology;
          const TaskGraph graph = formulation_graph(formulation, model);
          const Schedule schedule = make_schedule(graph, transputer(), options);
          const ScheduleRun run = run_schedule(schedule, formulation, model, q, v, a, 3);
          ASSERT_EQ(run.tau.size(), tau.size());
          for (std::size_t k = 0; k < tau.size(); ++k)
            EXPECT_NEAR(run.tau[k], tau[k], 1e-12 * (1 + std::abs(tau[k]))) << graph.name << " of " << name;
          EXPECT_EQ(run.finished.size(), static_cast<std::size_t>(processors));
          EXPECT_GT(run.length, 0);
          EXPECT_GT(run.serial, 0);
        }
  }
}

TEST(RunSchedule, GivesTheOutputsOfAnyFunction) {
  const Model model = load("quadruped");
  const std::vector<double> q = random_configuration(model, 3);
  std::vector<double> v(static_cast<std::size_t>(model.nv())), tau = v, a = v;
  for (std::size_t k = 0; k < v.size(); ++k) v[k] = 0.5 - 0.1 * static_cast<double>(k), tau[k] = 1 + v[k];
  Workspace<double> work;
  forward_dynamics<double>(model, q, v, tau, a, work);
  const Algorithm& algorithm = find_algorithm("forward_dynamics");
  for (const Grain grain : {Grain::step, Grain::operation})
    for (const Index processors : {1, 2}) {
      const TaskGraph graph = recorded_graph(algorithm, model, grain);
      const Schedule schedule = make_schedule(graph, transputer(), {.processors = processors});
      const ScheduleRun run = run_schedule(schedule, algorithm, model, {q, v, tau}, grain, {}, 3);
      ASSERT_EQ(run.outputs.size(), 1u);
      ASSERT_EQ(run.outputs[0].size(), a.size());
      for (std::size_t k = 0; k < a.size(); ++k)
        EXPECT_NEAR(run.outputs[0][k], a[k], 1e-10 * (1 + std::abs(a[k]))) << processors << " processors";
      EXPECT_EQ(run.finished.size(), static_cast<std::size_t>(processors));
      EXPECT_GT(run.serial, 0);
    }
  const Schedule schedule = make_schedule(recorded_graph(algorithm, model), transputer(), {.processors = 2});
  EXPECT_EQ(run_schedule(schedule, algorithm, model, {}, Grain::step, {}, 2).outputs[0].size(), a.size());
  EXPECT_THROW(run_schedule(schedule, algorithm, model, {q, v}, Grain::step, {}, 2), Error);
  EXPECT_THROW(run_schedule(schedule, algorithm, model, {v, v, v}, Grain::step, {}, 2), Error);
  EXPECT_THROW(run_schedule(schedule, algorithm, model, {q, v, tau, tau}, Grain::step, {}, 2), Error);
  EXPECT_THROW(run_schedule(schedule, algorithm, load("arm7"), {}, Grain::step, {}, 2), Error);
  const MachineModel machine = machine_for(transputer(), algorithm, model, Grain::step, {}, 0.1);
  EXPECT_NO_THROW(check(machine));
  EXPECT_EQ(machine.send, transputer().send);
  EXPECT_LT(machine.time({100, 100, 2, 100}), transputer().time({100, 100, 2, 100}));
}

TEST(RunSchedule, RefusesWhatIsNone) {
  const Model model = load("arm6");
  const std::vector<double> x(6);
  const Schedule schedule = make_schedule(formulation_graph(Method::recne, model), transputer(), {.processors = 2});
  EXPECT_THROW(run_schedule(schedule, Method::recne, model, x, x, x, 0), Error);
  EXPECT_THROW(run_schedule(schedule, Method::recne, load("arm7"), x, x, x), Error);
  const Schedule other = make_schedule(formulation_graph(Method::resne, model), transputer(), {.processors = 2});
  EXPECT_THROW(run_schedule(other, Method::recne, model, x, x, x), Error);
}

TEST(RunScheduleSlow, ThisMachineIsMeasured) {
  const MachineModel machine = measured_machine(1);
  EXPECT_NO_THROW(check(machine));
  EXPECT_FALSE(machine.meets);
  EXPECT_GT(machine.time({100, 100, 2, 100}), 0.01);
}

}  // namespace
}  // namespace tandem
