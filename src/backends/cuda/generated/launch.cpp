// SPDX-License-Identifier: Apache-2.0
#include "backends/cuda/generated/launch.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <limits>

#include "backends/cuda/error.hpp"
#include "core/text.hpp"
#include "tracing/record.hpp"

namespace tandem::cuda {

// the runtime loads code without the driver's own interface since then
#if CUDART_VERSION >= 12080

namespace {

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, which, device), "properties of the device");
  return value;
}

/// Code on the device in use, given back when nothing of it runs any more.
class Code {
 public:
  Code(const Image& image, int device) : device_(device) {
    check(cudaLibraryLoadData(&library_, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "loading kernels of a robot");
  }
  ~Code() {
    const DeviceInUse here(device_);
    if (cudaDeviceSynchronize() != cudaSuccess || cudaLibraryUnload(library_) != cudaSuccess) cudaGetLastError();
  }
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  /// Null if it is not there. It is brought to the device now, and not by the first launch.
  cudaKernel_t kernel(const char* name) const {
    cudaKernel_t kernel = nullptr;
    if (cudaLibraryGetKernel(&kernel, library_, name) != cudaSuccess) {
      cudaGetLastError();
      return nullptr;
    }
    cudaFuncAttributes attributes = {};
    check(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel)), name);
    return kernel;
  }

 private:
  int device_;
  cudaLibrary_t library_ = nullptr;
};

struct OnDevice : LoadedKernels {
  OnDevice(const Image& image, int device)
      : code(image, device),
        straight(code.kernel(straight_name)),
        by_limbs(code.kernel(by_limbs_name)),
        multiprocessors(attribute(cudaDevAttrMultiProcessorCount, device)) {}
  Code code;
  cudaKernel_t straight, by_limbs;
  int multiprocessors;
};

/// A graph that somebody captures on another thread does not mind what this one does.
class BesideCaptures {
 public:
  BesideCaptures() { check(cudaThreadExchangeStreamCaptureMode(&mode_), "loading beside a capture"); }
  ~BesideCaptures() {
    if (cudaThreadExchangeStreamCaptureMode(&mode_) != cudaSuccess) cudaGetLastError();
  }
  BesideCaptures(const BesideCaptures&) = delete;
  BesideCaptures& operator=(const BesideCaptures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// As the texts declare it.
struct Column {
  const void* data;
  unsigned stride, row_stride;
};

}  // namespace

Means means_here(const Compiler* compiler) {
  int device = 0;
  check(cudaGetDevice(&device), "current device");
  const auto load = [device](const Image& image) {
    const DeviceInUse here(device);
    const BesideCaptures unharmed;
    return std::make_unique<OnDevice>(image, device);
  };
  return {
      compiler, Store::of_user(),
      10 * attribute(cudaDevAttrComputeCapabilityMajor, device) + attribute(cudaDevAttrComputeCapabilityMinor, device),
      load};
}

template <class T>
std::unique_ptr<RobotKernelCache<T>> robot_kernel_cache(const Algorithm& algorithm, const Model& model,
                                                        const Options& options, Specialise how) {
  if (how == Specialise::off) return nullptr;
  if (const std::string why = why_not_printed(algorithm); !why.empty()) {
    if (how == Specialise::automatic) return nullptr;
    throw Error(sentence(algorithm.name, " cannot be specialised: it ", why));
  }
  const Compiler* const own = model.n_joints() > most_links_of_kernels ? nullptr : compiler();
  if (const std::string why = RobotKernelCache<T>::why_not(model, own); !why.empty()) {
    if (how == Specialise::automatic) return nullptr;
    throw Error(sentence(algorithm.name, " cannot be specialised: ", why));
  }
  return std::make_unique<RobotKernelCache<T>>(algorithm, model, options, means_here(own), how);
}

template <class T>
std::string why_no_robot_kernel_cache(const Model& model) {
  return RobotKernelCache<T>::why_not(model, compiler());
}

template <class T>
void launch(const LoadedKernels& kernels, const Algorithm& algorithm, const Model& model, const CallThere<T>& call) {
  const auto& there = static_cast<const OnDevice&>(kernels);
  const KernelLaunch how = launch_for(there.source, call.batch, there.multiprocessors);
  std::vector<Column> columns;
  for (std::size_t k = 0; k < algorithm.arguments.size(); ++k)
    if (const Array<T>& array = call.arguments[k];
        array.data && shape(algorithm.arguments[k].rows, model.view<T>()).count() > 0)
      columns.push_back({array.data, static_cast<unsigned>(static_cast<std::size_t>(array.stride) * sizeof(T)),
                         static_cast<unsigned>(static_cast<std::size_t>(array.row_stride) * sizeof(T))});
  auto batch = static_cast<unsigned>(call.batch);
  std::vector<void*> arguments;
  for (Column& column : columns) arguments.push_back(&column);
  arguments.push_back(&batch);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(static_cast<unsigned>(how.blocks));
  config.blockDim = dim3(static_cast<unsigned>(how.threads));
  config.stream = call.stream;
  const cudaKernel_t kernel = how.by_limbs ? there.by_limbs : there.straight;
  check(cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(kernel), arguments.data()), algorithm.name);
}

#else

constexpr const char* too_old = "this copy of Tandem was built with a CUDA before 12.8";

Means means_here(const Compiler*) { throw Error(too_old); }

template <class T>
std::unique_ptr<RobotKernelCache<T>> robot_kernel_cache(const Algorithm& algorithm, const Model&, const Options&,
                                                        Specialise how) {
  if (how == Specialise::off || how == Specialise::automatic) return nullptr;
  throw Error(sentence(algorithm.name, " cannot be specialised: ", too_old));
}

template <class T>
std::string why_no_robot_kernel_cache(const Model&) {
  return too_old;
}

template <class T>
void launch(const LoadedKernels&, const Algorithm&, const Model&, const CallThere<T>&) {}

#endif

template <class T>
bool serve(const Algorithm& algorithm, const CallThere<T>& call) {
  constexpr auto most = static_cast<Index>(std::numeric_limits<unsigned>::max() / sizeof(T));
  if (call.varied || call.batch > std::numeric_limits<int>::max()) return false;
  const auto fits = [](Index numbers) { return numbers >= 0 && numbers <= most; };
  const std::size_t n = algorithm.arguments.size();
  for (std::size_t k = 0; k < n; ++k) {
    const Array<T>& array = call.arguments[k];
    if (!array.data) continue;
    if (!fits(array.stride) || !fits(array.row_stride)) return false;
    for (std::size_t other = 0; other < n && !is_input(algorithm.arguments[k]); ++other)
      if (is_input(algorithm.arguments[other]) && call.arguments[other].data == array.data) return false;
  }
  return true;
}

template std::unique_ptr<RobotKernelCache<double>> robot_kernel_cache(const Algorithm&, const Model&, const Options&,
                                                                      Specialise);
template std::unique_ptr<RobotKernelCache<float>> robot_kernel_cache(const Algorithm&, const Model&, const Options&,
                                                                     Specialise);
template std::string why_no_robot_kernel_cache<double>(const Model&);
template std::string why_no_robot_kernel_cache<float>(const Model&);
template bool serve(const Algorithm&, const CallThere<double>&);
template bool serve(const Algorithm&, const CallThere<float>&);
template void launch(const LoadedKernels&, const Algorithm&, const Model&, const CallThere<double>&);
template void launch(const LoadedKernels&, const Algorithm&, const Model&, const CallThere<float>&);

}  // namespace tandem::cuda
