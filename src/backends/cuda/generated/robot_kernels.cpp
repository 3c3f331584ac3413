// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/generated/robot_kernels.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include "core/sha256.hpp"
#include "tracing/cuda_text.hpp"
#include "tracing/order.hpp"

namespace tandem::cuda {
namespace {

// As measured on an H200: of longer lines multiprocessors wait for instructions, and in double their numbers for
// registers. Of the Unitree G1 in float a thread a state is faster with 2770 and 4168 operations, as fast with 6343; in
// double a warp a limb is.
template <class T>
constexpr std::size_t most_straight = std::is_same_v<T, float> ? 6000 : 2000;
// Fewer operations are done before teams have met.
constexpr std::size_t least_divided = 1000;

}  // namespace

template <class T>
KernelSource kernel_source(const Algorithm& algorithm, const Model& model, const Options& options,
                           const std::vector<std::string>& optional, ByLimbs by_limbs) {
  constexpr auto precision =
      std::is_same_v<T, double> ? Graph::Precision::double_precision : Graph::Precision::single_precision;
  RecordOptions how;
  how.precision = precision;
  how.optional = optional;
#if defined(TANDEM_STRICT)
  how.products = Graph::Products::rounded;
#endif
  const RecordedFunction function = record(algorithm, model, options, how);
  KernelSource source;
  for (const std::int32_t k : as_recorded(function))
    source.operations += function.graph.nodes()[static_cast<std::size_t>(k)].operation != Operation::input;
  for (const RecordedColumn& column : function.columns)
    if (!is_input(*column.argument)) source.operations += column.rows.size();  // a number to write is work, too
  source.text = cuda_prelude(precision) + redo_text(function, straight_name);
  if (by_limbs == ByLimbs::always || (by_limbs != ByLimbs::never && source.operations >= least_divided)) {
    const TeamKernel divided = team_kernel_text(function, straight_name, model.view<double>());
    source.teams = divided.teams;
    source.text += divided.text;
  }
  source.has_straight = source.teams == 0 || (by_limbs != ByLimbs::always && source.operations <= most_straight<T>);
  if (source.has_straight) source.text += kernel_text(function, straight_name);
  return source;
}

Image kernel_code(const Compiler& compiler, const Store& store, const std::string& text, int capability,
                  const std::atomic<bool>& stop) {
  const Digest key =
      Sha256().add("kernels of a robot, 1").add(compiler.name()).add(std::to_string(capability)).add(text).digest();
  if (auto kept = store.find(key)) return std::move(*kept);
  Image image = compiler.compile(text, capability, stop);
  store.keep(key, image);
  return image;
}

KernelLaunch launch_for(const KernelSource& kernels, std::int64_t states, int multiprocessors) {
  constexpr std::int64_t warp = 32;
  const auto blocks_of = [&](std::int64_t states_of_block) { return (states + states_of_block - 1) / states_of_block; };
  // four warps a multiprocessor: until then, teams make use of what would idle
  const bool few = states <= 4 * warp * multiprocessors;
  if (kernels.teams > 0 && (!kernels.has_straight || few))
    return {true, static_cast<int>(warp * kernels.teams), blocks_of(warp)};
  // few states go to as many multiprocessors as can be
  const int threads = states <= warp * multiprocessors ? 32 : states <= 2 * warp * multiprocessors ? 64 : 128;
  return {false, threads, blocks_of(threads)};
}

template KernelSource kernel_source<double>(const Algorithm&, const Model&, const Options&,
                                            const std::vector<std::string>&, ByLimbs);
template KernelSource kernel_source<float>(const Algorithm&, const Model&, const Options&,
                                           const std::vector<std::string>&, ByLimbs);

}  // namespace tandem::cuda
