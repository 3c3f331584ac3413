// SPDX-License-Identifier: Apache-2.0
/// Compiled in the place of the CUDA driver where the build has no CUDA.
#include "backends/cuda/block_samples.hpp"
#include "backends/cuda/contact_driver.hpp"
#include "backends/cuda/links/driver.hpp"
#include "backends/cuda/rollout_driver.hpp"
#include "tandem/error.hpp"

namespace tandem::cuda {
namespace {

[[noreturn]] void refuse() { throw Error(why_unavailable()); }

}  // namespace

bool is_available() { return false; }

std::string why_unavailable() {
  return "this copy of Tandem was built without CUDA: install NVIDIA's CUDA toolkit (nvcc) and build again with "
         "-DTANDEM_CUDA=ON (pip: --config-settings=cmake.define.TANDEM_CUDA=ON)";
}

int device_number(int) { refuse(); }
DeviceInfo device() { refuse(); }
std::vector<KernelInfo> kernels() { refuse(); }
BlockSamples block_samples() { refuse(); }

void* Memory::reserve(std::size_t) { refuse(); }
void Memory::release() noexcept {}

void copy_to_device(void*, const void*, std::size_t, Stream) { refuse(); }
void copy_to_host(void*, const void*, std::size_t, Stream) { refuse(); }
void synchronise(Stream) { refuse(); }

DeviceInUse::DeviceInUse(int) { refuse(); }
DeviceInUse::DeviceInUse(int, Workspace&) { refuse(); }
DeviceInUse::~DeviceInUse() = default;

template <class T>
std::shared_ptr<const Prepared> prepare(const Algorithm&, const Model&, const Options&, int, Specialise) {
  refuse();
}
template std::shared_ptr<const Prepared> prepare<double>(const Algorithm&, const Model&, const Options&, int,
                                                         Specialise);
template std::shared_ptr<const Prepared> prepare<float>(const Algorithm&, const Model&, const Options&, int,
                                                        Specialise);

template <class T>
std::shared_ptr<const Prepared> prepare_links(const Algorithm&, const Model&, const Options&, int) {
  refuse();
}
template std::shared_ptr<const Prepared> prepare_links<double>(const Algorithm&, const Model&, const Options&, int);
template std::shared_ptr<const Prepared> prepare_links<float>(const Algorithm&, const Model&, const Options&, int);

template <class T>
void run_call(const Prepared&, const Algorithm&, const Model&, std::span<const Array<T>>, const Batch<T>&,
              const ParameterArrays<T>*, Workspace&) {
  refuse();
}
template void run_call(const Prepared&, const Algorithm&, const Model&, std::span<const Array<double>>,
                       const Batch<double>&, const ParameterArrays<double>*, Workspace&);
template void run_call(const Prepared&, const Algorithm&, const Model&, std::span<const Array<float>>,
                       const Batch<float>&, const ParameterArrays<float>*, Workspace&);

void solve_contacts(const Model&, int, const ContactStatesCall<double>&, Index, std::int32_t*, Workspace&) {
  refuse();
}

template <class T>
void roll_out(const Model&, int, const RolloutCall<T>&, Index, Place, Stream, Workspace&) {
  refuse();
}
template void roll_out(const Model&, int, const RolloutCall<double>&, Index, Place, Stream, Workspace&);
template void roll_out(const Model&, int, const RolloutCall<float>&, Index, Place, Stream, Workspace&);

}  // namespace tandem::cuda
