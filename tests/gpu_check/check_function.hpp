// SPDX-License-Identifier: Apache-2.0
/// One function, robot and precision: see functions.hpp.
#pragma once
#include <cmath>
#include <cstring>
#include <string_view>

#include "api/parameters.hpp"
#include "backends/cuda/driver.hpp"
#include "backends/cuda/instance.hpp"
#include "backends/cuda/replication.hpp"
#include "backends/cuda/report.hpp"
#include "core/random.hpp"
#include "functions.hpp"
#include "print_input.hpp"
#include "tandem/api/functions.hpp"

namespace tandem::gpu_check {

/// Numbers [row][state] of one argument or parameter, here and on the device.
template <class T>
struct Numbers {
  std::vector<T> here;
  cuda::DeviceArray<T> there;
  explicit Numbers(std::vector<T> values) : here(std::move(values)), there(std::span<const T>(here)) {}
};

template <class Body, class T>
class FunctionCall {
 public:
  static constexpr Index batch = 97;
  static constexpr std::size_t n = std::size(Body::arguments);

  FunctionCall(const Model& model, bool varied) : model_(model), varied_(varied) {
    Random random(7);
    for (const Argument& argument : Body::arguments) numbers_.push_back(draw(argument, random));
    for (const Argument& parameter : parameters()) parameters_.push_back(draw_parameter(parameter, random));
    if (numbers_[0].here.size() > 3) {  // states that are not well
      set(0, 3, std::numeric_limits<T>::quiet_NaN());
      set(0, 5, T(1e3));
    }
  }

  /// The GPU's numbers and reports, into `result` what they differ by from those of the processor.
  void check(const Options& options, FunctionCheck& result) {
    std::vector<Status> status_here(batch), status_there(batch);
    run_there(options, status_there);
    run_here(status_here);
    Index same = 0, count = 0;
    for (std::size_t k = 0; k < n; ++k) {
      if (is_input(Body::arguments[k])) continue;
      std::vector<T> from_there(numbers_[k].here.size());
      numbers_[k].there.copy_to(std::span<T>(from_there));
      const std::vector<T>& ours = numbers_[k].here;
      const Index rows = static_cast<Index>(ours.size()) / batch;
      for (Index b = 0; b < batch; ++b) {
        double largest = 0;
        for (Index row = 0; row < rows; ++row) largest = std::fmax(largest, std::fabs(double(ours[at(row, b)])));
        for (Index row = 0; row < rows; ++row) {
          const T x = from_there[at(row, b)], y = ours[at(row, b)];
          const bool both_bad = !std::isfinite(x) && !std::isfinite(y);
          same += both_bad || std::memcmp(&x, &y, sizeof x) == 0;
          ++count;
          const double share = both_bad ? 0 : std::fabs(double(x) - double(y)) / (tolerance() * (largest + 1));
          if (!(share <= result.worst)) {
            result.worst = share;
            result.worst_state = b;
            result.worst_output = Body::arguments[k].name;
          }
        }
      }
    }
    for (Index b = 0; b < batch; ++b)
      if (status_here[std::size_t(b)] != status_there[std::size_t(b)]) {
        if (result.wrong_status++ == 0 && result.worst <= 1) result.worst_state = b;
      }
    if (!result.passed()) print_worst(result);
    result.same_bits = count ? static_cast<double>(same) / static_cast<double>(count) : 1;
  }

 private:
  /// Two ways of rounding, and a matrix with a condition of a few thousand between.
  static double tolerance() { return 1e4 * static_cast<double>(std::numeric_limits<T>::epsilon()); }
  static std::size_t at(Index row, Index b) { return static_cast<std::size_t>(row * batch + b); }
  Index rows(const Argument& argument) const { return shape(argument.rows, model_.view<T>()).count(); }
  void set(std::size_t k, Index b, T value) {
    numbers_[k].here[at(0, b)] = value;
    numbers_[k].there.copy_from(std::span<const T>(numbers_[k].here));
  }

  Numbers<T> draw(const Argument& argument, Random& random) const {
    std::vector<T> values(static_cast<std::size_t>(rows(argument) * batch), std::numeric_limits<T>::quiet_NaN());
    for (Index b = 0; b < batch && is_input(argument); ++b) {
      const std::vector<double> q = random_configuration(model_, random.bits());
      for (Index row = 0; row < rows(argument); ++row) {
        double x = argument.rows == Rows::q ? q[static_cast<std::size_t>(row)] : random.uniform(-1, 1);
        const std::string_view name = argument.name;
        if (name == "diagonal" || name == "kp" || name == "kd") x = std::fabs(x);
        if (name == "dt") x = 1e-3;
        if (name == "stops") x = 0;
        values[at(row, b)] = static_cast<T>(x);
      }
    }
    return Numbers<T>(std::move(values));
  }
  /// Of bodies that could be: what the model has, changed by up to a tenth.
  Numbers<T> draw_parameter(const Argument& parameter, Random& random) const {
    const LinkNumbers<T> links(model_);
    const ModelView<T>& m = model_.view<T>();
    const std::string_view name = parameter.name;
    const T* const of_model = name == "mass"        ? links.mass.data()
                              : name == "com"       ? links.com.data()
                              : name == "inertia"   ? links.inertia.data()
                              : name == "armature"  ? m.armature
                              : name == "damping"   ? m.damping
                              : name == "friction"  ? m.friction
                              : name == "stiffness" ? m.stiffness
                                                    : nullptr;
    std::vector<T> values(static_cast<std::size_t>(rows(parameter) * batch));
    for (Index b = 0; b < batch; ++b) {
      const double change = random.uniform(0.9, 1.1);
      for (Index row = 0; row < rows(parameter); ++row)
        values[at(row, b)] = static_cast<T>(of_model ? change * double(of_model[row]) : random.uniform(-9, 9));
    }
    return Numbers<T>(std::move(values));
  }

