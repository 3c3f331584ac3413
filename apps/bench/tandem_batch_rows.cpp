// SPDX-License-Identifier: Apache-2.0
/// Tandem over batches: algorithm x batch x precision x instruction set x threads x layout.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "batch_row.hpp"
#include "threads.hpp"

namespace tandem::bench {
namespace {

constexpr const char* measured_algorithms[] = {"inverse_dynamics", "mass_matrix", "forward_dynamics"};
constexpr const char* derivatives[] = {"inverse_dynamics_derivatives", "forward_dynamics_derivatives",
                                       "inverse_mass_matrix", "inverse_dynamics_vjp",
                                       "forward_dynamics_vjp"};  // of `compared` states on one thread
constexpr double largest_output = 3e9;                           // bytes; larger batches are left out

bool fits_in_memory(const Model& model, const BatchKind& kind) {
  const std::string_view algorithm = kind.algorithm;
  const bool matrix = algorithm.ends_with("mass_matrix") || algorithm.ends_with("_derivatives");
  const double rows = matrix ? double(model.nv()) * model.nv() : model.nv();
  return 8 * rows * static_cast<double>(kind.batch) < largest_output;
}

/// Every batch on one thread as the library runs by itself; batches of `compared` with other instruction sets and the
/// other layout; large batches on more threads. All of it by the code for any robot and as plans choose by themselves.
std::vector<BatchKind> kinds(const std::vector<Index>& batches) {
  const std::vector<std::string> sets = instruction_sets_measured();
  std::vector<BatchKind> result;
  for (const char* algorithm : measured_algorithms) {
    for (const Index batch : batches) result.push_back({algorithm, batch, 1, sets[0], false});
    for (std::size_t k = 1; k < sets.size(); ++k) result.push_back({algorithm, compared, 1, sets[k], false});
    result.push_back({algorithm, compared, 1, sets[0], true});
    for (const Index batch : {compared, 16 * compared})
      for (const int threads : thread_counts())
        if (threads > 1) result.push_back({algorithm, batch, threads, sets[0], false});
  }
  for (std::size_t k = 0, n = result.size(); k < n; ++k) {
    result.push_back(result[k]);
    result.back().specialise = Specialise::automatic;
  }
  for (const char* algorithm : derivatives) result.push_back({algorithm, compared, 1, sets[0], false});
  return result;
}

template <class T>
void add(Rows& rows, const RobotPointer& robot, const std::vector<Index>& batches) {
  std::map<std::pair<Index, bool>, std::shared_ptr<BatchData<T>>> data;
  for (const BatchKind& kind : kinds(batches)) {
    if (!fits_in_memory(robot->model, kind)) continue;
    auto& d = data[{kind.batch, kind.row_batch}];
    if (!d) d = data_of<T>(*robot, kind.batch, kind.row_batch);
    rows.push_back(row_of<T>(robot, kind, d));
  }
}

}  // namespace

void add_tandem_batch_rows(Rows& rows, const RobotPointer& robot, const std::vector<Index>& batches) {
  add<double>(rows, robot, batches);
  add<float>(rows, robot, batches);
}

namespace {

template <class T>
void run(const char* name, const Model& model, BatchData<T>& data, Index batch) {
  const Algorithm& algorithm = find_algorithm(name);
  evaluate<T>(algorithm, model, arguments_of(algorithm, model, data), {batch, 1}, data.work);
}

/// Which joint forces forward dynamics is given: random ones, or those of random accelerations of up to 1 rad/s^2 or
/// m/s^2, which balance weight and inertia, so that rounding shows more.
enum class Forces { random, of_motion };

/// Largest error over largest component of each state, in order.
std::vector<double> errors_of_float(const Robot& robot, Index batch, Forces forces) {
  const Model& model = robot.model;
  const Index nv = model.nv();
  const auto in_float = data_of<float>(robot, batch, false);
  const auto in_double = data_of<double>(robot, batch, false);
  if (forces == Forces::of_motion) {
    run("inverse_dynamics", model, *in_double, batch);
    std::copy_n(in_double->out.data.begin(), batch * nv, in_float->tau.data.begin());
  }
  // both start from the same numbers: those that float can hold
  for (const auto& [from, to] : {std::pair(&in_float->q, &in_double->q), std::pair(&in_float->v, &in_double->v),
                                 std::pair(&in_float->tau, &in_double->tau)})
    std::copy(from->data.begin(), from->data.end(), to->data.begin());
  run("forward_dynamics", model, *in_float, batch);
  run("forward_dynamics", model, *in_double, batch);
  std::vector<double> errors;
  for (Index b = 0; b < batch; ++b) {
    double error = 0, size = 0;
    for (Index k = b * nv; k < (b + 1) * nv; ++k) {
      const double exact = in_double->out.data[static_cast<std::size_t>(k)];
      error = std::max(error, std::abs(in_float->out.data[static_cast<std::size_t>(k)] - exact));
      size = std::max(size, std::abs(exact));
    }
    errors.push_back(error / size);
  }
  std::sort(errors.begin(), errors.end());
  return errors;
}

}  // namespace

Line float_accuracy(const Robot& robot) {
  const Index batch = std::min(robot.plain->batch_size, compared);
  const auto summary = [&](Forces forces) -> Line {
    const std::vector<double> errors = errors_of_float(robot, batch, forces);
    const auto at = [&](double p) {
      return errors[static_cast<std::size_t>(p * static_cast<double>(errors.size() - 1))];
    };
    return {{"median", at(0.5)}, {"p90", at(0.9)}, {"largest", at(1)}};
  };
  return {{"kind", "accuracy"},
          {"algorithm", "forward_dynamics"},
          {"robot", robot.plain->name},
          {"library", "tandem"},
          {"precision", "float"},
          {"states", batch},
          {"error_with_random_forces", summary(Forces::random)},
          {"error_with_forces_of_unit_accelerations", summary(Forces::of_motion)}};
}

}  // namespace tandem::bench
