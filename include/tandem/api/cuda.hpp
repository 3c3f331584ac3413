// SPDX-License-Identifier: Apache-2.0
/// NVIDIA GPUs: devices, memory and streams. Algorithms run on a GPU through evaluate(), one thread per state, with
/// the same code as on the CPU.
///
/// These declarations are the same in every build. In a build without CUDA, or without driver or
/// device, is_available() is false and functions that need a device throw an Error with the reason.
///
///     const Plan<double> plan(robot, find_algorithm("inverse_dynamics"), {}, {Device::cuda});
///     evaluate(plan, arguments, batch, work);          // host arrays are copied
///     cuda::DeviceArray<double> q(numbers);            // or arrays in device memory:
///     arguments[0] = q.array(1, batch);
#pragma once
#include "tandem/requires_cxx20.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/api/evaluate.hpp"
#include "tandem/error.hpp"

namespace tandem::cuda {

using tandem::Stream;

/// Whether algorithms can run on a GPU.
bool is_available();
/// Why not, and how to fix it; empty if available.
std::string why_unavailable();

/// The current device of this thread (cudaSetDevice).
struct DeviceInfo {
  std::string name;             ///< "NVIDIA H100 ..."
  int major = 0;                ///< compute capability major.minor
  int minor = 0;                ///< compute capability major.minor
  int multiprocessors = 0;      ///< number of multiprocessors
  std::size_t memory = 0;       ///< bytes
  std::size_t free_memory = 0;  ///< free bytes
  int driver = 0;               ///< CUDA version of the driver: 13000 is 13.0
  int runtime = 0;              ///< CUDA version of the library
};
/// Its properties. Throws Error without a device.
DeviceInfo device();
/// Its number, or that of an existing device. Throws Error otherwise.
int device_number(int ordinal = -1);

/// Properties of a compiled kernel on this device. Frequently used algorithms have several kernels:
/// for robots with revolute joints only, with revolute, prismatic and a free root joint, and with any joints.
struct KernelInfo {
  const char* algorithm;         ///< by name
  const char* precision;         ///< "double" or "float"
  const char* joints;            ///< "hinges", "common" or "any"
  bool varied = false;           ///< for parameters per state
  int threads = 1;               ///< threads per state
  int registers = 0;             ///< registers per thread
  std::size_t local_memory = 0;  ///< bytes per thread: scratch memory and spilled registers
  Index resident = 0;            ///< resident threads of the device
};
/// Properties of all kernels.
std::vector<KernelInfo> kernels();

/// Device memory, or page-locked host memory, which is faster to copy. Grows on demand.
class Memory {
 public:
  /// Empty, of the device or of the host.
  explicit Memory(Place place) : place_(place) {}
  /// The other one is empty afterwards.
  Memory(Memory&& other) noexcept
      : place_(other.place_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  /// Swap.
  Memory& operator=(Memory&& other) noexcept {
    std::swap(place_, other.place_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Memory() { release(); }

  /// At least this many bytes, aligned to 256. Contents are lost if the memory grows.
  void* reserve(std::size_t bytes);
  void release() noexcept;                    ///< frees it
  void* data() const { return data_; }        ///< its address, or null
  std::size_t size() const { return size_; }  ///< bytes

 private:
  Place place_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Copies are ordered on the stream; with page-locked memory they are
/// asynchronous.
void copy_to_device(void* device, const void* host, std::size_t bytes, Stream stream = nullptr);
/// From the device to the host.
void copy_to_host(void* host, const void* device, std::size_t bytes, Stream stream = nullptr);
/// Synchronize with the stream. Throws Error if any operation failed.
void synchronise(Stream stream = nullptr);

/// An array of numbers on the device.
template <class T>
class DeviceArray {
 public:
  /// Uninitialized, of this size.
  explicit DeviceArray(std::size_t size) : size_(size) { memory_.reserve(size * sizeof(T)); }
  /// A copy of host numbers.
  explicit DeviceArray(std::span<const T> host) : DeviceArray(host.size()) { copy_from(host); }
  T* data() const { return static_cast<T*>(memory_.data()); }  ///< on the device
  /// For evaluate(), strides as those of any Array.
  Array<T> array(Index stride, Index row_stride = 1) const { return {data(), stride, row_stride, Place::device}; }
  std::size_t size() const { return size_; }  ///< number of elements

  /// Copy as many numbers as the array has; Error for another size.
  void copy_from(std::span<const T> host) {
    check_size(host.size());
    copy_to_device(data(), host.data(), size_ * sizeof(T));
    synchronise();
  }
  /// The same to the host.
  void copy_to(std::span<T> host) const {
    check_size(host.size());
    copy_to_host(host.data(), data(), size_ * sizeof(T));
    synchronise();
  }

 private:
  void check_size(std::size_t given) const {
    if (given != size_)
      throw Error("device array: " + std::to_string(given) + " numbers given, expected " + std::to_string(size_));
  }

  Memory memory_{Place::device};
  std::size_t size_;
};

struct Pipeline;

/// Device memory that calls reuse. Calls that share it must be on one stream.
struct Workspace {
  std::size_t most_scratch = 0;                      ///< limit of scratch memory in bytes; 0: half of the free memory
  std::size_t most_staging = std::size_t{64} << 20;  ///< limit of staged bytes
  std::size_t most_turned = std::size_t{512}
                            << 20;     ///< bytes of results [batch][row] that are written [row][batch] first
  Memory scratch{Place::device};       ///< scratch memory of algorithms
  Memory arrays{Place::device};        ///< transposed arrays of a call
  Memory reports{Place::device};       ///< statuses of states
  Memory between{Place::device};       ///< data between kernels of a divided call
  Memory counters{Place::device};      ///< finished blocks of a kernel; 0 between calls
  std::shared_ptr<Pipeline> pipeline;  ///< streams that copy pieces of host arrays
  int device = -1;                     ///< its device
};

/// The device memory of a workspace, to set its limits.
template <class T>
Workspace& memory_of(tandem::Workspace<T>& work);

}  // namespace tandem::cuda
