# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache where it is installed, unless the user has named a launcher of their own. Paths count from the
# tree: its build folders, and other checkouts, share what they compile.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TANDEM_CCACHE ccache DOC "Compiler cache, used when found")
  if(TANDEM_CCACHE)
    set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" "${TANDEM_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
  endif()
endif()
