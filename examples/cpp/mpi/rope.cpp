// SPDX-License-Identifier: Apache-2.0
/// A rope over processes, none of which holds more than its part:
///
///     mpirun -n 4 build/release/examples/example_mpi_rope 1000000
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <tandem/api/mpi.hpp>

namespace {

/// Segment i hangs from the one before on a spherical joint.
tandem::mpi::ChainLink segment(tandem::Index i) {
  const double length = 0.1, mass = 0.05, radius = 0.01;
  const double across = mass * (3 * radius * radius + length * length) / 12;
  tandem::mpi::ChainLink made;
  made.link.mass = mass;
  made.link.com = {0, 0, -length / 2};
  made.link.inertia = {across, 0, 0, across, 0, mass * radius * radius / 2};
  made.joint.type = tandem::JointType::spherical;
  if (i > 1) made.joint.placement.position = {0, 0, -length};
  return made;
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  const tandem::Index segments = count > 1 ? std::atoll(arguments[1]) : 10'000;
  {
    tandem::mpi::Chain rope(MPI_COMM_WORLD, segments, segment);
    const auto nv = static_cast<std::size_t>(rope.nv());
    std::vector<double> q, v(nv, 0), tau(nv, 0), a(nv), back(nv);
    for (tandem::Index i = 0; i < rope.links(); ++i) {  // bent by a milliradian a joint
      const double half = 0.0005;
      q.insert(q.end(), {std::sin(half), 0, 0, std::cos(half)});
    }
    const double start = MPI_Wtime();
    rope.forward_dynamics(q, v, tau, {}, a);
    const double forward = MPI_Wtime();
    rope.inverse_dynamics(q, v, a, {}, back);
    const double inverse = MPI_Wtime();

    double here = 0, worst = 0;
    for (const double x : back) here = std::fmax(here, std::fabs(x));
    MPI_Allreduce(&here, &worst, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    int rank = 0, processes = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (rank == 0)
      std::printf(
          "%ld segments on %d processes: the first one lets go with %.17g rad/s^2\n"
          "forward dynamics %.3f s, inverse dynamics %.3f s; the forces come back to %.1e N m\n",
          static_cast<long>(segments), processes, a[0], forward - start, inverse - forward, worst);
  }
  MPI_Finalize();
}
