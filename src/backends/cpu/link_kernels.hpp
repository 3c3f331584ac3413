// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "backends/cpu/call.hpp"
#include "backends/cpu/step_robots.hpp"
#include "backends/shared/contact.hpp"

namespace tandem {

struct RolloutKernels;

/// A method that divides one robot among lanes and threads, on one instruction set.
struct LinkKernels {
  const char* algorithm;
  Method method;
  /// Null if the method serves the model; else why not, and which method does.
  const char* (*refuses)(const ModelView<double>&, const Options&);
  unsigned options;  ///< those that the method reads, see read_options
  Kernels kernels;
};

/// All that there is on one instruction set.
struct KernelTables {
  std::span<const Kernels> kernels;  ///< in the order of Algorithms
  std::span<const LinkKernels> link_kernels;
  const Kernels& inverse_kinematics;
  const Kernels& assembled;  ///< runs functions that were assembled for a robot, see assembled.hpp
  const RolloutKernels& rollout;  ///< see rollout.hpp
  const StepKernels& steps;   ///< of robots whose accelerations are found all at once
  const ContactKernels& contacts;  ///< see shared/contact.hpp
  int register_bytes;
};

}  // namespace tandem