  std::vector<BatchedParameter<T>> given_parameters(bool there) {
    std::vector<BatchedParameter<T>> given;
    for (int k = 0; k < n_parameters && varied_; ++k) {
      Numbers<T>& numbers = parameters_[static_cast<std::size_t>(k)];
      given.push_back(
          {static_cast<Parameter>(k), there ? numbers.there.array(1, batch) : Array<T>{numbers.here.data(), 1, batch}});
    }
    return given;
  }

  void print_worst(const FunctionCheck& result) const {
    const auto column = [&](const std::vector<T>& numbers) {
      std::vector<double> values;
      for (Index row = 0; row < static_cast<Index>(numbers.size()) / batch; ++row)
        values.push_back(static_cast<double>(numbers[at(row, result.worst_state)]));
      return values;
    };
    std::printf("input of %s, %s, state %lld%s, worst in %s:\n", Body::name, result.robot.c_str(),
                static_cast<long long>(result.worst_state), result.varied ? ", models that differ" : "",
                result.worst_output.c_str());
    for (std::size_t k = 0; k < n; ++k) {
      if (static_cast<Index>(numbers_[k].here.size()) / batch > most_printed_rows) continue;
      print_column(Body::arguments[k].name, column(numbers_[k].here));
      if (is_input(Body::arguments[k])) continue;
      std::vector<T> from_there(numbers_[k].here.size());
      numbers_[k].there.copy_to(std::span<T>(from_there));
      print_column("the same on the GPU", column(from_there));
    }
  }

  void run_there(const Options& options, std::vector<Status>& status) {
    Algorithm algorithm{};
    algorithm.name = Body::name;
    algorithm.arguments = Body::arguments;
    std::vector<Array<T>> arguments;
    for (Numbers<T>& numbers : numbers_) arguments.push_back(numbers.there.array(1, batch));
    const std::vector<BatchedParameter<T>> given = given_parameters(true);
    const ParametersOfModel<T> varied(model_, given, batch);
    Batch<T> states(batch);
    states.status = status;
    cuda::Workspace work;
    const auto prepared = cuda::prepare<T>(algorithm, model_, options, cuda::device_number());
    cuda::run_call<T>(*prepared, algorithm, model_, arguments, states, varied_ ? &varied.arrays() : nullptr, work);
    cuda::synchronise();
  }

  void run_here(std::vector<Status>& status) {
    cuda::Arguments<Body, T> arguments;
    cuda::Watched<T> watched;
    for (std::size_t k = 0; k < n; ++k) {
      arguments.array[k] = {numbers_[k].here.data(), 1, batch};
      watched.arguments[k] = Body::arguments[k];
      watched.arrays[k] = arguments.array[k];
    }
    watched.count = static_cast<int>(n);
    watched.inverts_mass_matrix = requires { Body::inverts_mass_matrix; };
    std::vector<std::uint8_t> bits(batch);
    const ModelView<T>& m = model_.view<T>();
    for (Index b = 0; b < batch; ++b) cuda::watch_state(watched, m, true, bits.data(), status.data(), b);

    const std::vector<BatchedParameter<T>> given = given_parameters(false);
    const ParametersOfModel<T> parameters(model_, given, batch);
    const cuda::Replication<T> replication(model_);
    const T* const data = replication.numbers().data();
    constexpr Index stride = (batch + cuda::warp - 1) / cuda::warp * cuda::warp;
    const Body body;
    std::vector<T> work(static_cast<std::size_t>((body.work_rows(m) + cuda::own_rows(m)) * stride) + 1);
    T* const own = work.data() + body.work_rows(m) * stride;
    const auto variation = varied_ ? replication.variation(parameters.arrays(), data, own) : cuda::Variation<T>();
    const auto view = known_as<cuda::InWarp<T>>(replication.view(m, data));
    std::vector<std::int32_t> iterations(batch);
    if (cuda::iterates<Body>) watched.iterations = iterations.data();
    for (Index t = 0; t < batch; ++t)
      cuda::run_thread<cuda::Varied<Body>>(body, view, arguments, batch, cuda::Scratch<T>{work.data(), stride, batch},
                                           variation, iterations.data(), t);
    for (Index b = 0; b < batch; ++b) cuda::watch_state(watched, m, false, bits.data(), status.data(), b);
  }

  const Model& model_;
  bool varied_;
  std::vector<Numbers<T>> numbers_, parameters_;
};

template <class Body, class T>
void check_function(const Robot& robot, Method method, std::vector<FunctionCheck>& results) {
  for (const bool varied : {false, true}) {
    FunctionCheck result;
    result.robot = robot.name;
    result.algorithm = Body::name;
    result.method = method == Method::automatic ? "" : to_string(method);
    result.precision = std::is_same_v<T, double> ? "double" : "float";
    result.varied = varied;
    Options options;
    options.method = method;
    FunctionCall<Body, T>(robot.model, varied).check(options, result);
    results.push_back(result);
  }
}
template <class Body>
void check_function(const Robot& robot, std::vector<FunctionCheck>& results, Method method = Method::automatic) {
  check_function<Body, double>(robot, method, results);
  check_function<Body, float>(robot, method, results);
}

}  // namespace tandem::gpu_check
