// SPDX-License-Identifier: Apache-2.0
/// Pinocchio's functions over batches, which run a pool of its Data by OpenMP.
#include "rivals.hpp"

#ifndef TANDEM_BENCH_PINOCCHIO_POOL

namespace tandem::bench {
void add_pinocchio_pool_rows(Rows&, const PlainRobotPointer&) {}
}  // namespace tandem::bench

#else
#include "pinocchio_model.hpp"
#include "threads.hpp"
//
#include <pinocchio/algorithm/parallel/aba.hpp>
#include <pinocchio/algorithm/parallel/rnea.hpp>

namespace tandem::bench {
namespace {

struct Pool {
  pin::ModelPool pool;
  Eigen::MatrixXd q, v, a, tau, out;
};

Eigen::MatrixXd matrix(const std::vector<double>& x, int rows) {
  return Eigen::Map<const Eigen::MatrixXd>(x.data(), rows, compared);
}

}  // namespace

void add_pinocchio_pool_rows(Rows& rows, const PlainRobotPointer& robot) {
  if (!takes(*robot)) return;
  const int nq = robot->nq, nv = robot->nv;
  const PlainState& s = robot->batch;
  for (const int threads : thread_counts()) {
    const auto count = static_cast<std::size_t>(threads);
    auto x = std::make_shared<Pool>(Pool{pin::ModelPool(build(*robot, true), count), matrix(s.q, nq), matrix(s.v, nv),
                                         matrix(s.a, nv), matrix(s.tau, nv), matrix(s.a, nv)});
    const auto add = [&](const char* algorithm, const char* variant, auto call) {
      Row row{algorithm, robot->name, "pinocchio_pool", variant};
      row.batch = compared;
      row.threads = threads;
      row.run = timed([x, count, call] { call(count, *x); });
      rows.push_back(std::move(row));
    };
    add("forward_dynamics", "aba_z",
        [](std::size_t n, Pool& p) { pin::abaInParallel(n, p.pool, p.q, p.v, p.tau, p.out); });
    add("inverse_dynamics", "rnea_z",
        [](std::size_t n, Pool& p) { pin::rneaInParallel(n, p.pool, p.q, p.v, p.a, p.out); });
  }
}

}  // namespace tandem::bench
#endif
