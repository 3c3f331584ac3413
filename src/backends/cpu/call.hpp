// SPDX-License-Identifier: Apache-2.0
/// What passes between the interface and the code compiled once per instruction set: plain data and function pointers.
#pragma once
#include <memory>

#include "backends/shared/parameters.hpp"
#include "tandem/model/view.hpp"

namespace tandem {

/// One call of an algorithm for a batch.
template <class T>
struct Call {
  const ModelView<T>& model;
  const Options& options;
  const Array<T>* arguments;  ///< in the order of the algorithm's table
  Status* status = nullptr;   ///< [batch], or null
  const ParameterArrays<T>* parameters = nullptr;
  int threads = 1;                     ///< that may share one state, if the method can divide it
  const void* prepared = nullptr;      ///< what Kernel::prepare made for the model and the options
  std::int32_t* iterations = nullptr;  ///< [batch], zeros that methods which iterate write their steps to, or null
  T* guess = nullptr;                  ///< [batch][n_links][6], where they begin, and then where they ended, or null
};

/// How an algorithm runs on one instruction set.
template <class T>
struct Kernel {
  int lanes;                                                        ///< instances that run side by side
  Index (*scratch_size)(const Call<T>&);                            ///< numbers of scratch memory that a thread needs
  void (*run)(const Call<T>&, Index begin, Index end, T* scratch);  ///< states begin .. end - 1 on this thread
  /// What calls with these options can share as long as the model lives, the same for every instruction set; or null.
  std::shared_ptr<const void> (*prepare)(const ModelView<T>&, const Options&) = nullptr;
};

struct Kernels {
  Kernel<double> in_double;
  Kernel<float> in_float;
};

}  // namespace tandem
