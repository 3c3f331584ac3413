// SPDX-License-Identifier: Apache-2.0
/// Schedules on processes: the torques are those of inverse dynamics, on any number of them.
#include <gtest/gtest.h>

#include <cmath>

#include "tandem/api/mpi.hpp"
#include "tandem/tandem.hpp"

namespace tandem {
namespace {

TEST(MpiSchedule, GivesTheTorquesOfInverseDynamics) {
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const Model model = load("arm6");
  const std::vector<double> q = random_configuration(model, 3);
  std::vector<double> v(q.size(), 0.3), a(q.size(), -1), tau(q.size());
  Workspace<double> work;
  inverse_dynamics<double>(model, q, v, a, tau, work);
  for (const Method formulation : {Method::recne, Method::recneb, Method::resne})
    for (const Topology topology : {Topology::full, Topology::chain}) {
      ScheduleOptions options;
      options.processors = processes;
      options.topology = topology;
      const Schedule schedule = make_schedule(formulation_graph(formulation, model), transputer(), options);
      const ScheduleRun run = mpi::run_schedule(MPI_COMM_WORLD, schedule, formulation, model, q, v, a, 5);
      ASSERT_EQ(run.tau.size(), tau.size());
      for (std::size_t k = 0; k < tau.size(); ++k) EXPECT_NEAR(run.tau[k], tau[k], 1e-12 * (1 + std::abs(tau[k])));
      EXPECT_EQ(run.finished.size(), static_cast<std::size_t>(processes));
    }
}

TEST(MpiSchedule, RefusesMoreProcessorsThanProcesses) {
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const Model model = load("arm6");
  const std::vector<double> x(6);
  const Schedule schedule =
      make_schedule(formulation_graph(Method::recne, model), transputer(), {.processors = processes + 1});
  EXPECT_THROW(mpi::run_schedule(MPI_COMM_WORLD, schedule, Method::recne, model, x, x, x), Error);
}

TEST(SlowMpiSchedule, MeasuresMessages) {
  const MachineModel machine = mpi::measured_machine(MPI_COMM_WORLD);
  EXPECT_NO_THROW(check(machine));
  EXPECT_GT(machine.message(9), 0.05);
}

}  // namespace
}  // namespace tandem
