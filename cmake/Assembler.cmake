# SPDX-License-Identifier: Apache-2.0
# The optional run-time assembler. Sets TANDEM_HAS_NEON on AArch64, whose few instructions the library encodes itself; on x86-64
# TANDEM_HAS_XBYAK and TANDEM_XBYAK_INCLUDE where there is Xbyak. Xbyak: an encoder of instructions in headers alone, so that it
# can be part of a Python module (Debian's AsmJit is compiled without -fPIC and cannot); LLVM's ORC, which would compile the same
# lines, weighs a hundred megabytes and takes tens of milliseconds for what takes one here.
set(TANDEM_ASSEMBLER AUTO CACHE STRING
    "Assemble functions of one robot at run time: ON, OFF, or AUTO on AArch64 and, where Xbyak is found, on x86-64")
set_property(CACHE TANDEM_ASSEMBLER PROPERTY STRINGS AUTO ON OFF)

set(TANDEM_HAS_XBYAK OFF)
set(TANDEM_HAS_NEON OFF)
if(TANDEM_ASSEMBLER)
  find_path(TANDEM_XBYAK xbyak/xbyak.h DOC "Folder that has xbyak/xbyak.h")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(TANDEM_HAS_NEON ON)
  elseif(TANDEM_XBYAK AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(TANDEM_HAS_XBYAK ON)
    # in a folder of their own: nothing else of theirs is meant, where another system is compiled for
    set(TANDEM_XBYAK_INCLUDE "${PROJECT_BINARY_DIR}/xbyak")
    file(COPY "${TANDEM_XBYAK}/xbyak" DESTINATION "${TANDEM_XBYAK_INCLUDE}" FILES_MATCHING PATTERN "*.h")
  elseif(NOT TANDEM_ASSEMBLER STREQUAL "AUTO")
    message(FATAL_ERROR "TANDEM_ASSEMBLER is ${TANDEM_ASSEMBLER}, but there is no Xbyak for ${CMAKE_SYSTEM_PROCESSOR}; Debian "
                        "and Ubuntu on x86-64: apt-get install libxbyak-dev")
  endif()
endif()
