# SPDX-License-Identifier: Apache-2.0
# Compiles each of HEADERS alone to PTX. Called by ctest; see CMakeLists.txt beside it.

# -O0: what matters is that it compiles; optimising takes five times as long
set(nvcc "${NVCC}" -ccbin "${HOST}" -std=c++20 -arch=sm_90 -Xcicc -O0 -x cu -ptx "-I${INCLUDE}" -o "${NAME}.ptx" "${NAME}.cu")
set(failed "")
foreach(header IN LISTS HEADERS)
  file(WRITE "${NAME}.cu" "#include \"${header}\"\n")
  execute_process(COMMAND ${nvcc} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(APPEND failed "${header}")
  endif()
endforeach()
if(failed)
  list(JOIN failed "\n  " failed)
  message(FATAL_ERROR "nvcc does not compile as device code:\n  ${failed}")
endif()
