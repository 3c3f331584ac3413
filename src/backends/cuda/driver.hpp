// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// What a plan for a GPU holds: the arrays of its model there. How it goes on is known to the driver alone.
struct Prepared {
  int device;
  bool divides = false;  ///< one robot among threads: links/driver.hpp
};

/// Throws Error for an algorithm without a kernel, and names those that have one.
template <class T>
std::shared_ptr<const Prepared> prepare(const Algorithm& algorithm, const Model& model, const Options& options,
                                        int device);

/// Has calls of this thread use a device as long as it lives. Memory of another device is given back.
class DeviceInUse {
 public:
  explicit DeviceInUse(int device);
  DeviceInUse(int device, Workspace& work);
  ~DeviceInUse();
  DeviceInUse(const DeviceInUse&) = delete;
  DeviceInUse& operator=(const DeviceInUse&) = delete;

 private:
  [[maybe_unused]] int before_ = 0;
};

/// Starts it over a batch, arguments checked and on the device in use.
template <class T>
void start(const Prepared& prepared, const Model& model, const Array<T>* arguments, Index batch, Workspace& work,
           Stream stream);

/// A call of evaluate(), its arguments checked. Arrays of the host go there as [row][batch] and back, piece by piece; those
/// of the device stay where they are. If all are, returns when the work is on its way, else when it is done.
template <class T>
void run_call(const Prepared& prepared, const Algorithm& algorithm, const Model& model,
              std::span<const Array<T>> arguments, const Batch<T>& batch, Workspace& work);

}  // namespace tandem::cuda
