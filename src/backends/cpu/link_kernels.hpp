// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "backends/cpu/call.hpp"

namespace tandem {

/// A method that divides one robot among lanes and threads, on one instruction set.
struct LinkKernels {
  const char* algorithm;
  Method method;
  /// Null if the method serves the model; else why not, and which method does.
  const char* (*refuses)(const ModelView<double>&, const Options&);
  /// Name of an option that is set and that the method does not read, or null.
  const char* (*unread)(const Options&);
  Kernels kernels;
};

}  // namespace tandem
