// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <type_traits>

#include "backends/cuda/plan.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// An algorithm compiled for the device in one precision. T is double or float.
template <class T>
struct Kernel {
  Index (*work_rows)(const ModelView<T>&, const Options&);
  /// Starts it. The view and all arrays are on the device.
  void (*launch)(const ModelView<T>&, const Options&, const Array<T>* arguments, Index batch, const Scratch<T>&,
                 Stream);
  KernelInfo (*info)();
};

/// What run.cuh makes of an algorithm; every pair has a source file of its own (see kernels.cmake).
template <class A, class T>
Kernel<T> kernel_of();

struct Entry {
  const char* name;
  Kernel<double> run_double;
  Kernel<float> run_float;
};

/// Every algorithm that has a kernel.
std::span<const Entry> cuda_algorithms();

/// How an algorithm runs in T. Throws Error that lists those that have a kernel if it has none.
template <class T>
const Kernel<T>& kernel_for(const Algorithm& algorithm);

}  // namespace tandem::cuda
