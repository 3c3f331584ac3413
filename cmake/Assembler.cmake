# SPDX-License-Identifier: Apache-2.0
# The optional run-time assembler. Sets TANDEM_HAS_ASSEMBLER where there is AsmJit and the processor is one it is used for.
# AsmJit: an encoder of instructions in one static library without further needs, packaged by Debian; LLVM's ORC, which would
# compile the same lines, weighs a hundred megabytes and takes tens of milliseconds for what takes one here.
set(TANDEM_ASSEMBLER AUTO CACHE STRING "Assemble functions of one robot at run time: ON, OFF, or AUTO where AsmJit is found")
set_property(CACHE TANDEM_ASSEMBLER PROPERTY STRINGS AUTO ON OFF)

set(TANDEM_HAS_ASSEMBLER OFF)
if(TANDEM_ASSEMBLER)
  find_package(asmjit CONFIG QUIET)
  if(asmjit_FOUND AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(TANDEM_HAS_ASSEMBLER ON)
  elseif(NOT TANDEM_ASSEMBLER STREQUAL "AUTO")
    message(FATAL_ERROR "TANDEM_ASSEMBLER is ${TANDEM_ASSEMBLER}, but there is no AsmJit for ${CMAKE_SYSTEM_PROCESSOR}; Debian "
                        "and Ubuntu on x86-64: apt-get install libasmjit-dev")
  endif()
endif()
