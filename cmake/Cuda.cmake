# SPDX-License-Identifier: Apache-2.0
# The optional CUDA component. Sets TANDEM_HAS_CUDA and, where there is a toolkit, enables the language.
set(TANDEM_CUDA AUTO CACHE STRING "Build the CUDA driver: ON, OFF, or AUTO where nvcc is found and no sanitizer is used")
set_property(CACHE TANDEM_CUDA PROPERTY STRINGS AUTO ON OFF)

set(TANDEM_HAS_CUDA OFF)
if(TANDEM_CUDA STREQUAL "AUTO" AND TANDEM_SANITIZE)
  message(STATUS "CUDA: left out, as its runtime does not stand sanitizers")
elseif(TANDEM_CUDA)
  find_program(TANDEM_NVCC nvcc PATHS /usr/local/cuda/bin DOC "CUDA compiler")
  if(TANDEM_NVCC AND NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
    set(CMAKE_CUDA_COMPILER "${TANDEM_NVCC}" CACHE FILEPATH "CUDA compiler")
  endif()
  # machine code for data centres of three generations, and code that newer ones compile when they load it
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80-real 90 CACHE STRING "GPUs to compile for")
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit REQUIRED)
    set(TANDEM_HAS_CUDA ON)
    if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)  # CMake 3.25 does not know that nvcc speaks C++20
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    endif()
  elseif(NOT TANDEM_CUDA STREQUAL "AUTO")
    message(FATAL_ERROR "TANDEM_CUDA is ${TANDEM_CUDA}, but there is no CUDA compiler that works: install NVIDIA's toolkit "
                        "and put nvcc on the PATH or set CMAKE_CUDA_COMPILER, or choose -DTANDEM_CUDA=OFF")
  endif()
endif()
