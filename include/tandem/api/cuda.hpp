// SPDX-License-Identifier: Apache-2.0
/// Algorithms on an NVIDIA GPU, one thread a state: the same bodies as on the processor.
///
/// These declarations are the same in every build. Where CUDA was left out of the build, or there is no driver or no
/// device, is_available() is false and whatever needs a device throws an Error that says what is missing.
///
///     cuda::Workspace work;                            // reused from call to call
///     cuda::evaluate_from_host<double>(find_algorithm("inverse_dynamics"), model, arguments, batch, work);
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tandem/api/evaluate.hpp"
#include "tandem/error.hpp"

struct CUstream_st;

namespace tandem::cuda {

/// A stream of the CUDA runtime (cudaStream_t); null is the default one.
using Stream = CUstream_st*;

/// True if algorithms can run on a GPU here.
bool is_available();
/// What is missing for that and how to get it; empty if nothing is.
std::string why_unavailable();

/// The device that calls of this thread use, the one that cudaSetDevice chose.
struct Device {
  std::string name;
  int major = 0, minor = 0;                 ///< compute capability
  int multiprocessors = 0;                  ///< which run threads side by side
  std::size_t memory = 0, free_memory = 0;  ///< bytes
  int driver = 0, runtime = 0;              ///< versions of CUDA: 13000 is 13.0
};
Device device();

/// What the compiler made of an algorithm for this device. Throws Error where there is none.
struct KernelInfo {
  const char* algorithm;
  const char* precision;         ///< "double" or "float"
  int registers = 0;             ///< of a thread
  std::size_t local_memory = 0;  ///< bytes of a thread that did not fit into registers
  Index resident = 0;            ///< states that the device works on at a time
};
std::vector<KernelInfo> kernels();

/// Memory of the device, or of the host but page-locked, which copies faster. Grows when asked for more.
class Memory {
 public:
  enum class Place { device, host };
  explicit Memory(Place place) : place_(place) {}
  Memory(Memory&& other) noexcept
      : place_(other.place_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Memory& operator=(Memory&& other) noexcept {
    std::swap(place_, other.place_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Memory() { release(); }

  /// At least this many bytes, aligned to 256. What they held is lost if the memory has to grow.
  void* reserve(std::size_t bytes);
  void release() noexcept;
  void* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  Place place_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Copies follow what was asked of the stream before; from or to memory that is page-locked they return before they are
/// done.
void copy_to_device(void* device, const void* host, std::size_t bytes, Stream stream = nullptr);
void copy_to_host(void* host, const void* device, std::size_t bytes, Stream stream = nullptr);
/// Waits for all that was asked of the stream. Throws Error if any of it failed.
void synchronise(Stream stream = nullptr);

/// Numbers on the device.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t size) : size_(size) { memory_.reserve(size * sizeof(T)); }
  explicit DeviceArray(std::span<const T> host) : DeviceArray(host.size()) { copy_from(host); }
  T* data() const { return static_cast<T*>(memory_.data()); }
  std::size_t size() const { return size_; }

  /// As many numbers as the array has, or Error.
  void copy_from(std::span<const T> host) {
    check_size(host.size());
    copy_to_device(data(), host.data(), size_ * sizeof(T));
    synchronise();
  }
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

  Memory memory_{Memory::Place::device};
  std::size_t size_;
};

/// Memory that calls reuse; it belongs to the device that was in use when it grew. Calls that share it must be on one
/// stream.
struct Workspace {
  std::size_t most_scratch = 0;                      ///< bytes of scratch memory; 0: half of what is free
  std::size_t most_staging = std::size_t{64} << 20;  ///< bytes of arrays that are on their way at a time
  Memory scratch{Memory::Place::device};             ///< what bodies keep between their passes
  Memory arrays{Memory::Place::device};              ///< copies of arrays of the host
  Memory staging{Memory::Place::host};
};

/// tandem::evaluate with arrays on the device, of any strides; [row][batch] ones, with stride 1, are fastest. Returns
/// when the work is on its way; synchronise() waits for it. However little memory there is, it serves the whole batch,
/// fewer states at a time. Throws Error for an algorithm without a kernel, and names those that have one.
template <class T>
void evaluate(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments, Index batch,
              Workspace& work, const Options& options = {}, Stream stream = nullptr);

/// The same with arrays on the host, of any strides: copied there as [row][batch] and back, piece by piece. Returns when
/// all is done.
template <class T>
void evaluate_from_host(const Algorithm& algorithm, const Model& model, std::span<const Array<T>> arguments,
                        Index batch, Workspace& work, const Options& options = {}, Stream stream = nullptr);

}  // namespace tandem::cuda
