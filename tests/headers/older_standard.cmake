# SPDX-License-Identifier: Apache-2.0
# Called by ctest: compiles every header by an older standard, which must end at the one line that says what is needed.
list(FILTER HEADERS EXCLUDE REGEX "^tandem/detail/")
list(APPEND HEADERS tandem/detail/problems/energy.hpp)
foreach(header IN LISTS HEADERS)
  file(WRITE older_standard.cpp "#include <${header}>\nint main() {}\n")
  execute_process(COMMAND "${COMPILER}" -std=c++17 -fsyntax-only -I "${INCLUDE}" older_standard.cpp
                  RESULT_VARIABLE status OUTPUT_VARIABLE said ERROR_VARIABLE said)
  string(REGEX MATCHALL "error: [^\n]*" errors "${said}")
  list(LENGTH errors count)
  list(FILTER errors INCLUDE REGEX "Tandem needs C\\+\\+20: compile with -std=c\\+\\+20|stop: see the line above")
  list(LENGTH errors expected)
  if(status EQUAL 0 OR NOT count EQUAL 2 OR NOT expected EQUAL 2)
    message(FATAL_ERROR "${header} by C++17: expected one line about C++20 and the end, got:\n${said}")
  endif()
endforeach()
