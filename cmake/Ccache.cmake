# SPDX-License-Identifier: Apache-2.0
# Compiles through ccache where it is installed, unless the user has named a launcher of their own.

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(TANDEM_CCACHE ccache DOC "Compiler cache, used when found")
  if(TANDEM_CCACHE)
    set(CMAKE_CXX_COMPILER_LAUNCHER "${TANDEM_CCACHE}")
    set(CMAKE_CUDA_COMPILER_LAUNCHER "${TANDEM_CCACHE}")
  endif()
endif()
