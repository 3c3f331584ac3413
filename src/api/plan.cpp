// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <algorithm>

#include "algorithms.hpp"
#include "backends/cpu/instruction_set.hpp"
#include "backends/cuda/links/driver.hpp"
#include "check_call.hpp"
#include "core/text.hpp"
#include "loops.hpp"
#include "loops_over_tree.hpp"
#include "policy/automatic.hpp"
#include "policy/methods.hpp"
#include "specialise.hpp"

namespace tandem {

void check_kind(const Device& device) {
  if (device.kind != Device::cpu && device.kind != Device::cuda)
    throw Error(sentence("device kind ", static_cast<int>(device.kind), " is not valid; expected cpu or cuda"));
}

Device numbered(const Device& device) {
  check_kind(device);
  return device.kind == Device::cuda ? Device{Device::cuda, cuda::device_number(device.ordinal)} : Device{};
}

template <class T>
ExecutionPath<T> path_of(const Algorithm& algorithm, const Model& model, const Options& options, const Device& device,
                         Specialise specialise) {
  const LinkKernels* links = link_method(algorithm, model, options);
  ExecutionPath<T> path;
  path.divides = links != nullptr;
  if (device.kind == Device::cuda) {
    path.prepared = links ? cuda::prepare_links<T>(algorithm, model, options, device.ordinal)
                          : cuda::prepare<T>(algorithm, model, options, device.ordinal, specialise);
    if (links)
      path.specialised = kernel_cache_of<T>(algorithm, model, options, path, specialise);  // says that there is none
    return path;
  }
  path.kernel = links ? &cpu::in_precision<T>(links->kernels) : &cpu::kernel<T>(static_cast<std::size_t>(algorithm.id));
  if (path.kernel->prepare) path.prepared = path.kernel->prepare(model.view<T>(), options);
  Call<T> call = {model.view<T>(), options, nullptr};
  call.prepared = path.prepared.get();
  path.scratch = path.kernel->scratch_size(call);
  path.specialised = kernel_cache_of<T>(algorithm, model, options, path, specialise);
  return path;
}

template <class T>
Plan<T>::Plan(const Model& model, const Algorithm& algorithm, const Options& options, const Device& device,
              Specialise specialise)
    : model_(model), algorithm_(&known(algorithm)), options_(options), device_(numbered(device)) {
  check_options(*algorithm_, model, options);
  const Algorithm& serving = with_loops(*algorithm_, model, options, device_);
  if (device_.kind == Device::cpu) options_ = decided<T>(serving, model, options);
  const bool over_tree =
      goes_over_tree(*algorithm_, model, options_);  // calls find their ways, this one says what fits
  path_ = path_of<T>(serving, over_tree ? model.without_loops() : model, with_loops(*algorithm_, serving, options_),
                     device_, specialise);
  if (options_.method == Method::automatic && !algorithm_->methods.empty())
    options_.method = own_method(*algorithm_, model);
}

template <class T>
const cuda::Prepared& on_gpu(const ExecutionPath<T>& path) {
  return *static_cast<const cuda::Prepared*>(path.prepared.get());
}

template <class T>
bool Plan<T>::specialised() const {
  if (device_.kind == Device::cuda) return on_gpu(path_).is_specialised();
  return path_.specialised && path_.specialised->ready();
}

template <class T>
std::string Plan<T>::served_by() const {
  if (device_.kind == Device::cuda && !path_.divides) return on_gpu(path_).description();
  if (path_.specialised) return path_.specialised->description();
  const std::string why = why_not_specialised(*algorithm_, model_, options_, path_);
  return ordinary_way(why.empty() ? "" : ": " + why);
}

template <class T>
typename LastWays<T>::Entry& LastWays<T>::entry(const Algorithm& algorithm, const Model& model, const Options& options,
                                                const Device& device) {
  const void* const data = model.view<T>().parent;
  const void* const set = &cpu::in_use();
  for (Entry& e : entries_) {
    if (e.data != data || e.n_loops != model.n_loops() || e.algorithm != algorithm.id || e.options != options ||
        e.device != device || e.instruction_set != set || e.model.expired())
      continue;
    e.last_use = ++uses_;
    return e;
  }
  Entry entry = {model.shared_data(),
                 data,
                 model.n_loops(),
                 algorithm.id,
                 options,
                 device,
                 set,
                 path_of<T>(algorithm, model, options, device, Specialise::automatic),
                 ++uses_};
  std::copy_n(model.view<double>().base_acceleration, 6, entry.base_acceleration.begin());
  std::erase_if(entries_, [](const Entry& e) { return e.model.expired(); });
  if (entries_.size() < most_) return entries_.emplace_back(std::move(entry));
  Entry& oldest = *std::min_element(entries_.begin(), entries_.end(),
                                    [](const Entry& a, const Entry& b) { return a.last_use < b.last_use; });
  return oldest = std::move(entry);
}

template <class T>
const ExecutionPath<T>& Kept<T>::own_path(const Algorithm& algorithm, const Model& model, const Options& options) {
  auto& entry = own_.entry(algorithm, model, options, {});
  const auto& now = model.view<double>().base_acceleration;
  if (!std::equal(entry.base_acceleration.begin(), entry.base_acceleration.end(), now)) {
    std::copy(std::begin(now), std::end(now), entry.base_acceleration.begin());
    entry.path.specialised.reset();
    entry.calls_to_wait = 4;  // it may move from call to call
  } else if (entry.calls_to_wait > 0 && --entry.calls_to_wait == 0) {
    entry.path.specialised = kernel_cache_of<T>(algorithm, model, options, entry.path, Specialise::automatic);
  }
  return entry.path;
}

template <class T>
Kept<T>& kept(Workspace<T>& work) {
  if (!work.kept_) work.kept_ = std::make_shared<Kept<T>>();
  return *work.kept_;
}

template <class T>
cuda::Workspace& cuda::memory_of(tandem::Workspace<T>& work) {
  return kept(work).on_gpu;
}

template ExecutionPath<double> path_of(const Algorithm&, const Model&, const Options&, const Device&, Specialise);
template ExecutionPath<float> path_of(const Algorithm&, const Model&, const Options&, const Device&, Specialise);
template class Plan<double>;
template class Plan<float>;
template class LastWays<double>;
template class LastWays<float>;
template class Kept<double>;
template class Kept<float>;
template Kept<double>& kept(Workspace<double>&);
template Kept<float>& kept(Workspace<float>&);
template cuda::Workspace& cuda::memory_of(tandem::Workspace<double>&);
template cuda::Workspace& cuda::memory_of(tandem::Workspace<float>&);

}  // namespace tandem
