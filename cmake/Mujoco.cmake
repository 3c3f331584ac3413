# SPDX-License-Identifier: Apache-2.0
# The optional reader of MJCF. Sets TANDEM_HAS_MUJOCO, TANDEM_MUJOCO_INCLUDE with MuJoCo's headers and TANDEM_MUJOCO_LIBRARY, which is
# not linked but opened when a file needs it; see docs/decisions/0018-mjcf.md. Looked for where CMake looks, in the folder of
# -DTANDEM_MUJOCO_ROOT (a release of MuJoCo, unpacked), and among the packages of Python, whose wheel has both.
set(TANDEM_MUJOCO AUTO CACHE STRING "Read MJCF in C++ and the command line: ON, OFF, or AUTO where MuJoCo is found and no sanitizer is used")
set_property(CACHE TANDEM_MUJOCO PROPERTY STRINGS AUTO ON OFF)

set(TANDEM_HAS_MUJOCO OFF)
if(TANDEM_MUJOCO STREQUAL "AUTO" AND TANDEM_SANITIZE)
  message(STATUS "MuJoCo: left out, as it is not compiled with sanitizers")
elseif(TANDEM_MUJOCO)
  set(hints ${TANDEM_MUJOCO_ROOT})
  foreach(python IN ITEMS "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/.venv/bin/python" python3)
    if(python)
      execute_process(
        COMMAND "${python}" -c "import importlib.util as u; print(u.find_spec('mujoco').submodule_search_locations[0])"
        OUTPUT_VARIABLE folder ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
      list(APPEND hints ${folder})
    endif()
  endforeach()
  find_path(TANDEM_MUJOCO_INCLUDE mujoco/mjspec.h HINTS ${hints} PATH_SUFFIXES include DOC "Folder that has mujoco/mujoco.h")
  set(version "")
  if(TANDEM_MUJOCO_INCLUDE)
    file(STRINGS "${TANDEM_MUJOCO_INCLUDE}/mujoco/mujoco.h" version REGEX "define mjVERSION_HEADER [0-9]+")
    string(REGEX MATCH "[0-9]+$" version "${version}")
  endif()
  if(version GREATER_EQUAL 330) # 3.3.0, whose elements can be copied and deleted; later ones have more digits
    set(TANDEM_HAS_MUJOCO ON)
    get_filename_component(folder "${TANDEM_MUJOCO_INCLUDE}" DIRECTORY)
    file(GLOB libraries "${folder}/libmujoco.so*" "${folder}/lib/libmujoco.so*")
    list(POP_FRONT libraries library)
    set(TANDEM_MUJOCO_LIBRARY "${library}" CACHE FILEPATH "MuJoCo's library, opened when a file needs it")
  elseif(NOT TANDEM_MUJOCO STREQUAL "AUTO")
    message(FATAL_ERROR "TANDEM_MUJOCO is ${TANDEM_MUJOCO}, but MuJoCo 3.3 or later was not found: pip install mujoco, or unpack a "
                        "release of MuJoCo and name its folder in TANDEM_MUJOCO_ROOT")
  endif()
endif()
