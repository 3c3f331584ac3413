// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/generated/robot_kernel_cache.hpp"

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
std::string RobotKernelCache<T>::why_not(const Model& model, const Compiler* compiler) {
  if (model.n_joints() > most_links_of_kernels)
    return sentence("the robot has ", model.n_joints(), " links, more than ", most_links_of_kernels);
  return compiler ? "" : why_no_compiler();
}

template <class T>
RobotKernelCache<T>::RobotKernelCache(const Algorithm& algorithm, const Model& model, const Options& options,
                                      Means means, Specialise how)
    : algorithm_(algorithm),
      options_(options),
      means_(std::move(means)),
      kernels_([this](ArgumentMask mask, const Model& m) { return make(mask, m); }, needed_by(algorithm), pays_from,
               how != Specialise::automatic) {
  std::copy_n(model.view<double>().base_acceleration, 6, base_acceleration_.begin());
  if (how == Specialise::on) kernels_.begin(model);
  if (how != Specialise::wait) return;
  kernels_.make_now(model, false);
  if (!kernels_.ready()) throw Error(sentence(algorithm.name, " cannot be specialised: ", kernels_.why()));
}

template <class T>
const LoadedKernels* RobotKernelCache<T>::kernels_for(const Model& model, const Array<T>* arguments, Index states) {
  const auto& acceleration = model.view<double>().base_acceleration;  // which is part of the text
  if (!std::equal(base_acceleration_.begin(), base_acceleration_.end(), acceleration)) return nullptr;
  ArgumentMask mask = needed_by(algorithm_);
  for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k)
    if (arguments[k].data) mask |= ArgumentMask{1} << k;
  return kernels_.find(mask, states, model);
}

template <class T>
std::unique_ptr<const LoadedKernels> RobotKernelCache<T>::make(ArgumentMask mask, const Model& model) const {
  std::vector<std::string> optional;
  for (std::size_t k = 0; k < algorithm_.arguments.size(); ++k)
    if (is_optional(algorithm_.arguments[k]) && (mask >> k & 1) != 0)
      optional.emplace_back(algorithm_.arguments[k].name);
  KernelSource source = kernel_source<T>(algorithm_, model, options_, optional, means_.by_limbs);
  const Image image = kernel_code(*means_.compiler, means_.store, source.text, means_.capability, stop_);
  std::unique_ptr<LoadedKernels> loaded = means_.load(image);
  source.text.clear();
  loaded->source = std::move(source);
  return loaded;
}

template <class T>
const LoadedKernels* RobotKernelCache<T>::ready() const {
  return kernels_.ready();
}

template <class T>
std::string RobotKernelCache<T>::description() const {
  using Stage = KernelCache<LoadedKernels, Model>::Stage;
  switch (kernels_.stage()) {
    case Stage::there: {
      const KernelSource& source = ready()->source;
      return sentence("compiled for this robot: ", source.operations, " operations",
                      source.teams > 0 ? sentence(", by ", source.teams, " warps") : std::string(), ", compiled by ",
                      means_.compiler->name());
    }
    case Stage::on_its_way: return "generic kernels while the kernel for this robot is compiled";
    case Stage::refused: return "generic kernels: " + kernels_.why();
    default: return sentence("generic kernels until ", pays_from, " states have been computed");
  }
}

template class RobotKernelCache<double>;
template class RobotKernelCache<float>;

}  // namespace tandem::cuda
