# SPDX-License-Identifier: Apache-2.0
# Compiles SOURCES, and each of HEADERS alone, to PTX. Called by ctest; see CMakeLists.txt beside it.

cmake_minimum_required(VERSION 3.25)
# -O0: what matters is that it compiles; optimising takes five times as long
set(nvcc "${NVCC}" -ccbin "${HOST}" -std=c++20 -arch=sm_90 -Xcicc -O0 -x cu -ptx "-I${INCLUDE}")
set(failed "")
foreach(source IN LISTS SOURCES HEADERS)
  set(file "${source}")
  if(source IN_LIST HEADERS)
    set(file header_alone.cu)
    file(WRITE ${file} "#include \"${source}\"\n")
  endif()
  get_filename_component(name "${file}" NAME)
  execute_process(COMMAND ${nvcc} -o "${name}.ptx" "${file}" RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(APPEND failed "${source}")
  endif()
endforeach()
if(failed)
  list(JOIN failed "\n  " failed)
  message(FATAL_ERROR "nvcc does not compile as device code:\n  ${failed}")
endif()
