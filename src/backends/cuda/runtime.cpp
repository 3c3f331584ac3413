// SPDX-License-Identifier: Apache-2.0
/// The device and its memory.
#include <string>

#include "backends/cuda/driver.hpp"
#include "backends/cuda/error.hpp"
#include "core/text.hpp"

namespace tandem::cuda {
namespace {

/// 13000 as "13.0"
std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

}  // namespace

bool is_available() { return why_unavailable().empty(); }

std::string why_unavailable() {
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices > 0) return {};
  cudaGetLastError();
  int driver = 0;
  if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
    return "CUDA: no driver: install NVIDIA's driver (nvidia-smi must list a GPU); in a container, pass the GPU to "
           "it";
  if (status == cudaErrorInsufficientDriver)
    return "CUDA: the driver supports CUDA " + version(driver) + ", but this copy of Tandem was built with CUDA " +
           version(CUDART_VERSION) + ": install a newer driver or build with an older toolkit";
  if (status == cudaSuccess || status == cudaErrorNoDevice)
    return "CUDA: no device: the driver sees no GPU (see nvidia-smi and the environment variable CUDA_VISIBLE_DEVICES)";
  return std::string("CUDA: ") + cudaGetErrorString(status) + " (" + cudaGetErrorName(status) + ")";
}

int device_number(int ordinal) {
  if (const std::string why = why_unavailable(); !why.empty()) throw Error(why);
  int number = ordinal, count = 0;
  if (ordinal < 0) check(cudaGetDevice(&number), "current device");
  check(cudaGetDeviceCount(&count), "number of devices");
  if (number >= count)
    throw Error(sentence("CUDA: device ", number, " does not exist; there are ", count, ", numbered from 0"));
  return number;
}

DeviceInfo device() {
  const int number = device_number();
  cudaDeviceProp properties = {};
  check(cudaGetDeviceProperties(&properties, number), "properties of the device");
  DeviceInfo result;
  result.name = properties.name;
  result.major = properties.major;
  result.minor = properties.minor;
  result.multiprocessors = properties.multiProcessorCount;
  check(cudaMemGetInfo(&result.free_memory, &result.memory), "free memory");
  check(cudaDriverGetVersion(&result.driver), "version of the driver");
  check(cudaRuntimeGetVersion(&result.runtime), "version of the runtime");
  return result;
}

DeviceInUse::DeviceInUse(int device) {
  check(cudaGetDevice(&before_), "current device");
  if (device != before_) check(cudaSetDevice(device), "choosing a device");
}

DeviceInUse::DeviceInUse(int device, Workspace& work) : DeviceInUse(device) {
  if (work.device == device) return;
  for (Memory* memory : {&work.scratch, &work.arrays, &work.reports, &work.counters}) memory->release();
  work.pipeline.reset();
  work.device = device;
}

DeviceInUse::~DeviceInUse() {
  int now = before_;
  if (cudaGetDevice(&now) == cudaSuccess && now != before_) cudaSetDevice(before_);
}

std::size_t most_scratch(const Workspace& work, std::size_t wanted, double share) {
  if (work.most_scratch > 0) return work.most_scratch;
  if (wanted <= work.scratch.size()) return wanted;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "free memory");
  return work.scratch.size() + static_cast<std::size_t>(share * static_cast<double>(free));
}

void* Memory::reserve(std::size_t bytes) {
  if (bytes <= size_) return data_;
  release();
  void* data = nullptr;
  if (place_ == Place::device)
    check(cudaMalloc(&data, bytes), ("allocating " + std::to_string(bytes) + " bytes on the device").c_str());
  else
    check(cudaMallocHost(&data, bytes), ("allocating " + std::to_string(bytes) + " page-locked bytes").c_str());
  data_ = data;
  size_ = bytes;
  return data_;
}

void Memory::release() noexcept {
  if (data_ == nullptr) return;
  // waits for the device; at the end of a program the runtime may be gone, and the memory with it
  if ((place_ == Place::device ? cudaFree(data_) : cudaFreeHost(data_)) != cudaSuccess) cudaGetLastError();
  data_ = nullptr;
  size_ = 0;
}

void copy_to_device(void* device, const void* host, std::size_t bytes, Stream stream) {
  if (bytes > 0) check(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, stream), "copying to the device");
}

void copy_to_host(void* host, const void* device, std::size_t bytes, Stream stream) {
  if (bytes > 0) check(cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, stream), "copying from the device");
}

void synchronise(Stream stream) { check(cudaStreamSynchronize(stream), "running"); }

}  // namespace tandem::cuda
