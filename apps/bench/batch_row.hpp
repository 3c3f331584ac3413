// SPDX-License-Identifier: Apache-2.0
/// What rows of batches are made of: a robot's numbers in either layout, and the call that is timed.
#pragma once
#include <array>
#include <memory>
#include <string_view>

#include "instruction_sets.hpp"
#include "own_rows.hpp"
#include "work.hpp"

namespace tandem::bench {

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
  std::array<Values<T>, 3> further;  ///< outputs of algorithms that have several
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
  d->further.fill(d->out);
  return d;
}

/// The arguments of an algorithm among the data, by name; what else is optional is left out.
template <class T>
std::vector<Array<T>> arguments_of(const Algorithm& algorithm, const Model& model, BatchData<T>& d) {
  std::vector<Array<T>> arrays;
  std::size_t outputs = 0;
  for (const Argument& argument : algorithm.arguments) {
    const std::string_view name = argument.name;
    if (argument.role == Role::output) {
      Values<T>& out = outputs == 0 ? d.out : d.further.at(outputs - 1);
      ++outputs;
      out.rows = shape(argument.rows, model.view<T>()).count();
      const auto numbers = static_cast<std::size_t>(out.rows * out.batch);
      if (out.data.size() < numbers) out.data.resize(numbers);
      arrays.push_back(out.array());
    } else if (argument.role != Role::input && name != "v" && name != "a") {
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
  Specialise specialise = Specialise::off;
};

/// Nothing for code that serves any robot, else how plans come to other code: "specialise automatic", "specialise
/// wait".
inline std::string variant_of(Specialise specialise) {
  return specialise == Specialise::off ? "" : std::string("specialise ") + to_string(specialise);
}

template <class T>
Row row_of(const RobotPointer& robot, const BatchKind& kind, const std::shared_ptr<BatchData<T>>& data) {
  const Algorithm& algorithm = find_algorithm(kind.algorithm);
  const Model model = robot->model;
  Row row{kind.algorithm, robot->plain->name, "tandem", variant_of(kind.specialise)};
  row.precision = std::is_same_v<T, float> ? "float" : "double";
  row.instruction_set = kind.instruction_set;
  row.layout = kind.row_batch ? "row_batch" : "batch_row";
  row.batch = kind.batch;
  row.threads = kind.threads;
  const Forced while_it_is_made(kind.instruction_set);
  const Plan<T> plan(model, algorithm, {}, {}, kind.specialise);
  const Work work = work_of_state(kind.algorithm, model, row.precision);
  row.flops = kind.specialise == Specialise::off ? work.flops : 0;  // code for one robot has fewer operations
  row.bytes = work.bytes;
  row.run = [=, &algorithm](benchmark::State& timing) {
    // here and not earlier, since the memory that rows share may move while they are made
    const std::vector<Array<T>> arrays = arguments_of(algorithm, model, *data);
    const Forced forced(kind.instruction_set);
    for (auto _ : timing) {
      evaluate(plan, arrays, {kind.batch, kind.threads}, data->work);
      benchmark::ClobberMemory();
    }
  };
  return row;
}

}  // namespace tandem::bench
