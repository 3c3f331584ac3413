# SPDX-License-Identifier: Apache-2.0
# Called by ctest: what is missing is said in one line, with the names under which it can be installed.
function(configure_without expected)
  file(REMOVE_RECURSE "${WORK}")
  list(TRANSFORM ARGN PREPEND -DCMAKE_DISABLE_FIND_PACKAGE_ OUTPUT_VARIABLE switches)
  list(TRANSFORM switches APPEND =ON)
  execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
                          -DTANDEM_BUILD_TESTS=OFF -DTANDEM_CUDA=OFF -DTANDEM_MPI=OFF ${switches}
                  RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE error)
  string(REGEX REPLACE "[ \n]+" " " error "${error}") # CMake breaks lines
  string(FIND "${error}" "${expected}" where)
  if(status EQUAL 0 OR where EQUAL -1)
    message(FATAL_ERROR "without ${ARGN}: expected \"${expected}\", got status ${status} and:\n${out}${error}")
  endif()
endfunction()

configure_without("Not found: EXPAT, TBB, needed by the library; Debian and Ubuntu: apt-get install libexpat1-dev libtbb-dev"
                  EXPAT TBB)
configure_without("Not found: nlohmann_json, CLI11, needed by the library and the command line (-DTANDEM_BUILD_CLI=OFF leaves it out); \
Debian and Ubuntu: apt-get install nlohmann-json3-dev libcli11-dev" nlohmann_json CLI11)

# pip leaves the command out where it lacks what it needs, and says so
file(REMOVE_RECURSE "${WORK}")
execute_process(COMMAND "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${WORK}" -G "${GENERATOR}" "-DCMAKE_CXX_COMPILER=${COMPILER}"
                        -DSKBUILD=2 -DTANDEM_BUILD_PYTHON=OFF -DTANDEM_CUDA=OFF -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON
                RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE error)
string(REGEX REPLACE "[ \n]+" " " said "${error}")
load_cache("${WORK}" READ_WITH_PREFIX pip_ TANDEM_BUILD_CLI)
if(NOT status EQUAL 0 OR pip_TANDEM_BUILD_CLI OR NOT said MATCHES "no command `tandem`, which needs fmt and CLI11;.*libcli11-dev")
  message(FATAL_ERROR "a wheel without CLI11: expected a warning about the command, got status ${status} and:\n${out}${error}")
endif()
