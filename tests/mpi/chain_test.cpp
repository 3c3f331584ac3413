// SPDX-License-Identifier: Apache-2.0
#include "backends/mpi/part_model.hpp"
#include "mpi/chains.hpp"
#include "support/property.hpp"

namespace tandem::test {
namespace {

int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}
int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

/// Calls f with a communicator of the first processes, on these.
template <class F>
void on_processes(int count, F&& f) {
  MPI_Comm some = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_in(MPI_COMM_WORLD) < count ? 0 : MPI_UNDEFINED, 0, &some);
  if (some == MPI_COMM_NULL) return;
  f(some);
  MPI_Comm_free(&some);
}

/// The rows of all processes, on the first one.
Vector rows_of_all(MPI_Comm comm, const std::vector<double>& here) {
  const int n = static_cast<int>(here.size()), processes = size_of(comm);
  std::vector<int> counts(static_cast<std::size_t>(processes)), begins(counts);
  MPI_Gather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, 0, comm);
  for (std::size_t k = 1; k < begins.size(); ++k) begins[k] = begins[k - 1] + counts[k - 1];
  Vector all(rank_in(comm) == 0 ? begins.back() + counts.back() : 0);
  MPI_Gatherv(here.data(), n, MPI_DOUBLE, all.data(), counts.data(), begins.data(), MPI_DOUBLE, 0, comm);
  return all;
}

struct Results {
  Vector a, tau;  ///< of forward dynamics; of inverse dynamics with these accelerations
};
Results results(MPI_Comm comm, Kind kind, Index links, const mpi::ChainOptions& options, bool forces, double speed) {
  mpi::Chain chain(
      comm, links, [&](Index i) { return chain_link(kind, i); }, options);
  ChainState s = chain_state(kind, chain.first_link(), chain.links(), speed);
  if (!forces) s.f_ext.clear();
  const auto nv = static_cast<std::size_t>(chain.nv());
  std::vector<double> a(nv, std::nan("")), tau(a);
  chain.forward_dynamics(s.q, s.v, s.tau, s.f_ext, a);
  chain.inverse_dynamics(s.q, s.v, a, s.f_ext, tau);
  return {rows_of_all(comm, a), rows_of_all(comm, tau)};
}

void check_bits(Kind kind, Index links, Index chunk) {
  SCOPED_TRACE(std::to_string(static_cast<int>(kind)) + ", " + std::to_string(links) + " links in chunks of " +
               std::to_string(chunk));
  Results alone;
  for (int processes = 1; processes <= size_of(MPI_COMM_WORLD); ++processes)
    on_processes(processes, [&](MPI_Comm comm) {
      const Results r = results(comm, kind, links, {.chunk = chunk}, true, 0.01);
      if (rank_in(comm) != 0) return;
      if (processes == 1) alone = r;
      EXPECT_TRUE(r.a.allFinite());
      EXPECT_TRUE(same_bits(r.a.data(), alone.a.data(), static_cast<std::size_t>(r.a.size()))) << processes;
      EXPECT_TRUE(same_bits(r.tau.data(), alone.tau.data(), static_cast<std::size_t>(r.tau.size()))) << processes;
    });
}

TEST(Mpi, ResultsHaveTheSameBitsOnAnyNumberOfProcesses) {
  for (const Index links : {1, 2, 3, 5, 8, 13, 33, 100})
    for (const Index chunk : {1, 2, 7, 64}) check_bits(Kind::arm, links, chunk);
  for (const Kind kind : {Kind::rope, Kind::every_joint}) check_bits(kind, 200, 12);
  check_bits(Kind::bending_rope, 400, 16);
  check_bits(Kind::arm, 1000, 16);
  check_bits(Kind::arm, 6000, 256);
}

void check_serial(Kind kind, Index links, Index chunk, bool forces) {
  SCOPED_TRACE(std::to_string(static_cast<int>(kind)) + ", " + std::to_string(links) + " links in chunks of " +
               std::to_string(chunk));
  const double speed = 0.01;
  const Results r = results(MPI_COMM_WORLD, kind, links, {.chunk = chunk}, forces, speed);
  if (rank_in(MPI_COMM_WORLD) != 0) return;
  const Model model = whole_chain(kind, links);
  const ChainState s = chain_state(kind, 1, links, speed);
  const auto vector = [](const std::vector<double>& x) -> Vector {
    return Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
  };
  const Vector q = vector(s.q), v = vector(s.v), tau = vector(s.tau);
  Vector f_ext = Vector::Zero(6 * model.n_links());
  if (forces) f_ext.tail(6 * links) = vector(s.f_ext);
  Robot<double> robot(model);
  // kappa as of long chains: rounding errors of a link's motion are a random walk along its way to the base
  const double kappa = std::sqrt(static_cast<double>(links));
  const double scale = scales(model, q, v, r.a).force + tau.norm() + f_ext.norm() * std::sqrt(links);
  expect_near(r.tau, robot.inverse_dynamics(q, v, r.a, f_ext, Method::recursive_newton_euler),
              tolerance<double>(8, kappa, scale), "inverse dynamics");
  expect_near(r.a, robot.forward_dynamics(q, v, tau, Method::articulated_body, f_ext),
              tolerance<double>(32, kappa, r.a.cwiseAbs().maxCoeff()), "forward dynamics");
}

