// SPDX-License-Identifier: Apache-2.0
/// Every process runs all tests; one that fails anywhere fails.
#include <gtest/gtest.h>
#include <mpi.h>

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  ::testing::InitGoogleTest(&count, arguments);
  int here = RUN_ALL_TESTS(), all = 0;
  MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return all;
}
