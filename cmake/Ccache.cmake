# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache where it is installed, unless the user has named a launcher of their own. Paths count from the
# tree: its build folders, and other checkouts, share what they compile.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TANDEM_CCACHE ccache DOC "Compiler cache, used when found")
  if(TANDEM_CCACHE)
    # the second variable: what ccache must pass over to keep files that use a precompiled header
    set(launcher "${CMAKE_COMMAND}" -E env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
                 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime "${TANDEM_CCACHE}")
    set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
  endif()
endif()
