// SPDX-License-Identifier: Apache-2.0
#include "links.hpp"

#include <cmath>
#include <cstdio>

#include "links_call.hpp"
#include "print_input.hpp"
#include "results.hpp"

namespace tandem::gpu_check {
namespace {

double error_of(const std::vector<double>& a, const std::vector<double>& expected) {
  double error = 0, scale = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double difference = std::fabs(a[k] - expected[k]);
    if (!(difference <= error)) error = difference;
    scale = std::fmax(scale, std::fabs(expected[k]));
  }
  return error / scale;
}

template <class A, class T>
void compare(const std::string& name, const Model& model, Index batch, bool all,
                     const Options& options = {.method = method_of<A>}, double roundings_of_link = 0) {
  DividedCall<A, T> divided(model, batch, all, options);
  auto& call = divided.call;
  const std::size_t out = call.output();
  divided.run();
  cuda::synchronise();
  divided.fetch();
  const std::vector<T> first = call.array(out);
  call.spoil_output();
  divided.run();
  cuda::synchronise();
  divided.fetch();
  DividedRobot result = {name, A::name, precision<T>, words_of(options), model.n_links() - 1, batch, all};
  for (std::size_t k = 0; k < first.size(); ++k) result.not_repeated += !(first[k] == call.array(out)[k]);
  for (const Index b : {Index{0}, batch - 1}) {
    const auto expected = serial<double>(call, b);
    const double error = error_of(call.column(A::arguments[out].name, b), expected);
    if (!(error <= result.error)) result.error = error;
    result.serial = std::fmax(result.serial, error_of(serial<T>(call, b), expected));
  }
  constexpr double eps = std::numeric_limits<T>::epsilon();
  // what is compared with loses digits itself, in double, the more the longer the robot is
  const double of_reference = 20 * std::numeric_limits<double>::epsilon() * static_cast<double>(result.links);
  const double of_method = roundings_of_link * eps * static_cast<double>(result.links);
  result.passed = result.not_repeated == 0 &&
                  result.error <= std::fmax(10 * result.serial, std::fmax(2000 * eps, of_method)) + of_reference;
  std::printf("%-12s %-16s %-40s %8lld links %7s batch %5lld%s  error %8.1e  serial %8.1e%s\n", name.c_str(), A::name,
              result.method.c_str(), static_cast<long long>(result.links), result.precision.c_str(),
              static_cast<long long>(batch), all ? ", all arguments" : "               ", result.error, result.serial,
              result.passed ? "" : "  FAILED");
  std::fflush(stdout);
  Row row;
  row.add("robot", name).add("algorithm", A::name).add("precision", precision<T>).add("method", result.method);
  row.add("links", static_cast<double>(result.links)).add("batch", static_cast<double>(batch));
  row.add("all_arguments", all).add("error", result.error).add("serial_error", result.serial);
  row.add("not_repeated", static_cast<double>(result.not_repeated)).add("passed", result.passed);
  write_row("divided", row);
  if (result.passed) return;
  count_failure();
  print_input(name, call, 0);
}

template <class A>
void compare_as(const std::string& name, const Model& model, Index batch,
                const Options& options = {.method = method_of<A>}, double roundings = 0) {
  for (const bool given : {false, true}) {
    compare<A, double>(name, model, batch, given, options, roundings);
    if (is_for_floats(options)) compare<A, float>(name, model, batch, given, options, roundings);
  }
}
void compare_both(const std::string& name, const Model& model, Index batch) {
  compare_as<ForwardDynamics>(name, model, batch);
  compare_as<InverseDynamics>(name, model, batch);
}

void compare_methods(const std::string& spec) {
  const Model model = generate(spec, 1).build();
  const Index batch = model.n_links() > 100 ? 1 : 300;
  for (const Options& options : {by_divide_and_conquer, by_subsystems, by_chunks, by_reduction, by_hybrid})
    compare_as<ForwardDynamics>(spec, model, batch, options, 1000);
  for (const Options& options : {in_link_coordinates, in_world_axes, by_naive_scans})
    compare_as<InverseDynamics>(spec, model, batch, options, 300);
  if (model.nv() == model.n_links() - 1)  // joints of more than one degree of freedom are refused
    compare_as<MassMatrix>(spec, model, 2, in_logarithmic_time, 300);
}

void compare_methods_of_papers() {
  const Model model = generate("chain:24", 1).build();
  for (const Options& options : {by_elimination, as_in_cfa, as_in_abia, by_inversion, as_in_jsiia, by_gradients})
    compare_as<ForwardDynamics>("chain:24", model, 5, options, 1e6);
}

void compare_trees() {
  const Model legs = with_legs(12), more = with_legs(200);
  compare_as<ForwardDynamics>("with_legs", legs, 3, by_subsystems, 1000);
  compare_as<ForwardDynamics>("with_legs", legs, 3, by_inversion, 1e6);
  compare_both("with_legs", with_legs(60), 3);
  compare_as<MassMatrix>("with_legs", with_legs(60), 2);
  compare<InverseDynamics, double>("with_legs", more, 2, true, in_link_coordinates, 300);
  compare<InverseDynamics, float>("with_legs", more, 2, true, in_link_coordinates, 300);
}

}  // namespace

void add_divided(std::vector<Unit>& units) {
  for (const char* spec : {"chain:3000", "snake:1000", "rope:700", "chain:40", "chain:1"})
    units.push_back({std::string("scan of ") + spec, [spec] { compare_both(spec, generate(spec, 1).build(), 1); }});
  units.push_back({"scan of many, floating", [] {
                     compare_both("floating", generate("chain:5000", 1).build({.floating = true}), 2);
                     compare_both("chain:1000", generate("chain:1000", 1).build(), 300);
                   }});
  units.push_back({"methods of papers", compare_methods_of_papers});
  for (const char* spec : {"chain:1", "chain:40", "snake:250"})
    units.push_back({std::string("methods of ") + spec, [spec] { compare_methods(spec); }});
  units.push_back({"composite scan", [] {
                     for (const char* spec : {"chain:1", "chain:40", "snake:800", "rope:200"})
                       compare_as<MassMatrix>(spec, generate(spec, 1).build(), 2);
                     compare_as<MassMatrix>("floating", generate("chain:600", 1).build({.floating = true}), 1);
                     compare_as<MassMatrix>("with_legs", with_legs(300), 1);
                   }});
  units.push_back({"trees", compare_trees});
  units.push_back({"long trees", [] { compare_both("with_legs", with_legs(900), 1); }});
}

}  // namespace tandem::gpu_check
