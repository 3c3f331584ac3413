// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/generated/robot_lines.hpp"

#include <algorithm>
#include <exception>

#include "core/text.hpp"
#include "tandem/error.hpp"

namespace tandem::cuda {
namespace {

/// So many states take a GPU a millisecond: who calls with more of them calls again.
constexpr Index pays_from = Index{1} << 20;

}  // namespace

template <class T>
std::string RobotLines<T>::why_not(const Model& model, const Compiler* compiler) {
  if (model.n_joints() > most_links_of_kernels)
    return sentence("the robot has ", model.n_joints(), " links, more than ", most_links_of_kernels);
  return compiler ? "" : why_no_compiler();
}

template <class T>
RobotLines<T>::RobotLines(const Algorithm& algorithm, const Model& model, const Options& options, Means means,
                          Specialise how)
    : algorithm_(algorithm), options_(options), means_(std::move(means)), asked_for_(how != Specialise::automatic) {
  std::copy_n(model.view<double>().base_acceleration, 6, base_acceleration_.begin());
  Given needed = any;
  for (std::size_t k = 0; k < algorithm.arguments.size(); ++k)
    if (!is_optional(algorithm.arguments[k])) needed |= Given{1} << k;
  Line& line = *line_of(needed);
  if (how == Specialise::on) begin(line, model);
  if (how != Specialise::wait) return;
  line.stage = on_its_way;
  make(line, model);
  if (line.stage == refused) throw Error(sentence(algorithm.name, " cannot be specialised: ", line.why));
}

template <class T>
auto RobotLines<T>::line_of(Given given) -> Line* {
  for (Line& line : lines_) {
    Given found = line.given.load(std::memory_order_relaxed);
    if (found == 0) line.given.compare_exchange_strong(found, given);
    if (found == 0 || found == given) return &line;
  }
  return nullptr;
}

template <class T>
const LoadedKernels* RobotLines<T>::kernels_for(const Model& model, const Array<T>* arguments, Index states) {
  const auto& acceleration = model.view<double>().base_acceleration;  // which is part of the text
  if (!std::equal(base_acceleration_.begin(), base_acceleration_.end(), acceleration)) return nullptr;
  Given given = any;
  for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k)
    if (arguments[k].data || !is_optional(algorithm_.arguments[k])) given |= Given{1} << k;
  Line* const line = line_of(given);
  if (!line) return nullptr;
  const int stage = line->stage.load(std::memory_order_acquire);
  if (stage == there) return line->kernels.get();
  if (stage == unused) {
    const Index before = asked_for_ ? pays_from - 1 : line->states.fetch_add(states, std::memory_order_relaxed);
    if (before < pays_from && before + states >= pays_from) begin(*line, model);
  }
  return nullptr;
}

template <class T>
void RobotLines<T>::begin(Line& line, const Model& model) {
  int stage = unused;
  if (!line.stage.compare_exchange_strong(stage, on_its_way)) return;
  if (line.thread.start([this, &line, model] { make(line, model); })) return;
  line.why = "there is no thread to be had";
  line.stage.store(refused, std::memory_order_release);
}

template <class T>
void RobotLines<T>::make(Line& line, const Model& model) noexcept {
  Stage stage = refused;
  try {
    std::vector<std::string> optional;
    for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k)
      if (is_optional(algorithm_.arguments[k]) && (line.given >> k & 1) != 0)
        optional.emplace_back(algorithm_.arguments[k].name);
    KernelSource source = kernel_source<T>(algorithm_, model, options_, optional);
    const Image image = kernel_code(*means_.compiler, means_.store, source.text, means_.capability, stop_);
    std::unique_ptr<LoadedKernels> loaded = means_.load(image);
    source.text.clear();
    loaded->source = std::move(source);
    line.kernels = std::move(loaded);
    stage = there;
  } catch (const std::exception& error) {
    line.why = error.what();
  }
  line.stage.store(stage, std::memory_order_release);
}

template <class T>
const LoadedKernels* RobotLines<T>::ready() const {
  const Line& line = lines_.front();
  return line.stage.load(std::memory_order_acquire) == there ? line.kernels.get() : nullptr;
}

template <class T>
std::string RobotLines<T>::told() const {
  const Line& line = lines_.front();
  switch (line.stage.load(std::memory_order_acquire)) {
    case there: {
      const KernelSource& source = line.kernels->source;
      return sentence("kernels for this robot: ", source.operations, " operations",
                      source.teams > 0 ? sentence(", by ", source.teams, " warps") : std::string(), ", compiled by ",
                      means_.compiler->name());
    }
    case on_its_way: return "kernels for every robot while those for this one are compiled";
    case refused: return "kernels for every robot: " + line.why;
    default: return sentence("kernels for every robot until ", pays_from, " states have come");
  }
}

template class RobotLines<double>;
template class RobotLines<float>;

}  // namespace tandem::cuda
