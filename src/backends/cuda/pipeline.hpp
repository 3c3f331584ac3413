// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cuda_runtime.h>

#include "backends/cuda/error.hpp"
#include "tandem/api/cuda.hpp"

namespace tandem::cuda {

/// A stream beside that of the user, and an event of the device in use.
class OwnStream {
 public:
  OwnStream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream() {
    if (cudaStreamDestroy(stream_) != cudaSuccess) cudaGetLastError();
  }
  operator Stream() const { return stream_; }

 private:
  Stream stream_ = nullptr;
};
class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event"); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    if (cudaEventDestroy(event_) != cudaSuccess) cudaGetLastError();
  }
  void record(Stream stream) { check(cudaEventRecord(event_, stream), "recording an event"); }
  void hold(Stream stream) const { check(cudaStreamWaitEvent(stream, event_, 0), "waiting for an event"); }
  void wait() const { check(cudaEventSynchronize(event_), "running"); }

 private:
  cudaEvent_t event_ = nullptr;
};

/// Where pieces of arrays of the host are on their way: one goes up, one is worked on, one comes down.
struct Pipeline {
  static constexpr int slots = 3;
  struct Slot {
    Memory there{Place::device}, here{Place::host};
    Event up, done, down;
  };
  Slot slot[slots];
  OwnStream up, down;
};

}  // namespace tandem::cuda
