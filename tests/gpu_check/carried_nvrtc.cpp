// SPDX-License-Identifier: Apache-2.0
/// Stands in for NVRTC on machines with a driver alone: by its version code in the store is found, and what is not
/// there it cannot compile. A library of its own, which TANDEM_NVRTC names (scripts/gpu_check --run).
#include <cstddef>

extern "C" {
int nvrtcVersion(int* major, int* minor) {
  *major = TANDEM_NVRTC_MAJOR;
  *minor = TANDEM_NVRTC_MINOR;
  return 0;
}
int nvrtcGetNumSupportedArchs(int* count) {
  *count = 1;
  return 0;
}
int nvrtcGetSupportedArchs(int* architectures) {
  *architectures = 90;
  return 0;
}
int nvrtcCreateProgram(void**, const char*, const char*, int, const char* const*, const char* const*) { return 11; }
int nvrtcCompileProgram(void*, int, const char* const*) { return 11; }
int nvrtcDestroyProgram(void**) { return 0; }
int nvrtcGetProgramLogSize(void*, std::size_t* size) {
  *size = 0;
  return 0;
}
int nvrtcGetProgramLog(void*, char*) { return 0; }
int nvrtcGetCUBINSize(void*, std::size_t* size) {
  *size = 0;
  return 11;
}
int nvrtcGetCUBIN(void*, char*) { return 11; }
int nvrtcGetPTXSize(void*, std::size_t* size) {
  *size = 0;
  return 11;
}
int nvrtcGetPTX(void*, char*) { return 11; }
const char* nvrtcGetErrorString(int) { return "not among the kernels of the folder, and there is no compiler"; }
}
