// SPDX-License-Identifier: Apache-2.0
/// Tandem over batches: algorithm x batch x precision x instruction set x threads x layout.
#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "instruction_sets.hpp"
#include "own_rows.hpp"
#include "threads.hpp"
#include "work.hpp"

namespace tandem::bench {
namespace {

constexpr const char* measured_algorithms[] = {"inverse_dynamics", "mass_matrix", "forward_dynamics"};
constexpr double largest_output = 3e9;  // bytes; larger batches are left out

/// A batch's array in memory of its own, in either layout.
template <class T>
struct Values {
  std::vector<T> data;
  Index rows = 0, batch = 0;
  bool row_batch = false;  ///< [row][batch] rather than [batch][row]

  Array<T> array() { return row_batch ? Array<T>{data.data(), 1, batch} : Array<T>{data.data(), rows, 1}; }
};

/// The first `batch` states of a robot's numbers, [batch][row], converted.
template <class T>
Values<T> values(const std::vector<double>& numbers, Index rows, Index batch, bool row_batch) {
  Values<T> result{std::vector<T>(static_cast<std::size_t>(rows * batch)), rows, batch, row_batch};
  for (Index b = 0; b < batch; ++b)
    for (Index row = 0; row < rows; ++row)
      result.data[static_cast<std::size_t>(row_batch ? row * batch + b : b * rows + row)] =
          static_cast<T>(numbers[static_cast<std::size_t>(b * rows + row)]);
  return result;
}

/// What all rows of one robot, precision, layout and batch read and write: rows run one after another and may share it.
template <class T>
struct BatchData {
  Values<T> q, v, a, tau, out;
  Workspace<T> work;
};

template <class T>
std::shared_ptr<BatchData<T>> data_of(const Robot& robot, Index batch, bool row_batch) {
  const Index nq = robot.model.nq(), nv = robot.model.nv();
  const PlainState& s = robot.plain->batch;
  auto d = std::make_shared<BatchData<T>>();
  d->q = values<T>(s.q, nq, batch, row_batch);
  d->v = values<T>(s.v, nv, batch, row_batch);
  d->a = values<T>(s.a, nv, batch, row_batch);
  d->tau = values<T>(s.tau, nv, batch, row_batch);
  d->out = {{}, nv, batch, row_batch};
  return d;
}

/// The arguments of an algorithm among the data, by name; everything optional left out.
template <class T>
std::vector<Array<T>> arguments_of(const Algorithm& algorithm, const Model& model, BatchData<T>& d) {
  std::vector<Array<T>> arrays;
  for (const Argument& argument : algorithm.arguments) {
    const std::string_view name = argument.name;
    if (argument.role == Role::output) {
      d.out.rows = shape(argument.rows, model.view<T>()).count();
      const auto numbers = static_cast<std::size_t>(d.out.rows * d.out.batch);
      if (d.out.data.size() < numbers) d.out.data.resize(numbers);
      arrays.push_back(d.out.array());
    } else if (argument.role != Role::input) {
      arrays.push_back({});
    } else {
      arrays.push_back((name == "q" ? d.q : name == "v" ? d.v : name == "a" ? d.a : d.tau).array());
    }
  }
  return arrays;
}

/// What a row is besides its robot.
struct BatchKind {
  const char* algorithm;
  Index batch;
  int threads;
  std::string instruction_set;
  bool row_batch;
};

template <class T>
Row row_of(const RobotPointer& robot, const BatchKind& kind, const std::shared_ptr<BatchData<T>>& data) {
  const Algorithm& algorithm = find_algorithm(kind.algorithm);
  const Model model = robot->model;
  Row row{kind.algorithm, robot->plain->name, "tandem", ""};
  row.precision = std::is_same_v<T, float> ? "float" : "double";
  row.instruction_set = kind.instruction_set;
  row.layout = kind.row_batch ? "row_batch" : "batch_row";
  row.batch = kind.batch;
  row.threads = kind.threads;
  const Work work = work_of_state(kind.algorithm, model, row.precision);
  row.flops = work.flops;
  row.bytes = work.bytes;
  row.run = [=, &algorithm](benchmark::State& timing) {
    // here and not earlier, since the memory that rows share may move while they are made
    const std::vector<Array<T>> arrays = arguments_of(algorithm, model, *data);
    const Forced forced(kind.instruction_set);
    for (auto _ : timing) {
      evaluate<T>(algorithm, model, arrays, {kind.batch, kind.threads}, data->work);
      benchmark::ClobberMemory();
    }
  };
  return row;
}

bool fits_in_memory(const Model& model, const BatchKind& kind) {
  const double rows = kind.algorithm == std::string_view("mass_matrix") ? double(model.nv()) * model.nv() : model.nv();
  return 8 * rows * static_cast<double>(kind.batch) < largest_output;
}

/// Every batch on one thread as the library runs by itself; batches of `compared` with other instruction sets and the
/// other layout; large batches on more threads.
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

/// Which joint forces forward dynamics is given: random ones, or those of random accelerations of up to 1 rad/s^2 or m/s^2,
/// which balance weight and inertia, so that rounding shows more.
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
