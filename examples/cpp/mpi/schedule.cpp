// SPDX-License-Identifier: Apache-2.0
/// Inverse dynamics of an arm, divided among processes; what was predicted beside what was measured:
///
///     mpirun -n 2 build/release/examples/example_mpi_schedule resne
#include <cstdio>
#include <vector>

#include <tandem/api/mpi.hpp>
#include <tandem/tandem.hpp>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  int rank = 0, processes = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  const auto formulation = tandem::formulation_from_name(count > 1 ? arguments[1] : "recne");
  const tandem::Model arm = tandem::load("arm6");
  const tandem::TaskGraph graph = tandem::formulation_graph(formulation, arm);
  const tandem::MachineModel machine =
      processes > 1 ? tandem::mpi::measured_machine(MPI_COMM_WORLD) : tandem::measured_machine();
  const tandem::Schedule schedule = tandem::make_schedule(graph, machine, {.processors = processes});
  const std::vector<double> q = tandem::random_configuration(arm, 1), v(6, 0.1), a(6, 1);
  const tandem::ScheduleRun run = tandem::mpi::run_schedule(MPI_COMM_WORLD, schedule, formulation, arm, q, v, a);
  if (rank == 0) {
    std::printf("%s: %.2f us on one process; a message of 3 numbers %.2f us\n", graph.name.c_str(), run.serial,
                machine.message(3));
    for (std::size_t p = 0; p < run.finished.size(); ++p) {
      const auto& slots = schedule.processors[p];
      std::printf("process %d: predicted %.2f us, measured %.2f us\n", static_cast<int>(p),
                  slots.empty() ? 0 : slots.back().end, run.finished[p]);
    }
  }
  MPI_Finalize();
}
