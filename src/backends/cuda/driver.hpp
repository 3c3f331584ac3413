// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "backends/cuda/plan.hpp"
#include "backends/shared/parameters.hpp"
#include "core/text.hpp"
#include "tandem/api/cuda.hpp"
#include "tandem/api/plan.hpp"

namespace tandem::cuda {

/// What a plan for a GPU holds: the arrays of its model there. How it goes on is known to the driver alone.
struct Prepared {
  explicit Prepared(int number, bool is_divided = false) : device(number), divides(is_divided) {}
  virtual ~Prepared() = default;
  int device;
  bool divides;           ///< one robot among threads: links/driver.hpp
  bool iterates = false;  ///< by a method that takes steps until it is near enough

  /// Whether kernels for the robot alone are there, and in words what serves calls.
  virtual bool is_specialised() const { return false; }
  virtual std::string description() const { return "generic kernels"; }
};

/// Throws Error for an algorithm without a kernel, or where kernels for the robot alone were asked for and cannot be.
template <class T>
std::shared_ptr<const Prepared> prepare(const Algorithm& algorithm, const Model& model, const Options& options,
                                        int device, Specialise specialise = Specialise::automatic);

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

/// Bytes of scratch memory that a call may take which would like `wanted`: what the workspace says or holds, else a
/// share of what is free besides.
std::size_t most_scratch(const Workspace& work, std::size_t wanted, double share);

/// Scratch memory of whole units of threads, as many as are wanted or fit. Throws Error if not one fits.
template <class T>
Scratch<T> take_scratch(Workspace& work, Index wanted, Index rows, Index unit) {
  wanted = (wanted + unit - 1) / unit * unit;
  const std::size_t most = most_scratch(work, scratch_bytes(wanted, rows, sizeof(T)), 0.5);
  const Index columns = columns_for(wanted, rows, sizeof(T), most) / unit * unit;
  if (columns == 0)
    throw Error(sentence("CUDA: ", unit, " states of this robot need ", scratch_bytes(unit, rows, sizeof(T)),
                         " bytes of scratch memory on the device, more than the limit of ", most));
  return {static_cast<T*>(work.scratch.reserve(scratch_bytes(columns, rows, sizeof(T)))), row_stride(columns), columns};
}

/// A call, all its arrays on the device in use.
template <class T>
struct CallThere {
  const Array<T>* arguments;  ///< in the order of the table
  Index batch;
  Status* status = nullptr;                    ///< [batch] on the device, or null
  const ParameterArrays<T>* varied = nullptr;  ///< its values on the device, the model's own on the host; or null
  Stream stream = nullptr;
  std::int32_t* iterations = nullptr;  ///< [batch] on the device, of plans that iterate: see GroupCall; or null
};

/// Starts it, arguments checked.
template <class T>
void start(const Prepared& prepared, const Algorithm& algorithm, const Model& model, const CallThere<T>& call,
           Workspace& work);

/// A call of evaluate(), its arguments checked, with the batch's parameters as arrays or null. Arrays of the host go
/// there and back, piece by piece; those of the device stay where they are. If all are there, returns when the work is
/// on its way, else when it is done.
template <class T>
void run_call(const Prepared& prepared, const Algorithm& algorithm, const Model& model,
              std::span<const Array<T>> arguments, const Batch<T>& batch, const ParameterArrays<T>* varied,
              Workspace& work);

}  // namespace tandem::cuda
