// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>

#include "mpi/chains.hpp"

namespace tandem::test {
namespace {

struct Outcome {
  std::uint64_t bits = 0;  ///< of all accelerations, whoever has them
  double error = 0;        ///< largest difference between the forces given and those of inverse dynamics
};

Outcome run(MPI_Comm comm, Index links) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  mpi::Chain chain(comm, links, [](Index i) { return chain_link(Kind::arm, i); });
  const double built = seconds();
  const ChainState s = chain_state(Kind::arm, chain.first_link(), chain.links(), 1e-5);
  std::vector<double> a(static_cast<std::size_t>(chain.nv())), tau(a);
  const double stated = seconds();
  chain.forward_dynamics(s.q, s.v, s.tau, {}, a);
  const double forward = seconds();
  chain.inverse_dynamics(s.q, s.v, a, {}, tau);
  const double inverse = seconds();
  std::uint64_t here = 0, all = 0;
  double error = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const auto row = static_cast<std::uint64_t>(chain.first_v()) + k;
    here += Random(std::bit_cast<std::uint64_t>(a[k]) ^ (row * 0x9e3779b97f4a7c15u)).bits();
    error = std::max(error, std::abs(tau[k] - s.tau[k]));
  }
  MPI_Allreduce(&here, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
  Outcome outcome = {all, 0};
  MPI_Allreduce(&error, &outcome.error, 1, MPI_DOUBLE, MPI_MAX, comm);
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank == 0)
    std::printf("%ld links on %d processes: described in %.1f s, forward %.2f s, inverse %.2f s, error %.1e\n",
                static_cast<long>(links), size, built, forward - stated, inverse - forward, outcome.error);
  return outcome;
}

/// On all processes and on the first few: the results do not tell how many there were, and give the forces back.
void check(Index links, int few) {
  const Outcome all = run(MPI_COMM_WORLD, links);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank < few ? 0 : MPI_UNDEFINED, 0, &some);
  if (some == MPI_COMM_NULL) return;
  const Outcome again = run(some, links);
  MPI_Comm_free(&some);
  EXPECT_EQ(again.bits, all.bits);
  // forces pile up from the end of the chain to the base: links of 1.25 kg, in a random walk of 0.2 m a link; their
  // norm
  const double n = static_cast<double>(links), kappa = std::sqrt(n);
  const double scale = 1.25 * n * 9.81 * 0.2 * std::sqrt(n) * std::sqrt(n);
  EXPECT_LT(all.error, 8 * std::numeric_limits<double>::epsilon() * kappa * scale);
}

TEST(Mpi, AHundredThousandLinks) { check(100'000, 1); }

/// No process holds more than half of them.
TEST(SlowMpi, TenMillionLinks) { check(10'000'000, 2); }

}  // namespace
}  // namespace tandem::test
