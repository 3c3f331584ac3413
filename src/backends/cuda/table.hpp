// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "backends/cuda/plan.hpp"
#include "backends/cuda/variants.hpp"
#include "backends/cuda/variation.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// What a device makes of a kernel.
struct Resources {
  int registers = 0;             ///< registers per thread
  std::size_t local_memory = 0;  ///< bytes of a thread: its own rows, and what did not fit into registers
  Index resident = 0;            ///< resident threads of the device
  int multiprocessors = 0;
};

/// A call of a kernel. The model, replicated where models are varied, and all arrays are on the device.
template <class T>
struct KernelCall {
  ModelView<T> model;
  const ModelView<T>& host_model;  ///< the same here
  const Options& options;
  const Array<T>* arguments;
  Index batch;
  Scratch<T> scratch;
  Variation<T> variation;
  Index threads;
  Stream stream;
  std::int32_t* iterations =
      nullptr;  ///< [batch], of algorithms that iterate: steps, -1 - steps where they were not enough
};

/// One way to run an algorithm on the device in one precision. T is double or float.
template <class T>
struct Kernel {
  JointSet joints;
  int own_rows;  ///< of scratch memory that a thread has itself, or 0
  int shares;    ///< threads of a state
  Models models;
  bool (*serves)(const ModelView<T>&);
  /// Rows of scratch memory that a thread needs besides its own. Of a model on the host.
  Index (*work_rows)(const ModelView<T>&, const Options&);
  void (*launch)(const KernelCall<T>&);
  Resources (*resources)();
};

template <class T>
using Kernels = std::vector<Kernel<T>>;

/// What run.cuh makes of the variants of a body; kernels.cmake says in which source.
template <class Body, class T>
Kernels<T> kernels_of();

/// The kernels of an algorithm, by one of its methods where they are apart; those for fewer models first.
struct Entry {
  const char* name;
  Method method = Method::automatic;
  bool inverts_mass_matrix = false, iterates = false;
  Kernels<double> in_double;
  Kernels<float> in_float;
  template <class T>
  const Kernels<T>& in() const {
    if constexpr (std::is_same_v<T, double>)
      return in_double;
    else
      return in_float;
  }
};

/// Every algorithm.
std::span<const Entry> cuda_algorithms();

/// The kernels that serve a model: many states, a thread each; a few states, several threads each, or null; models that
/// differ from state to state, or null where these make no difference.
template <class T>
struct Choice {
  const Kernel<T>* many = nullptr;
  const Kernel<T>* few = nullptr;
  const Kernel<T>* varied = nullptr;
  bool inverts_mass_matrix = false, iterates = false;
};
template <class T>
Choice<T> kernels_for(const Algorithm& algorithm, const ModelView<T>& m, const Options& options);

}  // namespace tandem::cuda
