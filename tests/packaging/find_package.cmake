# SPDX-License-Identifier: Apache-2.0
# Called by ctest; see CMakeLists.txt beside it.

file(REMOVE_RECURSE "${WORK}")
foreach(command IN ITEMS
        "--install;${BUILD};--prefix;${WORK}/prefix"
        "-S;${CONSUMER};-B;${WORK}/build;-G;${GENERATOR};-DCMAKE_PREFIX_PATH=${WORK}/prefix;-DCMAKE_CXX_COMPILER=${COMPILER};-DTANDEM_EXPECTED=${VERSION}"
        "--build;${WORK}/build")
  execute_process(COMMAND "${CMAKE_COMMAND}" ${command} COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND "${WORK}/build/consumer" COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
if(EXISTS "${WORK}/prefix/bin/tandem")
  execute_process(COMMAND "${WORK}/prefix/bin/tandem" info arm7 COMMAND_ECHO STDOUT COMMAND_ERROR_IS_FATAL ANY)
endif()
