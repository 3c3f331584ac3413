// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <future>
#include <map>

#include "links.hpp"
#include "links_call.hpp"
#include "results.hpp"

namespace tandem::gpu_check {
namespace {

/// A call for `batch` states. Throws Error where a method refuses the robot.
template <class A, class T>
Times time_of(const Model& model, Index batch, const Options& options, double* one_core = nullptr) {
  DividedCall<A, T> divided(model, batch, false, options);
  const Times times = device_times([&] { divided.run(); }, 7, 2e-3);
  if (one_core) {
    std::vector<double> all(3);
    for (double& time : all) serial<T>(divided.call, 0, &time);
    *one_core = *std::min_element(all.begin(), all.end()) * static_cast<double>(batch);
  }
  return times;
}

template <class A, class T>
void measure(const std::string& name, const Model& model, Index batch,
             const Options& options = {.method = method_of<A>}) {
  const Index links = model.n_links() - 1;
  double one_core = 0;
  const bool with_core = links <= 100000 && options.method == method_of<A>;
  const Times times = time_of<A, T>(model, batch, options, with_core ? &one_core : nullptr);
  Row row;
  row.add("robot", name).add("algorithm", A::name).add("precision", precision<T>).add("method", words_of(options));
  row.add("links", static_cast<double>(links)).add("batch", static_cast<double>(batch));
  row.add("seconds", times.median).add("best", times.best).add_measured("serial_on_one_core", one_core);
  write_row("divided_rates", row);
  std::printf("%-14s %-16s %-50s %9lld links %7s batch %5lld  %10.1f us  %8.2f ns/link\n", name.c_str(), A::name,
              words_of(options).c_str(), static_cast<long long>(links), precision<T>, static_cast<long long>(batch),
              1e6 * times.median, 1e9 * times.median / static_cast<double>(links * batch));
  std::fflush(stdout);
}

Model build_chain(int links) { return generate("chain:" + std::to_string(links), 1).build(); }

/// The longest chain takes half a minute to build: it is begun with the first one of a process, while others are
/// measured.
constexpr int longest = 10'000'000;
std::future<Model>& longest_chain() {
  static std::future<Model> built = std::async(std::launch::async, build_chain, longest);
  return built;
}
/// Chains that this process has built.
const Model& chain(int links) {
  static std::map<int, Model> built;
  if (const auto found = built.find(links); found != built.end()) return found->second;
  return built.emplace(links, links == longest ? longest_chain().get() : build_chain(links)).first->second;
}

template <class A>
void measure_as(const Model& model, Index batch, const Options& options) {
  measure<A, double>(model.name(), model, batch, options);
  if (is_for_floats(options)) measure<A, float>(model.name(), model, batch, options);
}

void measure_scans_of(int links) {
  longest_chain();
  const Model& model = chain(links);
  const std::string name = "chain:" + std::to_string(links);
  measure<ForwardDynamics, float>(name, model, 1);
  measure<ForwardDynamics, double>(name, model, 1);
  measure<InverseDynamics, float>(name, model, 1);
  measure<InverseDynamics, double>(name, model, 1);
  if (links > 4000) return;
  measure<MassMatrix, float>(name, model, 1);
  measure<MassMatrix, double>(name, model, 1);
}

void measure_methods(int links) {
  const Model& model = chain(links);
  for (const Options& options : {by_divide_and_conquer, by_subsystems, by_chunks, by_reduction})
    measure_as<ForwardDynamics>(model, 1, options);
  if (links <= 10000) measure_as<ForwardDynamics>(model, 1, by_hybrid);
  for (const Options& options : {in_link_coordinates, in_world_axes}) measure_as<InverseDynamics>(model, 1, options);
  if (links > 1000) return;
  measure_as<ForwardDynamics>(model, 1, by_inversion);
  measure_as<ForwardDynamics>(model, 1, {.method = Method::conjugate_gradient, .max_iterations = 200});
  measure_as<MassMatrix>(model, 1, in_logarithmic_time);
}

void measure_many() {
  const Model& model = chain(1000);
  for (const Options& options : {Options{.method = Method::scan}, by_divide_and_conquer, by_subsystems, by_reduction})
    measure_as<ForwardDynamics>(model, 1000, options);
  measure_as<InverseDynamics>(model, 1000, {.method = Method::scan});
}

void measure_trees() {
  for (const int spine : {600, 60000}) {
    const Model model = with_legs(spine);
    measure_as<ForwardDynamics>(model, 1, {.method = Method::scan});
    measure_as<InverseDynamics>(model, 1, {.method = Method::scan});
    if (spine == 600) measure_as<MassMatrix>(model, 1, {.method = Method::composite_scan});
  }
  const Model rope = generate("rope:10000").build();
  measure_as<ForwardDynamics>(rope, 1, {.method = Method::scan});
}

/// A method as figures name it.
struct Way {
  const char* name;
  Options options;
};
constexpr Way forward_ways[] = {{"scan", {.method = Method::scan}},
                                {"CFA", as_in_cfa},
                                {"CFA here", by_chunks},
                                {"ABIA", as_in_abia},
                                {"ABIA here", by_hybrid},
                                {"JSIIA", as_in_jsiia},
                                {"JSIIA here", by_inversion}},
              inverse_ways[] = {{"scan", {.method = Method::scan}},
                                {"three scans, tree", {.method = Method::scan, .form = Form::body, .chunk = 1}},
                                {"three scans, naive", by_naive_scans}};
constexpr double long_time = 1e5;  // microseconds: on more links or robots it is not measured

/// The points of a curve, until they take too long or the method refuses.
template <class A>
void measure_curve(const Way& way, const std::vector<std::pair<int, Index>>& points) {
  for (const auto& [links, robots] : points) {
    // an n x n matrix for every robot: no more than 8 GB of them
    if (way.options.method == Method::mass_matrix_inversion && 8.0 * links * links * static_cast<double>(robots) > 8e9)
      break;
    // articulated inertias by the processor, one link after the other
    double us = 0;
    try {
      us = 1e6 * time_of<A, double>(chain(links), robots, way.options).median;
    } catch (const Error& error) {
      if (std::string(error.what()).find("CUDA") != std::string::npos) throw;
      std::printf("papers: %s, %d links, %lld robots: %s\n", way.name, links, static_cast<long long>(robots),
                  error.what());
      break;
    }
    write_row("papers", Row().add("algorithm", A::name).add("method", way.name).add("links", double(links))
                            .add("robots", static_cast<double>(robots)).add("us", us));
    std::printf("papers: %-17s %-24s %8d links %5lld robots %12.1f us\n", A::name, way.name, links,
                static_cast<long long>(robots), us);
    std::fflush(stdout);
    if (us > long_time) break;
  }
}

template <class A, std::size_t n>
void add_curves(const Way (&ways)[n], std::vector<Unit>& units) {
  for (const Way& way : ways) {
    const std::string of = std::string("papers: ") + way.name + ", " + A::name;
    units.push_back(
        {of + ", over links", [&way] {
           measure_curve<A>(way, {{2, 1}, {10, 1}, {100, 1}, {1000, 1}, {10000, 1}, {100000, 1}, {1000000, 1}});
         }});
    units.push_back({of + ", over robots", [&way] {
                       for (const int links : {10, 100, 200})
                         measure_curve<A>(way, {{links, 1}, {links, 64}, {links, 1024}, {links, 4096}});
                     }});
  }
}

}  // namespace

void add_divided_rates(std::vector<Unit>& units) {
  for (const int links : {1000000, 1000, 10000, 100000})
    units.push_back({"scan of " + std::to_string(links) + " links", [links] { measure_scans_of(links); }});
  units.push_back({"scan of 10000000 links", [] { measure_scans_of(10000000); }, 100});
  units.push_back({"scan of 100 and 4000 links", [] { measure_scans_of(100), measure_scans_of(4000); }});
  units.push_back({"trees and ropes", measure_trees});
  units.push_back({"a thousand chains of 1000 links", measure_many});
  for (const int links : {1000, 100000, 1000000, 100, 10000})
    units.push_back({"every method, " + std::to_string(links) + " links", [links] { measure_methods(links); }});
}

void add_papers(std::vector<Unit>& units) {
  add_curves<ForwardDynamics>(forward_ways, units);
  add_curves<InverseDynamics>(inverse_ways, units);
}

}  // namespace tandem::gpu_check
