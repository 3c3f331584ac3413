// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver.hpp"

#include "backends/cuda/device_model.hpp"
#include "backends/cuda/error.hpp"
#include "backends/cuda/links/driver.hpp"
#include "backends/cuda/table.hpp"

namespace tandem::cuda {
namespace {

template <class T>
struct DevicePlan : Prepared {
  DevicePlan(const Kernel<T>& k, const Model& m, const Options& o, int number)
      : Prepared{number}, kernel(k), options(o), model(m.view<T>()) {}
  const Kernel<T>& kernel;
  Options options;
  DeviceModel<T> model;
};

/// Scratch memory of a call that would like `wanted` bytes: half of what is free, unless the workspace holds enough.
std::size_t most_scratch(const Workspace& work, std::size_t wanted) {
  if (work.most_scratch > 0) return work.most_scratch;
  if (wanted <= work.scratch.size()) return wanted;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "free memory");
  return work.scratch.size() + free / 2;
}

}  // namespace

template <class T>
std::shared_ptr<const Prepared> prepare(const Algorithm& algorithm, const Model& model, const Options& options,
                                        int device) {
  const Kernel<T>& kernel = kernel_for<T>(algorithm);
  const DeviceInUse here(device);
  return std::make_shared<const DevicePlan<T>>(kernel, model, options, device);
}

template <class T>
void start(const Prepared& prepared, const Model& model, const Array<T>* arguments, Index batch, Workspace& work,
           Stream stream) {
  if (prepared.divides) return start_links(prepared, model, arguments, batch, work, stream);
  const auto& plan = static_cast<const DevicePlan<T>&>(prepared);
  const Kernel<T>& kernel = plan.kernel;
  const Index rows = std::max<Index>(1, kernel.work_rows(model.view<T>(), plan.options));
  const Index wanted = std::min(batch, kernel.info().resident);
  const Index columns =
      columns_for(wanted, rows, sizeof(T), most_scratch(work, scratch_bytes(wanted, rows, sizeof(T))));
  auto* const data = static_cast<T*>(work.scratch.reserve(scratch_bytes(columns, rows, sizeof(T))));
  kernel.launch(plan.model.view(model.view<T>()), plan.options, arguments, batch, {data, row_stride(columns), columns},
                stream);
}

template std::shared_ptr<const Prepared> prepare<double>(const Algorithm&, const Model&, const Options&, int);
template std::shared_ptr<const Prepared> prepare<float>(const Algorithm&, const Model&, const Options&, int);
template void start(const Prepared&, const Model&, const Array<double>*, Index, Workspace&, Stream);
template void start(const Prepared&, const Model&, const Array<float>*, Index, Workspace&, Stream);

}  // namespace tandem::cuda
