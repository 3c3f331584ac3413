// SPDX-License-Identifier: Apache-2.0
/// A row of processes.
#include <limits>

#include "backends/macroparallel/processor.hpp"
#include "core/text.hpp"
#include "part.hpp"

namespace tandem::mpi {
namespace {

using macroparallel::Side;

class RankRow final : public macroparallel::Row {
 public:
  explicit RankRow(const Communicator& comm) : comm_(comm.get()), place_(comm.rank()), size_(comm.size()) {}
  int place() const override { return place_; }
  int size() const override { return size_; }
  void send(Side to, const double* numbers, int n) override {
    MPI_Send(numbers, n, MPI_DOUBLE, neighbour(to), 0, comm_);
  }
  void receive(Side from, double* numbers, int n) override {
    MPI_Recv(numbers, n, MPI_DOUBLE, neighbour(from), 0, comm_, MPI_STATUS_IGNORE);
  }

 private:
  int neighbour(Side side) const { return side == Side::tip ? place_ + 1 : place_ - 1; }
  MPI_Comm comm_;
  int place_, size_;
};

}  // namespace

MacroparallelReport Chain::macroparallel(std::span<const double> q, std::span<const double> v,
                                         std::span<const double> tau, std::span<const double> f_ext,
                                         std::span<double> a, const MacroparallelOptions& options) {
  Part& part = *part_;
  const auto& m = part.model.view();
  on_all(part.all, [&] {
    macroparallel::check_options(options);
    if (options.from_last)
      throw Error(
          "macroparallel: from_last is true, which processes do not support; expected "
          "false, or tandem::Macroparallel on threads");
    check_size("q", q.size(), nq());
    check_size("v", v.size(), nv());
    check_size("tau", tau.size(), nv());
    check_forces(f_ext.size(), links());
    check_size("a", a.size(), nv());
    if (part.here() > 0) macroparallel::check_served(m, 1, m.n_links);
  });
  MacroparallelReport report;
  Index iterations[2] = {};
  if (part.here() > 0) {
    Index counts[2] = {macroparallel::unknowns_of(m, 1, m.n_links), links()}, most = 0, bodies = 0;
    MPI_Allreduce(&counts[0], &most, 1, MPI_INT64_T, MPI_MAX, part.outward.get());
    MPI_Allreduce(&counts[1], &bodies, 1, MPI_INT64_T, MPI_SUM, part.outward.get());
    RankRow row(part.outward);
    const auto processor = macroparallel::processor_for(m, 1, m.n_links, bodies, static_cast<int>(most));
    MPI_Barrier(part.outward.get());
    report = processor->run(row, options,
                            {q.data(), v.data(), tau.data(), {f_ext.empty() ? nullptr : f_ext.data(), 6}, a.data()});
    iterations[0] = report.iterations;
  }
  // of all: those that have links
  const double none = part.here() > 0 ? 1 : 0;
  double mine[8] = {none,
                    none * report.messages,
                    none * report.stage[0],
                    none * report.stage[1],
                    none * report.stage[2],
                    none * report.stage[3],
                    none * report.stage[4],
                    0};
  double all[8], slowest = 0;
  MPI_Allreduce(mine, all, 8, MPI_DOUBLE, MPI_SUM, part.all.get());
  MPI_Allreduce(&report.seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, part.all.get());
  MPI_Allreduce(&iterations[0], &iterations[1], 1, MPI_INT64_T, MPI_MAX, part.all.get());
  int failed[2] = {report.converged ? 0 : 1, 0}, early[2] = {part.here() > 0 && iterations[0] < iterations[1], 0};
  MPI_Allreduce(&failed[0], &failed[1], 1, MPI_INT, MPI_SUM, part.all.get());
  MPI_Allreduce(&early[0], &early[1], 1, MPI_INT, MPI_SUM, part.all.get());
  report.iterations = iterations[1];
  report.converged = failed[1] == 0;
  report.seconds = slowest;
  report.messages = all[1] / all[0];
  for (std::size_t k = 0; k < 5; ++k) report.stage[k] = all[2 + k] / all[0];
  report.stopped_early = early[1];
  return report;
}

}  // namespace tandem::mpi
