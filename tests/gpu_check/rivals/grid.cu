// SPDX-License-Identifier: Apache-2.0
/// Rates of the kernels that GRiD (grid-rbd) generates for a robot, called as they are, arrays on the device: the best
/// of blocks of 32 to 256 threads and of two of its tiers of memory. Compiled by scripts/gpu_check with GRID_HEADER,
/// the header of a robot; prints a JSON object a line. The header brings the checks of its own launches.
#include GRID_HEADER

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "GRiD: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

template <class T>
struct Array {
  T* data = nullptr;
  explicit Array(std::size_t size) {
    std::vector<T> numbers(size);
    for (std::size_t k = 0; k < size; ++k) numbers[k] = T(0.001) * static_cast<T>((k * 7919) % 2000) - T(1);
    check(cudaMalloc(&data, std::max<std::size_t>(size, 1) * sizeof(T)), "memory of the device");
    check(cudaMemcpy(data, numbers.data(), size * sizeof(T), cudaMemcpyHostToDevice), "a copy");
  }
  ~Array() { cudaFree(data); }
  Array(const Array&) = delete;
};

double seconds(const std::function<void()>& f, int times) {
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < times; ++k) f();
  check(cudaDeviceSynchronize(), "waiting");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Seconds of a launch, median; infinite where it does not go.
double median(const std::function<void()>& launch) {
  launch();
  if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
    cudaGetLastError();
    return 1e30;
  }
  const int times = std::clamp(static_cast<int>(3e-3 / seconds(launch, 1)), 1, 200);
  std::vector<double> repeats;
  for (int k = 0; k < 5; ++k) repeats.push_back(seconds(launch, times) / times);
  std::sort(repeats.begin(), repeats.end());
  return repeats[2];
}

template <class T, int tier>
class Rates {
 public:
  Rates(int batch, grid::robotModel<T>* model, std::vector<double>& best)
      : batch_(batch),
        model_(model),
        state_(static_cast<std::size_t>(stride) * batch),
        a_(static_cast<std::size_t>(grid::NUM_JOINTS) * batch),
        out_(static_cast<std::size_t>(grid::NUM_JOINTS) * grid::NUM_JOINTS * batch),
        workspace_(static_cast<std::size_t>(std::min(batch, most_blocks)) *
                   grid::GRID_WORKSPACE_BYTES_PER_TIMESTEP<T>()) {
    for (const int threads : {32, 64, 96, 128, 192, 256})
      for (const int blocks : {batch, most_blocks}) {
        if (blocks > batch || (tier > 0 && blocks > most_blocks)) continue;
        measure(threads, blocks, best);
      }
  }

 private:
  static constexpr int stride = 4 * grid::NUM_JOINTS, most_blocks = 4096;

  template <class Kernel, class... Arguments>
  double time(Kernel kernel, std::size_t shared, int threads, int blocks, Arguments... arguments) {
    if (shared > (48 << 10) &&
        cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel), cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(shared)) != cudaSuccess) {
      cudaGetLastError();
      return 1e30;
    }
    return median([=] { kernel<<<blocks, threads, shared>>>(arguments...); });
  }
  void measure(int threads, int blocks, std::vector<double>& best) {
    T* const none = nullptr;
    unsigned char* const space = workspace_.data;
    const auto gravity = static_cast<T>(9.81);
    const T* const x = state_.data;
    using Inverse = void (*)(T*, const T*, int, const T*, T*, const grid::robotModel<T>*, T, int);
    const auto better = [&](int k, double t) { best[k] = std::min(best[k], t); };
    better(0, time(static_cast<Inverse>(grid::inverse_dynamics_kernel<T, tier>),
                   grid::INVERSE_DYNAMICS_DYNAMIC_SHARED_MEM_BYTES<T>(), threads, blocks, out_.data, x, +stride,
                   static_cast<const T*>(a_.data), none, model_, gravity, batch_));
    if (blocks > most_blocks) blocks = most_blocks;  // these have workspace for so many
    better(1, time(grid::aba_kernel<T, tier>, grid::ABA_DYNAMIC_SHARED_MEM_BYTES<T, tier>(), threads, blocks, out_.data,
                   space, x, +stride, none, model_, gravity, batch_));
    better(1, time(grid::forward_dynamics_kernel<T, tier>, grid::FORWARD_DYNAMICS_DYNAMIC_SHARED_MEM_BYTES<T, tier>(),
                   threads, blocks, out_.data, space, x, +stride, none, model_, gravity, batch_));
    better(2, time(grid::crba_kernel<T, tier>, grid::CRBA_DYNAMIC_SHARED_MEM_BYTES<T, tier>(), threads, blocks,
                   out_.data, space, x, +stride, model_, gravity, batch_));
  }

  int batch_;
  grid::robotModel<T>* model_;
  Array<T> state_, a_, out_;
  Array<unsigned char> workspace_;
};

template <class T>
void measure(const char* robot, const char* precision) {
  grid::robotModel<T>* const model = grid::init_robotModel<T>();
  for (const int batch : {1024, 16384, 131072}) {
    if (static_cast<double>(batch) * grid::NUM_JOINTS * grid::NUM_JOINTS * sizeof(T) > 2e9) continue;
    std::vector<double> best(3, 1e30);
    Rates<T, grid::TIER_SHARED>(batch, model, best);
    Rates<T, grid::TIER_LITE>(batch, model, best);
    const char* const names[] = {"inverse_dynamics", "forward_dynamics", "mass_matrix"};
    for (int k = 0; k < 3; ++k)
      if (best[k] < 1e29)
        std::printf(
            "{\"library\": \"GRiD\", \"robot\": \"%s\", \"algorithm\": \"%s\", \"precision\": \"%s\", \"batch\": %d, "
            "\"states_per_second\": %.6g}\n",
            robot, names[k], precision, batch, batch / best[k]);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int count, char** words) {
  const char* const robot = count > 1 ? words[1] : "robot";
  measure<float>(robot, "float");
  measure<double>(robot, "double");
  return 0;
}
