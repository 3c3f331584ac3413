// SPDX-License-Identifier: Apache-2.0
/// Tandem on one long robot at a time: algorithm x method x precision x threads.
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "instruction_sets.hpp"
#include "own_rows.hpp"

namespace tandem::bench {
namespace {

constexpr int longest_matrix = 1024;  // degrees of freedom of mass matrices

/// States of a robot in one precision, results and scratch memory: rows run one after another and share them.
template <class T>
struct LinksData {
  std::vector<std::vector<T>> q, v, a, tau;  // one for each state
  std::vector<T> frames;                     // weights of all frames
  std::vector<std::vector<T>> out;           // one for each output
  T dt = T(1e-3);
  Workspace<T> work;
};

template <class T>
std::shared_ptr<LinksData<T>> data_of(const Robot& robot) {
  auto d = std::make_shared<LinksData<T>>();
  const auto convert = [](const std::vector<double>& x) {
    std::vector<T> y;
    for (const double number : x) y.push_back(static_cast<T>(number));
    return y;
  };
  for (const PlainState& s : robot.plain->states) {
    d->q.push_back(convert(s.q));
    d->v.push_back(convert(s.v));
    d->a.push_back(convert(s.a));
    d->tau.push_back(convert(s.tau));
  }
  return d;
}

/// Products of kinematics, which are little without what is optional.
bool is_of_frames(const Algorithm& algorithm) {
  return std::ranges::count(algorithm.arguments, tandem::Rows::frame_motion, &Argument::rows) > 0;
}

/// The arguments of an algorithm in state k; everything optional left out, but of frames.
template <class T>
std::vector<Array<T>> arguments_of(const Algorithm& algorithm, const Model& model, LinksData<T>& d, std::size_t k) {
  std::vector<Array<T>> arrays;
  std::size_t outputs = 0, weights = 0;
  while (std::ssize(d.frames) < 24 * model.n_frames()) d.frames.push_back(static_cast<T>(d.frames.size() % 7) / 8);
  for (const Argument& argument : algorithm.arguments) {
    const std::string_view name = argument.name;
    const auto numbers = static_cast<std::size_t>(shape(argument.rows, model.view<T>()).count());
    if (is_optional(argument) && !is_of_frames(algorithm)) {
      arrays.push_back({});
    } else if (!is_input(argument)) {
      if (d.out.size() == outputs) d.out.emplace_back();
      auto& out = d.out[outputs++];
      if (out.size() < numbers) out.resize(numbers);
      arrays.push_back({out.data(), 0, 1});
    } else if (name == "dt") {
      arrays.push_back({&d.dt, 0, 1});
    } else if (argument.rows == tandem::Rows::pose || argument.rows == tandem::Rows::frame_motion) {
      arrays.push_back({d.frames.data() + weights, 0, 1});
      weights += numbers;
    } else {
      auto& columns = name == "q" ? d.q : name == "v" ? d.v : name == "a" ? d.a : d.tau;
      arrays.push_back({columns[k].data(), 0, 1});
    }
  }
  return arrays;
}

/// What a row is besides its robot and precision.
struct LinksKind {
  const char* algorithm;
  Options options;
  int threads;
};

std::vector<LinksKind> kinds(Index nv) {
  const Options dcae = {.method = Method::divide_and_conquer_efficient, .chunks = 2};
  std::vector<LinksKind> result = {{"forward_dynamics", {.method = Method::articulated_body}, 1},
                                   {"inverse_dynamics", {.method = Method::recursive_newton_euler}, 1}};
  for (const char* product :
       {"inverse_dynamics_jvp", "inverse_dynamics_vjp", "forward_kinematics_jvp", "forward_kinematics_vjp"})
    result.push_back({product, {.method = Method::recursive_newton_euler}, 1});
  for (const char* product : {"forward_dynamics_jvp", "forward_dynamics_vjp", "step_jvp", "step_vjp"})
    result.push_back({product, {.method = Method::articulated_body}, 1});
  if (nv <= longest_matrix) result.push_back({"mass_matrix", {.method = Method::composite_rigid_body}, 1});
  for (const int threads : {1, 2}) {
    result.push_back({"forward_dynamics", {.method = Method::scan}, threads});
    result.push_back({"forward_dynamics", dcae, threads});
    result.push_back({"forward_dynamics", {}, threads});
    result.push_back({"inverse_dynamics", {.method = Method::scan}, threads});
    for (const char* product :
         {"inverse_dynamics_jvp", "inverse_dynamics_vjp", "forward_dynamics_jvp", "forward_dynamics_vjp",
          "forward_kinematics_jvp", "forward_kinematics_vjp", "step_jvp", "step_vjp"})
      result.push_back({product, {.method = Method::scan}, threads});
    if (nv <= longest_matrix) result.push_back({"mass_matrix", {.method = Method::composite_scan}, threads});
  }
  return result;
}

template <class T>
void add(Rows& rows, const RobotPointer& robot) {
  const auto data = data_of<T>(*robot);
  const Model model = robot->model;
  for (const LinksKind& kind : kinds(model.nv())) {
    const Algorithm& algorithm = find_algorithm(kind.algorithm);
    if (refusal(algorithm, model, kind.options)) continue;
    Row row{kind.algorithm, robot->plain->name, "tandem", to_string(kind.options.method)};
    row.precision = std::is_same_v<T, float> ? "float" : "double";
    row.instruction_set = instruction_set();
    row.threads = kind.threads;
    row.run = [=, &algorithm](benchmark::State& timing) {
      std::vector<std::vector<Array<T>>> states;
      for (std::size_t k = 0; k < data->q.size(); ++k) states.push_back(arguments_of(algorithm, model, *data, k));
      std::size_t k = 0;
      const auto call = [&] {
        evaluate<T>(algorithm, model, states[k], Batch<T>(1, kind.threads), data->work, kind.options);
        k = k + 1 == states.size() ? 0 : k + 1;
      };
      call();  // what a method prepares for a model is kept until another one asks
      for (auto _ : timing) {
        call();
        benchmark::ClobberMemory();
      }
    };
    rows.push_back(std::move(row));
  }
}

/// Memory that this process holds, bytes.
double memory_held() {
  malloc_trim(0);
  double all = 0, held = 0;
  std::ifstream("/proc/self/statm") >> all >> held;
  return held * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace

void add_tandem_links_rows(Rows& rows, const RobotPointer& robot) {
  add<double>(rows, robot);
  add<float>(rows, robot);
}

Line memory_of_scan(const std::string& name) {
  const double before = memory_held();
  const Model model = load(name, {}, 1);
  const auto nv = static_cast<std::size_t>(model.nv());
  const double with_model = memory_held();
  std::vector<double> q = random_configuration(model, 100), v(nv, 0.1), tau(nv, 0.2), a(nv, 0);
  Workspace<double> work;
  const double with_state = memory_held();
  const Array<double> arguments[] = {{q.data(), 0, 1}, {v.data(), 0, 1}, {tau.data(), 0, 1}, {}, {}, {a.data(), 0, 1}};
  evaluate<double>(find_algorithm("forward_dynamics"), model, std::span<const Array<double>>(arguments),
                   Batch<double>(1, 2), work, {.method = Method::scan});
  const double with_call = memory_held();
  const double links = model.n_links() - 1;
  return {{"kind", "memory"},
          {"algorithm", "forward_dynamics"},
          {"robot", name},
          {"library", "tandem"},
          {"variant", "scan"},
          {"precision", "double"},
          {"threads", 2},
          {"bytes_per_link", (with_call - with_state) / links},
          {"workspace_bytes_per_link", 8 * static_cast<double>(work.size()) / links},
          {"state_bytes_per_link", (with_state - with_model) / links},
          {"model_bytes_per_link", (with_model - before) / links}};
}

}  // namespace tandem::bench
