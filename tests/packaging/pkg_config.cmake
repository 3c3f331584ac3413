# SPDX-License-Identifier: Apache-2.0
# Called by ctest: a program is compiled by what pkg-config says of an installed tree, which was moved after that.
if(NOT PKG_CONFIG)
  message("skipped: no pkg-config here")
  return()
endif()
file(REMOVE_RECURSE "${WORK}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/first" --component development
                COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${WORK}/first" "${WORK}/moved here")
file(GLOB_RECURSE pc "${WORK}/moved here/*/tandem.pc")
get_filename_component(folder "${pc}" DIRECTORY)
set(ENV{PKG_CONFIG_PATH} "${folder}:$ENV{PKG_CONFIG_PATH}")

function(pkg_config result)
  execute_process(COMMAND "${PKG_CONFIG}" ${ARGN} OUTPUT_VARIABLE said OUTPUT_STRIP_TRAILING_WHITESPACE
                  COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
  set(${result} "${said}" PARENT_SCOPE)
endfunction()

# consumer(PACKAGE SOURCE): compiles and links a program by what is said of a package
function(consumer package source)
  pkg_config(version --modversion ${package})
  if(NOT version STREQUAL VERSION)
    message(FATAL_ERROR "${package}.pc has version ${version}, expected ${VERSION}")
  endif()
  pkg_config(flags --cflags --libs ${package})
  separate_arguments(flags UNIX_COMMAND "${flags}")
  execute_process(COMMAND "${COMPILER}" -std=c++20 "${CONSUMER}/${source}.cpp" -o "${WORK}/${source}" ${flags} COMMAND_ECHO STDOUT
                  COMMAND_ERROR_IS_FATAL ANY)
endfunction()

consumer(tandem main)
set(ENV{LD_LIBRARY_PATH} "${folder}/..:$ENV{LD_LIBRARY_PATH}") # of shared builds
execute_process(COMMAND "${WORK}/main" COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
if(MPI)
  consumer(tandem-mpi mpi)
endif()
