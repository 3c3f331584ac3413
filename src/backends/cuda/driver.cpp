// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/driver.hpp"

#include "backends/cuda/device_model.hpp"
#include "backends/cuda/error.hpp"
#include "backends/cuda/table.hpp"

namespace tandem::cuda {
namespace {

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
void run(const Algorithm& algorithm, const Model& model, const Array<T>* arguments, Index batch, Workspace& work,
         const Options& options, Stream stream) {
  const Kernel<T>& kernel = kernel_for<T>(algorithm);
  if (batch <= 0) return;
  const ModelView<T> m = on_device<T>(model);
  const Index rows = std::max<Index>(1, kernel.work_rows(model.view<T>(), options));
  const Index wanted = std::min(batch, kernel.info().resident);
  const Index columns =
      columns_for(wanted, rows, sizeof(T), most_scratch(work, scratch_bytes(wanted, rows, sizeof(T))));
  auto* const data = static_cast<T*>(work.scratch.reserve(scratch_bytes(columns, rows, sizeof(T))));
  kernel.launch(m, options, arguments, batch, {data, row_stride(columns), columns}, stream);
}

template void run(const Algorithm&, const Model&, const Array<double>*, Index, Workspace&, const Options&, Stream);
template void run(const Algorithm&, const Model&, const Array<float>*, Index, Workspace&, const Options&, Stream);

}  // namespace tandem::cuda
