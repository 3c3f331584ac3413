// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "backends/cuda/generated/compiler.hpp"
#include "core/text.hpp"
#include "tandem/error.hpp"

namespace tandem::cuda {
namespace {

/// A library that stays open: it has threads and memory of its own.
class Library {
 public:
  explicit Library(const std::string& name) : handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) {}
  explicit operator bool() const { return handle_ != nullptr; }
  template <class F>
  bool find(F& function, const char* name) const {
    function = reinterpret_cast<F>(dlsym(handle_, name));
    return function != nullptr;
  }

 private:
  void* handle_;
};

/// The functions of NVRTC that are used, as its header declares them.
struct Functions {
  using Program = void*;
  int (*version)(int*, int*);
  int (*count_capabilities)(int*);
  int (*capabilities)(int*);
  int (*create)(Program*, const char* text, const char* name, int, const char* const*, const char* const*);
  int (*compile)(Program, int, const char* const* options);
  int (*destroy)(Program*);
  int (*log_size)(Program, std::size_t*);
  int (*log)(Program, char*);
  int (*cubin_size)(Program, std::size_t*);
  int (*cubin)(Program, char*);
  int (*ptx_size)(Program, std::size_t*);
  int (*ptx)(Program, char*);
  const char* (*error)(int);
  int (*set_flow)(Program, int (*)(void*, void*), void*);  // of CUDA 12.8 and later

  bool are_in(const Library& library) {
    if (!library.find(set_flow, "nvrtcSetFlowCallback")) set_flow = nullptr;
    return library.find(version, "nvrtcVersion") && library.find(count_capabilities, "nvrtcGetNumSupportedArchs") &&
           library.find(capabilities, "nvrtcGetSupportedArchs") && library.find(create, "nvrtcCreateProgram") &&
           library.find(compile, "nvrtcCompileProgram") && library.find(destroy, "nvrtcDestroyProgram") &&
           library.find(log_size, "nvrtcGetProgramLogSize") && library.find(log, "nvrtcGetProgramLog") &&
           library.find(cubin_size, "nvrtcGetCUBINSize") && library.find(cubin, "nvrtcGetCUBIN") &&
           library.find(ptx_size, "nvrtcGetPTXSize") && library.find(ptx, "nvrtcGetPTX") &&
           library.find(error, "nvrtcGetErrorString");
  }
};

class Nvrtc : public Compiler {
 public:
  explicit Nvrtc(const Functions& functions) : nvrtc_(functions) {
    nvrtc_.version(&major_, &minor_);
    int count = 0;
    nvrtc_.count_capabilities(&count);
    capabilities_.resize(static_cast<std::size_t>(count));
    nvrtc_.capabilities(capabilities_.data());
    std::sort(capabilities_.begin(), capabilities_.end());
  }
  std::string name() const override { return "NVRTC " + std::to_string(major_) + "." + std::to_string(minor_); }

  Image compile(const std::string& text, int capability, const std::atomic<bool>& stop) const override {
    const auto known = std::upper_bound(capabilities_.begin(), capabilities_.end(), capability);
    if (known == capabilities_.begin())
      throw Error(
          sentence(name(), " has no code for GPUs of compute capability ", capability / 10, ".", capability % 10));
    // a GPU that is newer than the compiler gets what its driver can compile
    const bool machine_code = *(known - 1) == capability;
    const std::string target =
        "--gpu-architecture=" + std::string(machine_code ? "sm_" : "compute_") + std::to_string(*(known - 1));
    const char* const options[] = {target.c_str(), "--fmad=false", "--std=c++17"};
    const Program program(nvrtc_, text);
    if (nvrtc_.set_flow)
      nvrtc_.set_flow(program.get(), &is_to_stop, const_cast<void*>(static_cast<const void*>(&stop)));
    const int result = nvrtc_.compile(program.get(), 3, options);
    if (result != 0) throw Error(sentence(name(), ": ", nvrtc_.error(result), ": ", program.log()));
    Image image;
    std::size_t size = 0;
    check((machine_code ? nvrtc_.cubin_size : nvrtc_.ptx_size)(program.get(), &size));
    image.resize(size);
    check((machine_code ? nvrtc_.cubin : nvrtc_.ptx)(program.get(), reinterpret_cast<char*>(image.data())));
    return image;
  }

 private:
  class Program {
   public:
    Program(const Functions& nvrtc, const std::string& text) : nvrtc_(nvrtc) {
      const int result = nvrtc_.create(&program_, text.c_str(), "robot.cu", 0, nullptr, nullptr);
      if (result != 0) throw Error(sentence("NVRTC: ", nvrtc_.error(result)));
    }
    ~Program() { nvrtc_.destroy(&program_); }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    Functions::Program get() const { return program_; }
    std::string log() const {
      std::size_t size = 0;
      nvrtc_.log_size(program_, &size);
      std::string text(size, '\0');
      if (size > 0) nvrtc_.log(program_, text.data());
      return text.substr(0, text.find('\0'));
    }

   private:
    const Functions& nvrtc_;
    Functions::Program program_ = nullptr;
  };

  static int is_to_stop(void* stop, void*) { return static_cast<const std::atomic<bool>*>(stop)->load() ? 1 : 0; }
  void check(int result) const {
    if (result != 0) throw Error(sentence(name(), ": ", nvrtc_.error(result)));
  }

  Functions nvrtc_;
  int major_ = 0, minor_ = 0;
  std::vector<int> capabilities_;
};

/// Where NVRTC may be: where the loader looks, in toolkits, and in Python packages beside the one that this is part of.
std::vector<std::string> places() {
  std::vector<std::string> all;
  if (const char* const own = std::getenv("TANDEM_NVRTC"); own && *own) return {own};
  const std::vector<std::string> names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
  std::vector<std::string> folders = {""};
  for (const char* const variable : {"CUDA_PATH", "CUDA_HOME"})
    if (const char* const toolkit = std::getenv(variable); toolkit && *toolkit)
      folders.push_back(std::string(toolkit) + "/lib64/");
  folders.emplace_back("/usr/local/cuda/lib64/");
  Dl_info here = {};
  if (dladdr(reinterpret_cast<const void*>(&places), &here) != 0 && here.dli_fname) {
    const auto packages = std::filesystem::path(here.dli_fname).parent_path().parent_path();
    for (const char* const package : {"nvidia/cu13/lib/", "nvidia/cuda_nvrtc/lib/"})
      folders.push_back((packages / package).string());
  }
  for (const std::string& folder : folders)
    for (const std::string& name : names) all.push_back(folder + name);
  return all;
}

}  // namespace

std::unique_ptr<const Compiler> nvrtc(std::string& why_not) {
  for (const std::string& place : places()) {
    const Library library(place);
    if (!library) continue;
    if (Functions functions = {}; functions.are_in(library)) return std::make_unique<const Nvrtc>(functions);
    why_not = sentence(place, " is a version of NVRTC before CUDA 11.2, which is required");
    return nullptr;
  }
  why_not =
      "NVRTC was not found (part of CUDA toolkits and of the Python package nvidia-cuda-nvrtc; TANDEM_NVRTC sets "
      "another path)";
  return nullptr;
}

const Compiler* compiler() {
  static std::string why;
  static const std::unique_ptr<const Compiler> found = [] {
    auto first = nvrtc(why);
    return first ? std::move(first) : nvcc(why);
  }();
  return found.get();
}

const std::string& why_no_compiler() {
  static const std::string why = [] {
    std::string first, second;
    if (nvrtc(first) || nvcc(second)) return std::string();
    return first + ", and " + second;
  }();
  return why;
}

}  // namespace tandem::cuda
