# SPDX-License-Identifier: Apache-2.0
# Called by ctest; see CMakeLists.txt beside it.

function(cmake)
  execute_process(COMMAND "${CMAKE_COMMAND}" ${ARGN} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# what only the library's own sources need is hidden from its users
function(build consumer folder)
  cmake(--no-warn-unused-cli -S "${consumer}" -B "${WORK}/${folder}" -G "${GENERATOR}" "-DCMAKE_PREFIX_PATH=${WORK}/prefix" "-DPAGE=${PAGE}"
        "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DTANDEM_EXPECTED=${VERSION}" "-DWITH_MPI=${MPI}"
        -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON)
  cmake(--build "${WORK}/${folder}")
  execute_process(COMMAND "${WORK}/${folder}/consumer" COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# symbols(file variable): the names that a file defines, and those only it may have
function(symbols file variable)
  execute_process(COMMAND "${NM}" -C --defined-only "${file}" OUTPUT_VARIABLE found COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()

file(REMOVE_RECURSE "${WORK}")
cmake(--install "${BUILD}" --prefix "${WORK}/prefix" --component development)
if(EXISTS "${WORK}/prefix/include/tandem/detail")
  message(FATAL_ERROR "the component development installs tandem/detail")
endif()
build("${CONSUMER}" public)

cmake(--install "${BUILD}" --prefix "${WORK}/prefix" --component detail)
build("${DETAIL_CONSUMER}" detail)

# no function of the mathematics is the user's and the library's
file(GLOB_RECURSE objects "${WORK}/detail/CMakeFiles/consumer.dir/*.o")
symbols("${objects}" own)
file(GLOB library "${WORK}/prefix/lib*/libtandem.*")
list(GET library 0 library)
symbols("${library}" of_library)
if(NOT own MATCHES "tandem::user::Energy")
  message(FATAL_ERROR "the user's program has no mathematics of its own: ${own}")
endif()
string(REGEX MATCH "tandem::(${LIBRARY_NAMESPACES})::[^\n]*" shared "${own}")
if(shared)
  message(FATAL_ERROR "the user's program defines ${shared}, which is the library's")
endif()
string(REGEX MATCH "tandem::user::[^\n]*" shared "${of_library}")
if(shared)
  message(FATAL_ERROR "the library defines ${shared}, which is the user's")
endif()
if(NOT of_library MATCHES "tandem::(${LIBRARY_NAMESPACES})::")
  message(FATAL_ERROR "no mathematics in the library's namespaces: ${LIBRARY_NAMESPACES}")
endif()

cmake(--install "${BUILD}" --prefix "${WORK}/prefix")
if(EXISTS "${WORK}/prefix/bin/tandem")
  execute_process(COMMAND "${WORK}/prefix/bin/tandem" info arm7 COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endif()
