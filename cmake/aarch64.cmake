# SPDX-License-Identifier: Apache-2.0
# A toolchain for AArch64 Linux on another machine, with Debian's cross compiler and qemu; scripts/test_aarch64 uses it.
# TANDEM_AARCH64_ROOT is a folder with usr/lib/aarch64-linux-gnu, where the libraries are that Tandem needs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES TANDEM_AARCH64_ROOT)
if(DEFINED ENV{CXX})
  set(CMAKE_CXX_COMPILER $ENV{CXX})
else()
  set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
endif()
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu) # clang's
set(CMAKE_FIND_ROOT_PATH "${TANDEM_AARCH64_ROOT}" /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE BOTH) # headers alone are the same on every machine
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)
set(libraries "${TANDEM_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-Wl,-rpath-link,${libraries}")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=${libraries}")
