// SPDX-License-Identifier: Apache-2.0
/// A call of an algorithm: on the GPU, or its threads one after the other on the processor. This program does without the
/// processor's driver, and so without evaluate(): it calls what stands behind it.
#pragma once
#include <memory>

#include "api/check_call.hpp"
#include "backends/cuda/driver.hpp"
#include "backends/cuda/instance.hpp"
#include "call.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::gpu_check {

/// What a plan for the GPU holds.
template <class A, class T>
class Prepared {
 public:
  Prepared(const Model& model, const Options& options)
      : model_(model), prepared_(cuda::prepare<T>(algorithm_, model, options, cuda::device_number())) {}
  void run(std::span<const Array<T>> arguments, Index batch, cuda::Workspace& work) const {
    check_call(algorithm_, model_, arguments);
    cuda::run_call<T>(*prepared_, algorithm_, model_, arguments, batch, work);
  }

 private:
  Model model_;
  Algorithm algorithm_ = described<A>();
  std::shared_ptr<const cuda::Prepared> prepared_;
};

/// The arrays of a call on the device.
template <class A, class T>
class OnDevice {
 public:
  explicit OnDevice(const Call<A, T>& call) : batch_(call.batch()), arguments_(call.count()) {
    for (std::size_t k = 0; k < call.count(); ++k) {
      arrays_.emplace_back(std::span<const T>(call.array(k)));
      if (call.given(k)) arguments_[k] = arrays_[k].array(1, batch_);
    }
  }
  /// Starts it and returns.
  void run(const Prepared<A, T>& prepared, cuda::Workspace& work) { prepared.run(arguments_, batch_, work); }
  void fetch_output(Call<A, T>& call) const { arrays_[call.output()].copy_to(call.array(call.output())); }
  std::span<const Array<T>> arguments() const { return arguments_; }

 private:
  Index batch_;
  std::vector<cuda::DeviceArray<T>> arrays_;
  std::vector<Array<T>> arguments_;
};

/// [batch][row] arrays on the host, as users have them.
template <class A, class T>
class OnHost {
 public:
  explicit OnHost(const Call<A, T>& call) : batch_(call.batch()), arrays_(call.count()), arguments_(call.count()) {
    for (std::size_t k = 0; k < call.count(); ++k) {
      if (!call.given(k)) continue;
      const Index rows = call.rows(k);
      arrays_[k].resize(call.array(k).size());
      for (Index b = 0; b < batch_; ++b)
        for (Index row = 0; row < rows; ++row)
          arrays_[k][static_cast<std::size_t>(b * rows + row)] = call.at(k, row, b);
      arguments_[k] = {arrays_[k].data(), rows, 1};
    }
  }
  void run(const Prepared<A, T>& prepared, cuda::Workspace& work) { prepared.run(arguments_, batch_, work); }
  void fetch_output(Call<A, T>& call) const {
    const std::size_t k = call.output();
    const Index rows = call.rows(k);
    for (Index b = 0; b < batch_; ++b)
      for (Index row = 0; row < rows; ++row) call.at(k, row, b) = arrays_[k][static_cast<std::size_t>(b * rows + row)];
  }

 private:
  Index batch_;
  std::vector<std::vector<T>> arrays_;
  std::vector<Array<T>> arguments_;
};

/// What the threads of the GPU would do, one after the other.
template <class A, class T>
void run_threads(Call<A, T>& call, const Options& options) {
  const auto& m = call.model().template view<T>();
  const A algorithm = with_options<A>(options);
  cuda::Arguments<A, T> arguments;
  for (std::size_t k = 0; k < call.count(); ++k)
    if (call.given(k)) arguments.array[k] = {call.array(k).data(), 1, call.batch()};
  const Index columns = std::min<Index>(call.batch(), 96), stride = cuda::row_stride(columns);
  std::vector<T> work(static_cast<std::size_t>(algorithm.work_rows(m) * stride), std::numeric_limits<T>::quiet_NaN());
  for (Index t = 0; t < columns; ++t)
    cuda::run_thread(algorithm, m, arguments, call.batch(), cuda::Scratch<T>{work.data(), stride, columns}, t);
}

}  // namespace tandem::gpu_check
