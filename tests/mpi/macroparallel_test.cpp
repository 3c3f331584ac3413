// SPDX-License-Identifier: Apache-2.0
/// A chain on a row of processes, by conjugate gradients among neighbours.
#include <gmock/gmock.h>

#include "mpi/chains.hpp"
#include "support/errors.hpp"
#include "support/property.hpp"

namespace tandem::test {
namespace {

using ::testing::HasSubstr;

int processes() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Beside forward_dynamics of the same chain by scan, which tests/mpi/chain_test.cpp holds against one process.
void check(Kind kind, Index links, Index chunk, bool freezes) {
  mpi::Chain chain(MPI_COMM_WORLD, links, [&](Index i) { return chain_link(kind, i); }, {.chunk = chunk});
  ChainState s = chain_state(kind, chain.first_link(), chain.links(), 0.1);
  std::vector<double> direct(static_cast<std::size_t>(chain.nv())), a(direct.size(), std::nan(""));
  chain.forward_dynamics(s.q, s.v, s.tau, s.f_ext, direct);
  const MacroparallelReport report = chain.macroparallel(
      s.q, s.v, s.tau, s.f_ext, a, {.tolerance = 1e-10, .freezing = freezes ? Freezing::forces : Freezing::none});
  double mine[2] = {}, all[2] = {};
  for (std::size_t k = 0; k < a.size(); ++k) {
    mine[0] = std::max(mine[0], std::isfinite(a[k]) ? std::abs(a[k] - direct[k]) : 1e9);
    mine[1] = std::max(mine[1], std::abs(direct[k]));
  }
  MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  EXPECT_LE(all[0], (freezes ? 1e-2 : 1e-6) * all[1]) << links << " links in chunks of " << chunk;
  EXPECT_TRUE(report.converged);
  EXPECT_GT(report.iterations, 0);
  EXPECT_GT(report.seconds, 0);
  const bool alone = processes() == 1 || chunk >= links;
  EXPECT_EQ(report.messages == 0, alone);
}

TEST(MpiMacroparallel, GivesWhatTheScanGives) {
  check(Kind::arm, 1, 1, false);  // of several processes all but one have no link
  check(Kind::arm, 3, 1, false);
  check(Kind::arm, 8, 1, false);
  check(Kind::arm, 40, 4, false);
  check(Kind::rope, 12, 1, false);
  check(Kind::every_joint, 16, 1, false);
}

TEST(MpiMacroparallel, Freezes) {
  check(Kind::arm, 8, 1, true);
  check(Kind::arm, 40, 1, true);
}

TEST(MpiMacroparallel, IsTheRowOfThreads) {
  constexpr Index links = 24;
  mpi::Chain chain(MPI_COMM_WORLD, links, [](Index i) { return chain_link(Kind::arm, i); }, {.chunk = 1});
  const ChainState here = chain_state(Kind::arm, chain.first_link(), chain.links(), 0.1),
                   whole = chain_state(Kind::arm, 1, links, 0.1);
  std::vector<double> a(static_cast<std::size_t>(chain.nv())), expected(static_cast<std::size_t>(links));
  const MacroparallelReport report = chain.macroparallel(here.q, here.v, here.tau, {}, a, {.tolerance = 1e-9});
  const MacroparallelReport of_threads =
      Macroparallel(whole_chain(Kind::arm, links), {.processors = processes(), .tolerance = 1e-9})
          .forward_dynamics(whole.q, whole.v, whole.tau, {}, expected);
  EXPECT_EQ(report.iterations, of_threads.iterations);
  EXPECT_EQ(report.messages, of_threads.messages);
  for (std::size_t k = 0; k < a.size(); ++k)
    EXPECT_EQ(a[k], expected[static_cast<std::size_t>(chain.first_v()) + k]) << "the same sums in the same order";
}

TEST(MpiMacroparallel, RefusesOnAllProcesses) {
  mpi::Chain chain(MPI_COMM_WORLD, 20, [](Index i) { return chain_link(Kind::bending_rope, i); }, {.chunk = 2});
  const ChainState s = chain_state(Kind::bending_rope, chain.first_link(), chain.links(), 0.1);
  std::vector<double> a(static_cast<std::size_t>(chain.nv()));
  EXPECT_THAT(error_of([&] { chain.macroparallel(s.q, s.v, s.tau, {}, a); }), HasSubstr("a link has no mass"));
  EXPECT_THAT(error_of([&] { chain.macroparallel(s.q, s.v, s.tau, {}, a, {.tolerance = -1}); }),
              HasSubstr("tolerance is -1"));
}

}  // namespace
}  // namespace tandem::test
