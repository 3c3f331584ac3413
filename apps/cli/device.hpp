// SPDX-License-Identifier: Apache-2.0
/// Where a function is computed: --device.
#pragma once
#include "cli.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cli {

/// "cpu" or "cuda".
void add_device(Command& command, std::string& device);

/// evaluate() on the processor or on a GPU, with memory that calls reuse. Throws Error if that device is not here. A GPU
/// does not say what became of each state.
template <class T>
class Evaluator {
 public:
  Evaluator(const std::string& device, bool wants_status) : on_gpu_(device == "cuda") {
    if (on_gpu_ && wants_status) throw Error("--status goes with --device cpu only");
    if (on_gpu_ && !cuda::is_available()) throw Error(cuda::why_unavailable());
  }
  void operator()(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                  const Batch<T>& batch, const Options& options) {
    if (on_gpu_)
      cuda::evaluate_from_host<T>(algorithm, model, arguments, batch.size, cuda_work_, options);
    else
      evaluate<T>(algorithm, model, arguments, batch, work_, options);
  }

 private:
  bool on_gpu_;
  Workspace<T> work_;
  cuda::Workspace cuda_work_;
};

}  // namespace tandem::cli
