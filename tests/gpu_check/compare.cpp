// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <cstdio>

#include "print_input.hpp"
#include "reference.hpp"
#include "results.hpp"
#include "run.hpp"

namespace tandem::gpu_check {
namespace {

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class A, class T>
Index differences(const Call<A, T>& one, const Call<A, T>& other) {
  Index count = 0;
  const auto &a = one.array(one.output()), &b = other.array(other.output());
  for (std::size_t k = 0; k < a.size(); ++k) count += !same_bits(a[k], b[k]);
  return count;
}

/// The same call with memory for a few states at a time only, and with arrays of the host that come in pieces.
template <class A, class T>
Index differences_in_other_ways(const Call<A, T>& call, OnDevice<A, T>& on_device, const Prepared<A, T>& prepared,
                                const Options& options) {
  Call<A, T> other = call;
  const A algorithm = with_options<A>(options);
  cuda::Workspace work;
  work.most_scratch = cuda::scratch_bytes(96, algorithm.work_rows(call.model().template view<T>()), sizeof(T));
  work.most_staging = std::size_t{1} << 20;
  on_device.run(prepared, work);
  cuda::synchronise();
  on_device.fetch_output(other);
  Index count = differences(call, other);

  other.spoil_output();
  OnHost<A, T> on_host(other);
  on_host.run(prepared, work);
  on_host.fetch_output(other);
  return count + differences(call, other);
}

template <class A, class T>
Comparison compare(const Robot& robot, const Options& options, Index batch, bool all, bool on_host) {
  Comparison result;
  result.robot = robot.name;
  result.algorithm = A::name;
  if constexpr (requires(A a) { a.method; }) {
    result.method = options.method == Method::articulated_body ? "articulated_body" : "composite_rigid_body";
  }
  result.precision = std::is_same_v<T, double> ? "double" : "float";
  result.all_arguments = all;
  constexpr Index most = Index{1} << 27;  // numbers of the output, a gigabyte of doubles
  const Index nv = robot.model.nv();
  result.batch = batch =
      std::min(batch, most / (A::arguments[std::size(A::arguments) - 1].rows == Rows::matrix ? nv * nv : nv));

  Call<A, T> call(robot.model, batch, all), host_call(robot.model, std::min(batch, distinct), all);
  run_threads(host_call, options);
  if (on_host) {
    run_threads(call, options);
  } else {
    cuda::Workspace work;
    const Prepared<A, T> prepared(robot.model, options);
    OnDevice<A, T> on_device(call);
    on_device.run(prepared, work);
    cuda::synchronise();
    on_device.fetch_output(call);
    if (batch <= 1000) result.other_ways = differences_in_other_ways(call, on_device, prepared, options);
  }

  Reference right(robot.model);
  const std::size_t out = call.output();
  Index same = 0;
  for (Index b = 0; b < host_call.batch(); ++b) {
    const double error = error_of(right, call, b);
    if (!(error <= result.worst)) {
      result.worst = error;
      result.worst_state = b;
    }
    if (std::isnan(result.worst)) break;
    for (Index row = 0; row < call.rows(out); ++row) same += same_bits(call.at(out, row, b), host_call.at(out, row, b));
  }
  result.same_bits = static_cast<double>(same) / static_cast<double>(call.rows(out) * host_call.batch());
  for (Index row = 0; row < call.rows(out); ++row)
    for (Index begin = distinct; begin < batch; begin += distinct)
      for (Index b = begin; b < std::min(begin + distinct, batch); ++b)
        result.not_repeated += !same_bits(call.at(out, row, b), call.at(out, row, b - begin));
  if (!result.passed()) print_input(robot.name, call, result.worst_state);
  return result;
}

void write(const Comparison& c) {
  Row row;
  row.add("robot", c.robot).add("algorithm", c.algorithm).add("precision", c.precision);
  if (!c.method.empty()) row.add("method", c.method);
  row.add("batch", static_cast<double>(c.batch)).add("all_arguments", c.all_arguments);
  row.add("worst_share_of_tolerance", c.worst).add("same_bits_as_processor", c.same_bits);
  row.add("depends_on_place_in_batch", static_cast<double>(c.not_repeated));
  row.add("depends_on_memory", static_cast<double>(c.other_ways));
  write_row("comparisons", row.add("passed", c.passed()));
}

template <class T>
void compare_robot(const Robot& robot, bool on_host) {
  std::vector<Comparison> results;
  for (const Index batch : {1, 31, 1000, 40000}) {
    if (on_host && batch > 31) continue;
    results.push_back(compare<MassMatrix, T>(robot, {}, batch, true, on_host));
    for (const bool all : {false, true}) {
      results.push_back(compare<InverseDynamics, T>(robot, {}, batch, all, on_host));
      for (const Method method : {Method::articulated_body, Method::composite_rigid_body})
        results.push_back(compare<ForwardDynamics, T>(robot, {.method = method}, batch, all, on_host));
    }
  }
  double worst = 0, same = 1;
  for (const Comparison& c : results) {
    write(c);
    if (!(c.worst <= worst)) worst = c.worst;
    same = std::fmin(same, c.same_bits);
    if (c.passed()) continue;
    count_failure();
    std::printf(
        "FAILED: %s %s %s %s, batch %lld%s: %g of the tolerance, %lld numbers depend on the place in the batch, "
        "%lld on memory\n",
        c.robot.c_str(), c.algorithm.c_str(), c.method.c_str(), c.precision.c_str(), static_cast<long long>(c.batch),
        c.all_arguments ? ", all arguments" : "", c.worst, static_cast<long long>(c.not_repeated),
        static_cast<long long>(c.other_ways));
  }
  std::printf(
      "%-12s %-7s %4zu calls of three functions, worst share of the tolerance %.3g, least share of same bits %.3f\n",
      robot.name.c_str(), std::is_same_v<T, double> ? "double" : "float", results.size(), worst, same);
}

}  // namespace

void add_comparisons(const std::vector<Robot>& robots, bool on_host, std::vector<Unit>& units) {
  for (const Robot& robot : robots) {
    units.push_back({"three functions of " + robot.name + ", double",
                     [&robot, on_host] { compare_robot<double>(robot, on_host); }});
    units.push_back(
        {"three functions of " + robot.name + ", float", [&robot, on_host] { compare_robot<float>(robot, on_host); }});
  }
}

}  // namespace tandem::gpu_check
