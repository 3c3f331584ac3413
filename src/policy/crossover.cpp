// SPDX-License-Identifier: Apache-2.0
/// Whether a call whose arrays lie on the host goes to the GPU.
#include <bit>

#include "tandem/api/automatic.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem {
namespace {

/// The GPU in use, or no name.
const std::string& name_of_gpu() {
  static const std::string name = cuda::is_available() ? cuda::device().name : std::string();
  return name;
}

}  // namespace

Index crossover(const std::function<double(Device::Kind, Index)>& seconds, Index most) {
  constexpr double worthwhile = 0.95;
  const auto gains = [&](int power) {
    const Index states = Index{1} << power;
    return seconds(Device::cuda, states) < worthwhile * seconds(Device::cpu, states);
  };
  if (most < 1) return 0;
  int loses = -1, wins = std::bit_width(static_cast<std::uint64_t>(most)) - 1;
  if (!gains(wins)) return 0;
  while (wins - loses > 1) {
    const int middle = (wins + loses) / 2;
    (gains(middle) ? wins : loses) = middle;
  }
  return Index{1} << wins;
}

Index states_for_gpu(const TuningTable& table, std::string_view gpu, std::string_view algorithm, bool in_float,
                     Index links) {
  if (gpu.empty() || table.gpu != gpu) return 0;
  for (const CrossoverRow& row : table.crossovers) {
    if (row.algorithm != algorithm || row.in_float != in_float || row.steps.empty()) continue;
    Index states = row.steps.front().states;
    for (const CrossoverStep& step : row.steps)
      if (links >= step.links) states = step.states;
    return states;
  }
  return 0;
}

template <class T>
Device choose_device(const Algorithm& algorithm, const Model& model, Index states, const Options& options) {
  if (options.method != Method::automatic) return {};
  if (model.n_loops() > 0 && algorithm.inverts_mass_matrix) return {};  // what closes loops runs on the processor
  const Index from =
      states_for_gpu(tuning_table(), name_of_gpu(), algorithm.name, std::is_same_v<T, float>, model.n_links() - 1);
  return from > 0 && states >= from ? Device{Device::cuda, cuda::device_number()} : Device{};
}

template Device choose_device<double>(const Algorithm&, const Model&, Index, const Options&);
template Device choose_device<float>(const Algorithm&, const Model&, Index, const Options&);

}  // namespace tandem
