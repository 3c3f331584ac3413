# SPDX-License-Identifier: Apache-2.0
# The optional run-time assembler. Sets TANDEM_HAS_ASSEMBLER where there is AsmJit and the processor is one it is used for.
# AsmJit: an encoder of instructions in one static library without further needs, packaged by Debian; LLVM's ORC, which would
# compile the same lines, weighs a hundred megabytes and takes tens of milliseconds for what takes one here.
set(TANDEM_ASSEMBLER AUTO CACHE STRING "Assemble functions of one robot at run time: ON, OFF, or AUTO where AsmJit is found")
set_property(CACHE TANDEM_ASSEMBLER PROPERTY STRINGS AUTO ON OFF)

set(TANDEM_HAS_ASSEMBLER OFF)
if(TANDEM_ASSEMBLER)
  find_package(asmjit CONFIG QUIET)
  if(asmjit_FOUND AND (BUILD_SHARED_LIBS OR TANDEM_BUILD_PYTHON)) # Debian's library cannot be part of a shared one
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_FLAGS -fPIC)
    set(CMAKE_REQUIRED_LINK_OPTIONS -shared)
    set(CMAKE_REQUIRED_LIBRARIES asmjit::asmjit)
    check_cxx_source_compiles("#include <asmjit/x86.h>
      void* runtime() { return new asmjit::JitRuntime; }" TANDEM_ASMJIT_CAN_BE_SHARED)
    foreach(name FLAGS LINK_OPTIONS LIBRARIES)
      unset(CMAKE_REQUIRED_${name})
    endforeach()
  else()
    set(TANDEM_ASMJIT_CAN_BE_SHARED ON)
  endif()
  if(asmjit_FOUND AND TANDEM_ASMJIT_CAN_BE_SHARED AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(TANDEM_HAS_ASSEMBLER ON)
  elseif(TANDEM_ASSEMBLER STREQUAL "AUTO")
    # functions are then not assembled
  elseif(NOT TANDEM_ASMJIT_CAN_BE_SHARED)
    message(FATAL_ERROR "TANDEM_ASSEMBLER is ${TANDEM_ASSEMBLER}, but this AsmJit was compiled without -fPIC and cannot be part of "
                        "the Python module or a shared library")
  else()
    message(FATAL_ERROR "TANDEM_ASSEMBLER is ${TANDEM_ASSEMBLER}, but there is no AsmJit for ${CMAKE_SYSTEM_PROCESSOR}; Debian "
                        "and Ubuntu on x86-64: apt-get install libasmjit-dev")
  endif()
endif()
