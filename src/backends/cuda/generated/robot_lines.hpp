// SPDX-License-Identifier: Apache-2.0
/// Kernels for the robot of a plan, that are compiled while those for every robot serve. Nothing in this is the device's: tests
/// compile and load as they like.
#pragma once
#include <array>
#include <functional>

#include "backends/cuda/generated/robot_kernels.hpp"
#include "core/background.hpp"
#include "tandem/api/plan.hpp"

namespace tandem::cuda {

/// What was loaded of compiled kernels; a driver adds how to launch them.
struct LoadedKernels {
  virtual ~LoadedKernels() = default;
  KernelSource source;  ///< without its text
};

/// By what kernels come to be on a device.
struct Means {
  const Compiler* compiler = nullptr;
  Store store{""};
  int capability = 0;  ///< 10 major + minor
  std::function<std::unique_ptr<LoadedKernels>(const Image&)> load;
};

/// Kernels for every choice of optional arguments that calls give. Each is compiled on a thread of its own once it is asked for,
/// or once enough states have come with that choice. Any number of threads may call.
template <class T>
class RobotLines {
 public:
  /// With `wait` the kernels for calls that give what is needed and nothing else are there afterwards, with `on` they are on
  /// their way. Throws Error if one of these was asked for and cannot be.
  RobotLines(const Algorithm& algorithm, const Model& model, const Options& options, Means means, Specialise how);
  ~RobotLines() { stop_ = true; }  // and waits for those that are on their way

  /// Those for a call of so many states, or null while there are none, or if gravity is no more what it was.
  const LoadedKernels* kernels_for(const Model& model, const Array<T>* arguments, Index states);
  /// Those for calls which give what is needed and nothing else, if they are there.
  const LoadedKernels* ready() const;
  /// In words, how such calls are served.
  std::string told() const;

  /// What keeps a robot from kernels of its own; empty if nothing does.
  static std::string why_not(const Model& model, const Compiler* compiler);

 private:
  using Given = std::uint32_t;  // a bit for each argument that is there, and one that there are any
  enum Stage : int { unused, on_its_way, there, refused };
  struct Line {
    std::atomic<Given> given = 0;  // 0: for no call yet
    std::atomic<Index> states = 0;
    std::atomic<int> stage = unused;
    std::string why;  // it was refused
    std::unique_ptr<const LoadedKernels> kernels;
    Background thread;
  };
  static constexpr Given any = Given{1} << 31;

  Line* line_of(Given given);
  void begin(Line& line, const Model& model);
  void make(Line& line, const Model& model) noexcept;

  Algorithm algorithm_;
  Options options_;
  Means means_;
  std::array<double, 6> base_acceleration_;
  bool asked_for_;
  std::atomic<bool> stop_ = false;
  std::array<Line, 8> lines_;  // the first is that of calls which give what is needed
};

}  // namespace tandem::cuda
