// SPDX-License-Identifier: Apache-2.0
/// NVIDIA GPUs: what is there, its memory, its streams. Algorithms run there through evaluate(), one thread a state, by
/// the same bodies as on the processor.
///
/// These declarations are the same in every build. Where CUDA was left out of the build, or there is no driver or no
/// device, is_available() is false and whatever needs a device throws an Error that says what is missing.
///
///     const Plan<double> plan(robot, find_algorithm("inverse_dynamics"), {}, {Device::cuda});
///     evaluate(plan, arguments, batch, work);          // arrays of the host go there and back
///     cuda::DeviceArray<double> q(numbers);            // or lie there, and results stay there, too:
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

/// True if algorithms can run on a GPU here.
bool is_available();
/// What is missing for that and how to get it; empty if nothing is.
std::string why_unavailable();

/// The device that calls of this thread use, the one that cudaSetDevice chose.
struct DeviceInfo {
  std::string name;             ///< "NVIDIA H100 ..."
  int major = 0;                ///< of the compute capability, which is major.minor
  int minor = 0;                ///< see major
  int multiprocessors = 0;      ///< which run threads side by side
  std::size_t memory = 0;       ///< bytes
  std::size_t free_memory = 0;  ///< bytes that nobody has
  int driver = 0;               ///< version of CUDA that it knows: 13000 is 13.0
  int runtime = 0;              ///< version of CUDA in the library
};
/// What it is. Throws Error where there is none.
DeviceInfo device();
/// Its number, or that of another one if it is there. Throws Error if not.
int device_number(int ordinal = -1);

/// What the compiler made of an algorithm for this device. There are several kernels of the algorithms that are called
/// most: for robots of hinges alone, of hinges, slides and a free root, and of any joints.
struct KernelInfo {
  const char* algorithm;         ///< by name
  const char* precision;         ///< "double" or "float"
  const char* joints;            ///< "hinges", "common" or "any"
  bool varied = false;           ///< for models that differ from state to state
  int threads = 1;               ///< that work on a state together
  int registers = 0;             ///< of a thread
  std::size_t local_memory = 0;  ///< bytes of a thread: scratch memory of its own, and what did not fit into registers
  Index resident = 0;            ///< threads that the device works on at a time
};
/// Of all kernels that there are.
std::vector<KernelInfo> kernels();

/// Memory of the device, or of the host but page-locked, which copies faster. Grows when asked for more.
class Memory {
 public:
  /// None so far, of the device or of the host.
  explicit Memory(Place place) : place_(place) {}
  /// The other one has none then.
  Memory(Memory&& other) noexcept
      : place_(other.place_), data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  /// Both change places.
  Memory& operator=(Memory&& other) noexcept {
    std::swap(place_, other.place_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Memory() { release(); }

  /// At least this many bytes, aligned to 256. What they held is lost if the memory has to grow.
  void* reserve(std::size_t bytes);
  void release() noexcept;                    ///< gives it back
  void* data() const { return data_; }        ///< its begin, or null
  std::size_t size() const { return size_; }  ///< bytes

 private:
  Place place_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Copies follow what was asked of the stream before; from or to memory that is page-locked they return before they are
/// done.
void copy_to_device(void* device, const void* host, std::size_t bytes, Stream stream = nullptr);
/// The other way, in the same manner.
void copy_to_host(void* host, const void* device, std::size_t bytes, Stream stream = nullptr);
/// Waits for all that was asked of the stream. Throws Error if any of it failed.
void synchronise(Stream stream = nullptr);

/// Numbers on the device.
template <class T>
class DeviceArray {
 public:
  /// Of that many numbers, whatever they are.
  explicit DeviceArray(std::size_t size) : size_(size) { memory_.reserve(size * sizeof(T)); }
  /// A copy of those of the host.
  explicit DeviceArray(std::span<const T> host) : DeviceArray(host.size()) { copy_from(host); }
  T* data() const { return static_cast<T*>(memory_.data()); }  ///< on the device
  /// For evaluate(), strides as those of any Array.
  Array<T> array(Index stride, Index row_stride = 1) const { return {data(), stride, row_stride, Place::device}; }
  std::size_t size() const { return size_; }  ///< how many numbers

  /// As many numbers as the array has, or Error.
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

/// Memory that calls reuse, of the device that they were for. Calls that share it must be on one stream.
struct Workspace {
  std::size_t most_scratch = 0;                      ///< bytes of scratch memory; 0: half of what is free
  std::size_t most_staging = std::size_t{64} << 20;  ///< bytes of arrays that are on their way at a time
  std::size_t most_turned = std::size_t{512}
                            << 20;     ///< bytes of results [batch][row] that are written [row][batch] first
  Memory scratch{Place::device};       ///< what bodies keep between their passes
  Memory arrays{Place::device};        ///< arrays of a call that lie otherwise than kernels read them best
  Memory reports{Place::device};       ///< what becomes of states
  Memory between{Place::device};       ///< what kernels of a divided call leave to those behind them
  Memory counters{Place::device};      ///< blocks of a kernel that are done; 0 between calls
  std::shared_ptr<Pipeline> pipeline;  ///< on which pieces of arrays of the host go there and back
  int device = -1;                     ///< whose memory it is
};

/// That of a workspace of evaluate(), to bound what calls for a GPU take.
template <class T>
Workspace& memory_of(tandem::Workspace<T>& work);

}  // namespace tandem::cuda
