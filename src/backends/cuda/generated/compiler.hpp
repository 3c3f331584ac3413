// SPDX-License-Identifier: Apache-2.0
/// Compilers of CUDA C++ that are asked at run time: NVRTC, where a toolkit or a Python package has it, else nvcc. None
/// is needed to build Tandem or to run it. Nothing in this is the device's.
#pragma once
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tandem::cuda {

/// Machine code for a GPU, or PTX, which its driver compiles when it is loaded.
using Image = std::vector<std::byte>;

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// "NVRTC 13.0"; what one of another name compiles may differ.
  virtual std::string name() const = 0;
  /// For GPUs of a compute capability of 10 major + minor. Throws Error with the compiler's own words, and soon after
  /// `stop` is set by another thread, if the compiler can be stopped.
  virtual Image compile(const std::string& text, int capability, const std::atomic<bool>& stop) const = 0;
};

/// That of a library of NVRTC, or of a program nvcc; or null. TANDEM_NVRTC and CUDACXX name another library and
/// program.
std::unique_ptr<const Compiler> nvrtc(std::string& why_not);
std::unique_ptr<const Compiler> nvcc(std::string& why_not);

/// The one that this process uses, looked for once; null if there is none.
const Compiler* compiler();
/// What is missing for one.
const std::string& why_no_compiler();

}  // namespace tandem::cuda
