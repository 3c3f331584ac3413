// SPDX-License-Identifier: Apache-2.0
/// A chain on a row of processes that talk to their neighbours alone, stage by stage, beside the scan over the same
/// processes:
///
///     mpirun -n 2 build/release/examples/example_mpi_macroparallel 64
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <tandem/api/mpi.hpp>

namespace {

/// Link i of an arm whose joints turn about axes that change from one to the next.
tandem::mpi::ChainLink arm_link(tandem::Index i) {
  const double x = static_cast<double>(i);
  tandem::mpi::ChainLink made;
  made.link.mass = 1 + 0.5 * std::sin(x);
  made.link.com = {0.05, 0, 0.15};
  made.link.inertia = {0.02, 0, 0, 0.02, 0, 0.01};
  made.joint.type = tandem::JointType::revolute;
  made.joint.axis = {std::sin(2 * x), std::cos(3 * x), 0.5};
  made.joint.placement.position = {0, 0, 0.3};
  return made;
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  const tandem::Index links = count > 1 ? std::atoll(arguments[1]) : 64;
  {
    tandem::mpi::Chain chain(MPI_COMM_WORLD, links, arm_link, {.chunk = 1});
    const auto nv = static_cast<std::size_t>(chain.nv());
    std::vector<double> q(nv), v(nv, 0.1), tau(nv, 0), direct(nv), a(nv);
    for (std::size_t k = 0; k < nv; ++k) q[k] = std::cos(static_cast<double>(chain.first_v()) + static_cast<double>(k));

    tandem::MacroparallelReport best;
    double scan = 1e9;
    best.seconds = 1e9;
    for (int call = 0; call < 200; ++call) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      chain.forward_dynamics(q, v, tau, {}, direct);
      scan = std::min(scan, MPI_Wtime() - start);
      const tandem::MacroparallelReport done = chain.macroparallel(q, v, tau, {}, a, {.tolerance = 1e-6});
      if (done.seconds < best.seconds) best = done;
    }
    double here[2] = {0, 0}, all[2];
    for (std::size_t k = 0; k < nv; ++k) {
      here[0] = std::max(here[0], std::fabs(a[k] - direct[k]));
      here[1] = std::max(here[1], std::fabs(direct[k]));
    }
    MPI_Allreduce(here, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    int rank = 0, processes = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (rank == 0)
      std::printf(
          "%ld links on %d processes: %ld iterations, off by %.1e of the largest acceleration\n"
          "stages I to V %.1f %.1f %.1f %.1f %.1f, all %.1f us, %.0f messages a process; the scan takes %.1f us\n",
          static_cast<long>(links), processes, static_cast<long>(best.iterations), all[0] / all[1], 1e6 * best.stage[0],
          1e6 * best.stage[1], 1e6 * best.stage[2], 1e6 * best.stage[3], 1e6 * best.stage[4], 1e6 * best.seconds,
          best.messages, 1e6 * scan);
  }
  MPI_Finalize();
}
