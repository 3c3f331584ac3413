// SPDX-License-Identifier: Apache-2.0
/// Texts for CUDA, compiled for the processor: a thread for each thread of a block, blocks one after the other.
#pragma once
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tracing/cuda_text.hpp"

namespace tandem::test {

/// What stands in for CUDA.
inline constexpr const char* cuda_of_host = R"(
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>
#define __device__
#define __global__
#define __noinline__
#define __forceinline__ inline
#define __launch_bounds__(threads, blocks)
#define __shared__ static
struct Place { unsigned x; };
static thread_local Place threadIdx, blockIdx, blockDim;
static std::barrier<>* together = nullptr;
static std::atomic<int> any;
inline int __syncthreads_or(int x) {
  if (x) any = 1;
  together->arrive_and_wait();
  const int result = any;
  together->arrive_and_wait();
  return result;
}
template <class F>
void run_grid(unsigned blocks, unsigned threads, F f) {
  for (unsigned block = 0; block < blocks; ++block) {
    std::barrier<> all(static_cast<long>(threads));
    together = &all;
    any = 0;
    std::vector<std::thread> running;
    for (unsigned t = 0; t < threads; ++t)
      running.emplace_back([&, t] { threadIdx = {t}; blockIdx = {block}; blockDim = {threads}; f(); });
    for (std::thread& thread : running) thread.join();
  }
}
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
inline int __float_as_int(float x) { int bits; std::memcpy(&bits, &x, sizeof x); return bits; }
inline float __int_as_float(int bits) { float x; std::memcpy(&x, &bits, sizeof x); return x; }
inline double __longlong_as_double(long bits) { double x; std::memcpy(&x, &bits, sizeof x); return x; }
inline long __double_as_longlong(double x) { long bits; std::memcpy(&bits, &x, sizeof x); return bits; }
)";

/// What is written for GPUs word by word, and cannot be compiled for another processor.
inline constexpr const char* words_of_host = R"(
inline S load(const In& x, unsigned b, unsigned row) {
  const auto* const data = reinterpret_cast<const char*>(x.data);
  return *reinterpret_cast<const S*>(data + std::size_t(b) * x.stride + std::size_t(row) * x.row_stride);
}
inline void store(const Out& x, unsigned b, unsigned row, S value) {
  auto* const data = reinterpret_cast<char*>(x.data);
  *reinterpret_cast<S*>(data + std::size_t(b) * x.stride + std::size_t(row) * x.row_stride) = value;
}
inline void wait_for_block() { together->arrive_and_wait(); }
inline bool any_of_block(bool x) { return __syncthreads_or(x); }

)";

/// A prelude for the processor.
inline std::string host_prelude(Graph::Precision precision) {
  const std::string text = cuda_prelude(precision);
  const std::size_t begin = text.find("// addresses in one instruction"),
                    end = text.find("__device__ __forceinline__ S mul_add");
  EXPECT_NE(begin, std::string::npos);
  EXPECT_NE(end, std::string::npos);
  return cuda_of_host + text.substr(0, begin) + words_of_host + text.substr(end);
}

/// A compiled text, or nothing and why.
class HostLibrary {
 public:
  explicit HostLibrary(const std::string& text) {
    std::string folder = (std::filesystem::temp_directory_path() / "tandem-text-XXXXXX").string();
    if (!mkdtemp(folder.data())) return;
    folder_ = folder;
    std::ofstream(folder_ + "/text.cpp") << text;
    const std::string flags = " -std=c++20 -O0 -mfma -ffp-contract=off -fPIC -shared -pthread -w -o ";
    const std::string command =
        TANDEM_TEST_CXX + flags + folder_ + "/text.so " + folder_ + "/text.cpp 2>" + folder_ + "/said";
    if (std::system(command.c_str()) == 0) library_ = dlopen((folder_ + "/text.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    std::ifstream said(folder_ + "/said");
    why_not_.assign(std::istreambuf_iterator<char>(said), {});
  }
  ~HostLibrary() {
    if (library_) dlclose(library_);
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
  }
  HostLibrary(const HostLibrary&) = delete;
  HostLibrary& operator=(const HostLibrary&) = delete;

  const std::string& why_not() const { return why_not_; }
  explicit operator bool() const { return library_ != nullptr; }
  template <class F>
  F* find(const std::string& name) const {
    return reinterpret_cast<F*>(dlsym(library_, name.c_str()));
  }

 private:
  std::string folder_, why_not_;
  void* library_ = nullptr;
};

}  // namespace tandem::test
