// SPDX-License-Identifier: Apache-2.0
/// [Critchley] figures 7 and 8, and what the paper says of accuracy without a figure.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "../chain_families.hpp"
#include "core/extended.hpp"
#include "figures.hpp"
#include "tandem/detail/problems/forward_dynamics.hpp"

namespace tandem::figures {

/// Figure 7: time over the ratio of the terminal subsystem's length to that of the others.
void load_balancing(int most_threads) {
  for (const int links : {128, 256, 1024}) {
    const Model model = chain(links);
    for (int chunks = 2; chunks <= std::max(2, most_threads); chunks *= 2)
      for (const double ratio : {0.5, 0.7, 0.85, 1.0, 1.15, 1.3, 1.45, 1.6, 1.8, 2.0, 2.5, 3.0, 4.0}) {
        const Options o{.method = Method::divide_and_conquer_efficient, .chunks = chunks, .load_ratio = ratio};
        fmt::print(R"({{"figure":"load_balancing","links":{},"chunks":{},"threads":{},"ratio":{},"us":{:.3f}}})"
                   "\n",
                   links, chunks, std::min(chunks, most_threads), ratio,
                   measure("forward_dynamics", model, o, std::min(chunks, most_threads)));
      }
  }
}

/// Figure 8: DCA, the serial O(n) algorithm and DCAe.
void timing(int most_threads) {
  const auto row = [](const char* name, int links, int threads, double us) {
    fmt::print(R"({{"figure":"timing","method":"{}","links":{},"threads":{},"us":{:.3f}}})"
               "\n",
               name, links, threads, us);
  };
  for (const int links : {128, 256, 1024}) {
    const Model model = chain(links);
    const auto time = [&](const Options& o, int threads) { return measure("forward_dynamics", model, o, threads); };
    row("articulated_body", links, 1, time({.method = Method::articulated_body}, 1));
    for (int threads = 1; threads <= most_threads; threads *= 2) {
      row("divide_and_conquer", links, threads, time({.method = Method::divide_and_conquer}, threads));
      const Options o{.method = Method::divide_and_conquer_efficient, .chunks = threads};
      row("divide_and_conquer_efficient", links, threads, time(o, threads));
    }
  }
}

namespace {

/// Accelerations by the articulated-body algorithm in long double, of a model in T.
template <class T>
std::vector<double> in_long_double(const Model& model, const bench::Chain& chain) {
  const auto& m = model.view<T>();
  const auto wide = [](const std::vector<double>& x) { return std::vector<Extended>(x.begin(), x.end()); };
  const auto q = wide(chain.state.q), v = wide(chain.state.v), tau = wide(chain.state.tau),
             f_ext = wide(chain.state.f_ext);
  std::vector<Extended> a(v.size());
  const ForwardDynamics algorithm;
  std::vector<Extended> work(static_cast<std::size_t>(algorithm.work_rows(m)));
  algorithm.body<Extended>(m, q.data(), v.data(), tau.data(), f_ext.empty() ? nullptr : f_ext.data(),
                           static_cast<Extended*>(nullptr), a.data(), work.data());
  std::vector<double> result;
  for (const Extended& x : a) result.push_back(static_cast<double>(x.value()));
  return result;
}

constexpr double broken_down = 1e9;  ///< an error without a result

template <class T>
double error_of(const bench::Chain& chain, const Options& options, const std::vector<double>& reference) {
  const Model& model = chain.model;
  const auto narrow = [](const std::vector<double>& x) { return std::vector<T>(x.begin(), x.end()); };
  const auto q = narrow(chain.state.q), v = narrow(chain.state.v), tau = narrow(chain.state.tau),
             f_ext = narrow(chain.state.f_ext);
  std::vector<T> a(v.size());
  std::vector<Array<T>> arguments(6);
  arguments[0] = Array<T>::input(q.data(), model.nq());
  arguments[1] = Array<T>::input(v.data(), model.nv());
  arguments[2] = Array<T>::input(tau.data(), model.nv());
  if (!f_ext.empty()) arguments[3] = Array<T>::input(f_ext.data(), static_cast<Index>(f_ext.size()));
  arguments[5] = Array<T>::output(a.data(), model.nv());
  Workspace<T> work;
  evaluate<T>(find_algorithm("forward_dynamics"), model, std::span<const Array<T>>(arguments), Batch<T>(1), work,
              options);
  double worst = 0, largest = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double error = std::abs(static_cast<double>(a[k]) - reference[k]);
    if (!std::isfinite(error)) return broken_down;
    worst = std::max(worst, error);
    largest = std::max(largest, std::abs(reference[k]));
  }
  return std::min(worst / largest, broken_down);
}

template <class T>
void errors_of(const char* precision) {
  constexpr int links = 1024, chains = 24;
  std::vector<Way> ways = {{"articulated_body", {.method = Method::articulated_body}},
                           {"divide_and_conquer", {.method = Method::divide_and_conquer}}};
  for (int p = 1; p <= 256; p *= 4) {
    ways.push_back({"divide_and_conquer_efficient",
                    {.method = Method::divide_and_conquer_efficient, .chunks = p, .load_ratio = 1}});
    ways.push_back({"as printed", {.method = Method::divide_and_conquer, .chunks = p, .load_ratio = 1}});
  }
  for (const bench::Family family : bench::families)
    for (std::uint64_t seed = 0; seed < chains; ++seed) {
      const bench::Chain chain = bench::chain_of(family, links, seed);
      const auto reference = in_long_double<T>(chain.model, chain);
      for (const Way& way : ways)
        fmt::print(
            R"({{"figure":"subsystems","family":"{}","links":{},"seed":{},"precision":"{}","method":"{}","chunks":{},"error":{:.3g}}})"
            "\n",
            to_string(family), links, seed, precision, way.name, way.options.chunks,
            error_of<T>(chain, way.options, reference));
    }
}

}  // namespace

/// "Accuracy relative to the O(n) algorithm is a function of parallelism rather than system size": errors over the
/// number of subsystems of a chain of 1024 links.
void subsystems(int) {
  errors_of<double>("double");
  errors_of<float>("float");
}

}  // namespace tandem::figures