TEST(Mpi, AgreesWithTheSerialAlgorithms) {
  for (const Kind kind : {Kind::arm, Kind::rope, Kind::bending_rope, Kind::every_joint}) {
    check_serial(kind, 2, 2, true);
    check_serial(kind, 100, 12, true);
    check_serial(kind, 1000, 64, false);
  }
  check_serial(Kind::arm, 20000, 256, true);
}

/// A part's numbers are those of the whole chain's model, to the last bit, wherever the chain is cut.
TEST(Mpi, PartsAreThoseOfTheWholeModel) {
  for (const Kind kind : {Kind::arm, Kind::bending_rope, Kind::every_joint}) {
    const Index links = 60;
    const Model whole = whole_chain(kind, links);
    const ModelView<double>& m = whole.view<double>();
    for (const auto& [first, end] : {std::pair<Index, Index>{1, 61}, {1, 2}, {2, 31}, {31, 61}, {60, 61}}) {
      const mpi::PartModel part(first, end, links, [&](Index i) { return chain_link(kind, i); }, {0, 0, -9.81});
      const ModelView<double>& p = part.view();
      ASSERT_EQ(p.n_links, end - first + 1);
      for (int k = 1; k < p.n_links; ++k) {
        const auto i = static_cast<int>(first) + k - 1;
        const auto rows = [&](const double* here, const double* there, Index n) {
          return same_bits(here + n * k, there + n * i, static_cast<std::size_t>(n));
        };
        EXPECT_EQ(p.type[k], m.type[i]);
        EXPECT_TRUE(rows(p.placement, m.placement, 12)) << i;
        EXPECT_TRUE(rows(p.inertia, m.inertia, 10)) << i;
        EXPECT_TRUE(rows(p.frame_placement, m.frame_placement, 12)) << i;
        EXPECT_TRUE(same_bits(p.armature + p.v_index[k], m.armature + m.v_index[i],
                              static_cast<std::size_t>(joint_nv(m.type[i]))));
      }
      EXPECT_TRUE(same_bits(&p.base_acceleration[0], &m.base_acceleration[0], 6));
    }
  }
}

template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const std::exception& e) {
    return e.what();
  }
  return "nothing";
}

/// Whoever is wrong, all hear of it, and none waits for ever.
TEST(Mpi, ErrorsOfOneProcessReachAll) {
  const int last = size_of(MPI_COMM_WORLD) - 1, rank = rank_in(MPI_COMM_WORLD);
  const std::string where =
      rank == last ? "" : "process " + std::to_string(last) + " of " + std::to_string(last + 1) + ": ";
  const auto link = [](Index i) { return chain_link(Kind::arm, i); };

  mpi::Chain chain(MPI_COMM_WORLD, 100, link, {.chunk = 4});
  ChainState s = chain_state(Kind::arm, chain.first_link(), chain.links(), 0.01);
  std::vector<double> a(static_cast<std::size_t>(chain.nv()));
  const auto rows = std::to_string(a.size());
  auto v = s.v;
  if (rank == last) v.pop_back();
  const std::string message = error_of([&] { chain.forward_dynamics(s.q, v, s.tau, {}, a); });
  EXPECT_EQ(message.substr(0, where.size() + 2), where + "v:");
  EXPECT_EQ(error_of([&] { chain.inverse_dynamics(s.q, v, s.tau, {}, a); }), message);
  EXPECT_EQ(error_of([&] { chain.forward_dynamics(s.q, s.v, s.tau, {}, a); }), "nothing");  // and all goes on

  EXPECT_EQ(error_of([&] {
              mpi::Chain(MPI_COMM_WORLD, 100, [&](Index i) {
                if (i == 100) throw std::runtime_error("no such link");
                return link(i);
              });
            }),
            size_of(MPI_COMM_WORLD) == 1 || rank == last ? "no such link" : where + "no such link");
  EXPECT_NE(error_of([&] {
              mpi::Chain(MPI_COMM_WORLD, 100, [&](Index i) {
                auto made = link(i);
                if (i == 70) made.joint.type = JointType::fixed;
                return made;
              });
            }).find("link 70 of the chain: its joint is fixed"),
            std::string::npos);
  EXPECT_NE(error_of([&] { mpi::Chain(MPI_COMM_WORLD, 0, link); }).find("links is 0"), std::string::npos);
  EXPECT_NE(error_of([&] { mpi::Chain(MPI_COMM_WORLD, 9, link, {.chunk = 0}); }).find("chunk is 0"),
            std::string::npos);
}

TEST(Mpi, TellsWhichRowsAreHere) {
  mpi::Chain chain(MPI_COMM_WORLD, 103, [](Index i) { return chain_link(Kind::every_joint, i); }, {.chunk = 10});
  const ChainState before = chain_state(Kind::every_joint, 1, chain.first_link() - 1, 1);
  const ChainState here = chain_state(Kind::every_joint, chain.first_link(), chain.links(), 1);
  EXPECT_EQ(chain.first_q(), static_cast<Index>(before.q.size()));
  EXPECT_EQ(chain.first_v(), static_cast<Index>(before.v.size()));
  EXPECT_EQ(chain.nq(), static_cast<Index>(here.q.size()));
  EXPECT_EQ(chain.nv(), static_cast<Index>(here.v.size()));
  int links = static_cast<int>(chain.links()), all = 0;
  MPI_Allreduce(&links, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT_EQ(all, 103);
}

}  // namespace
}  // namespace tandem::test
