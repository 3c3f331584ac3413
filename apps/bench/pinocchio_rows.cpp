// SPDX-License-Identifier: Apache-2.0
/// Pinocchio's plain C++ on the same robots, in each of its conventions: one state at a time, and one after another
/// over a batch, where each result is copied to an array of all.
#include "rivals.hpp"

#ifndef TANDEM_BENCH_PINOCCHIO

namespace tandem::bench {
void add_pinocchio_rows(Rows&, const PlainRobotPointer&) {}
void add_pinocchio_batch_rows(Rows&, const PlainRobotPointer&) {}
std::string pinocchio_version() { return {}; }
}  // namespace tandem::bench

#else
#include "pinocchio_model.hpp"
//
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/kinematics.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/config.hpp>

#include <algorithm>
#include <tuple>

namespace tandem::bench {
namespace {

struct Instance {
  pin::Model model;
  pin::Data data;
  std::vector<Vector> q, v, a, tau;
  Vector out;
  std::vector<double> results;
  explicit Instance(pin::Model built) : model(std::move(built)), data(model) {}
};

Vector vector(const double* x, int rows) { return Eigen::Map<const Vector>(x, rows); }

/// All states of one robot, with joint axes as described or turned to z.
std::shared_ptr<Instance> instance(const PlainRobot& robot, bool z_axes, std::int64_t batch) {
  auto x = std::make_shared<Instance>(build(robot, z_axes));
  const int nq = robot.nq, nv = robot.nv;
  const auto add = [&](const double* q, const double* v, const double* a, const double* tau) {
    x->q.push_back(vector(q, nq));
    x->v.push_back(vector(v, nv));
    x->a.push_back(vector(a, nv));
    x->tau.push_back(vector(tau, nv));
  };
  if (batch == 0)
    for (const PlainState& s : robot.states) add(s.q.data(), s.v.data(), s.a.data(), s.tau.data());
  const PlainState& s = robot.batch;
  for (std::int64_t b = 0; b < batch; ++b)
    add(s.q.data() + b * nq, s.v.data() + b * nv, s.a.data() + b * nv, s.tau.data() + b * nv);
  return x;
}

/// Copies result k to the array of all; a state has one or two of them.
template <class Result>
void keep(Instance& x, std::size_t k, const Result& result) {
  const auto size = static_cast<std::size_t>(result.size());
  if (x.results.size() < 2 * x.q.size() * size) x.results.resize(2 * x.q.size() * size);
  std::copy_n(result.data(), size, x.results.data() + k * size);
}

/// Rows with one of the two choices of frames. Batch 0: one state at a time.
void add_rows(Rows& rows, const PlainRobotPointer& robot, bool z_axes, std::int64_t batch) {
  const std::string suffix = z_axes ? "_z" : "";
  const auto x = instance(*robot, z_axes, batch);
  const auto add = [&](const char* algorithm, const std::string& variant, auto call) {
    Row row{algorithm, robot->name, "pinocchio", variant + suffix};
    if (batch == 0) {
      row.run = timed([x, call, k = std::size_t{0}]() mutable {
        (void)call(*x, k);
        k = k + 1 == x->q.size() ? 0 : k + 1;
      });
    } else {
      row.batch = batch;
      row.run = timed([x, call] {
        for (std::size_t k = 0; k < x->q.size(); ++k) {
          const auto& result = call(*x, k);
          if constexpr (requires { std::get<1>(result); }) {
            keep(*x, 2 * k, std::get<0>(result));
            keep(*x, 2 * k + 1, std::get<1>(result));
          } else {
            keep(*x, k, result);
          }
        }
      });
    }
    rows.push_back(std::move(row));
  };
  add("inverse_dynamics", "rnea",
      [](Instance& i, std::size_t k) -> const auto& { return pin::rnea(i.model, i.data, i.q[k], i.v[k], i.a[k]); });
  add("inverse_dynamics_derivatives", "computeRNEADerivatives", [](Instance& i, std::size_t k) {
    pin::computeRNEADerivatives(i.model, i.data, i.q[k], i.v[k], i.a[k]);
    return std::tie(i.data.dtau_dq, i.data.dtau_dv);
  });
  add("forward_dynamics_derivatives", "computeABADerivatives", [](Instance& i, std::size_t k) {
    pin::computeABADerivatives(i.model, i.data, i.q[k], i.v[k], i.tau[k]);
    return std::tie(i.data.ddq_dq, i.data.ddq_dv);
  });
  add("inverse_mass_matrix", "computeMinverse",
      [](Instance& i, std::size_t k) -> const auto& { return pin::computeMinverse(i.model, i.data, i.q[k]); });
  for (const auto convention : {pin::Convention::LOCAL, pin::Convention::WORLD}) {
    const std::string which = convention == pin::Convention::LOCAL ? "_local" : "_world";
    add("forward_dynamics", "aba" + which, [convention](Instance& i, std::size_t k) -> const auto& {
      return pin::aba(i.model, i.data, i.q[k], i.v[k], i.tau[k], convention);
    });
    add("mass_matrix", "crba" + which, [convention](Instance& i, std::size_t k) -> const auto& {
      return pin::crba(i.model, i.data, i.q[k], convention);
    });
    add("forward_dynamics", "nle_crba_cholesky" + which, [convention](Instance& i, std::size_t k) -> const Vector& {
      pin::nonLinearEffects(i.model, i.data, i.q[k], i.v[k]);
      pin::crba(i.model, i.data, i.q[k], convention);
      pin::cholesky::decompose(i.model, i.data);
      i.out = i.tau[k] - i.data.nle;
      pin::cholesky::solve(i.model, i.data, i.out);
      return i.out;
    });
  }
  if (batch > 0) return;
  add("forward_kinematics", "", [](Instance& i, std::size_t k) -> const Vector& {
    pin::forwardKinematics(i.model, i.data, i.q[k]);
    return i.q[k];  // poses stay where they are
  });
}

}  // namespace

void add_pinocchio_rows(Rows& rows, const PlainRobotPointer& robot) {
  if (!takes(*robot)) return;
  for (const bool z_axes : {false, true}) add_rows(rows, robot, z_axes, 0);
}

void add_pinocchio_batch_rows(Rows& rows, const PlainRobotPointer& robot) {
  if (!takes(*robot)) return;
  for (const bool z_axes : {false, true}) add_rows(rows, robot, z_axes, compared);
}

std::string pinocchio_version() { return PINOCCHIO_VERSION; }

}  // namespace tandem::bench
#endif
