// SPDX-License-Identifier: Apache-2.0
/// A call of an algorithm: on the GPU, or its threads one after the other on the processor. This program does without
/// the processor's driver, and so without evaluate(): it calls what stands behind it.
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
  Prepared(const Model& model, const Options& options, Specialise specialise = Specialise::off)
      : model_(model), prepared_(cuda::prepare<T>(algorithm_, model, options, cuda::device_number(), specialise)) {}
  std::string description() const { return prepared_->description(); }
  void run(std::span<const Array<T>> arguments, const Batch<T>& batch, cuda::Workspace& work) const {
    check_call(algorithm_, model_, arguments);
    cuda::run_call<T>(*prepared_, algorithm_, model_, arguments, batch, nullptr, work);
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
  /// [row][batch], or, of the same numbers, [batch][row].
  explicit OnDevice(const Call<A, T>& call, bool states_first = false)
      : batch_(call.batch()), arguments_(call.count()) {
    for (std::size_t k = 0; k < call.count(); ++k) {
      arrays_.emplace_back(std::span<const T>(call.array(k)));
      if (call.given(k)) arguments_[k] = states_first ? arrays_[k].array(call.rows(k)) : arrays_[k].array(1, batch_);
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

/// Numbers on the host as they come, or page-locked.
template <class T>
class HostArray {
 public:
  HostArray(std::size_t size, bool locked) {
    if (locked)
      data_ = static_cast<T*>(locked_.reserve(size * sizeof(T)));
    else
      numbers_.resize(size), data_ = numbers_.data();
  }
  T& operator[](std::size_t k) { return data_[k]; }
  const T& operator[](std::size_t k) const { return data_[k]; }
  T* data() { return data_; }

 private:
  std::vector<T> numbers_;
  cuda::Memory locked_{Place::host};
  T* data_;
};

/// [batch][row] arrays on the host, as users have them.
template <class A, class T>
class OnHost {
 public:
  explicit OnHost(const Call<A, T>& call, bool locked = false) : batch_(call.batch()), arguments_(call.count()) {
    for (std::size_t k = 0; k < call.count(); ++k) {
      arrays_.emplace_back(call.given(k) ? call.array(k).size() : 0, locked);
      if (!call.given(k)) continue;
      const Index rows = call.rows(k);
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
  std::vector<HostArray<T>> arrays_;
  std::vector<Array<T>> arguments_;
};

/// What the threads of the GPU would do, one after the other, with the kernel for any joints.
template <class Body, class A, class T>
void run_threads(Call<A, T>& call) {
  const auto& m = call.model().template view<T>();
  const Body body;
  cuda::Arguments<Body, T> arguments;
  for (std::size_t k = 0; k < call.count(); ++k)
    if (call.given(k)) arguments.array[k] = {call.array(k).data(), 1, call.batch()};
  const Index columns = std::min<Index>(call.batch(), 96), stride = cuda::row_stride(columns);
  std::vector<T> work(static_cast<std::size_t>(body.work_rows(m) * stride), std::numeric_limits<T>::quiet_NaN());
  for (Index t = 0; t < columns; ++t)
    cuda::run_thread<cuda::Variant<Body, JointSet::any>>(
        body, m, arguments, call.batch(), cuda::Scratch<T>{work.data(), stride, columns}, {}, nullptr, t);
}
template <class A, class T>
void run_threads(Call<A, T>& call, [[maybe_unused]] const Options& options) {
  if constexpr (!std::is_same_v<A, ForwardDynamics>)
    run_threads<A>(call);
  else if (options.method == Method::composite_rigid_body)
    run_threads<cuda::ByMassMatrix>(call);
  else
    run_threads<cuda::ByArticulatedBodies>(call);
}

}  // namespace tandem::gpu_check
