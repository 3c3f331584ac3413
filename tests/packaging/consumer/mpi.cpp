// SPDX-License-Identifier: Apache-2.0
/// A user's program on processes: compiles and links.
#include <tandem/api/mpi.hpp>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  {
    const tandem::mpi::Chain chain(MPI_COMM_WORLD, 3, [](tandem::Index) {
      tandem::mpi::ChainLink made;
      made.link.mass = 1;
      made.link.inertia = {1, 0, 0, 1, 0, 1};
      made.joint.type = tandem::JointType::revolute;
      return made;
    });
  }
  MPI_Finalize();
}
