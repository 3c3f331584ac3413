# SPDX-License-Identifier: Apache-2.0
# tandem_compile_options(TARGET): how everything in this tree is compiled. Nothing of it reaches users of the
# installed library.

set(tandem_compile_flags -Wall -Wextra -Wpedantic -Wshadow -fno-math-errno -fno-trapping-math)
set(tandem_link_flags "")

# g++ 12 sees overlapping copies in `"text" + std::string` where there are none (GCC bug 105651), and does not see that only
# a link with children takes up what they bring (ArticulatedBody::inward)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND tandem_compile_flags -Wno-restrict -Wno-maybe-uninitialized)
endif()

# of AArch64, and of versions before 10
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  list(APPEND tandem_compile_flags -Wno-psabi)
endif()

if(TANDEM_WERROR)
  list(APPEND tandem_compile_flags -Werror)
endif()

# fused multiply-adds stand in the text (core/math.hpp); what else a compiler fused would differ between scalars and packs
list(APPEND tandem_compile_flags -ffp-contract=off)
if(TANDEM_STRICT)
  list(APPEND tandem_compile_flags -DTANDEM_STRICT)
endif()

# loops over neighbouring degrees of freedom say `omp simd`; no OpenMP runtime is involved
list(APPEND tandem_compile_flags -fopenmp-simd)
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  # packing three-vectors into vector registers costs more shuffles than it saves: mass matrix 12 %, inverse dynamics 6 %
  list(APPEND tandem_compile_flags -Wno-pass-failed -fno-slp-vectorize)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # the same packing makes fmaddsub of neighbouring sums and differences, -ffp-contract=off or not
  list(APPEND tandem_compile_flags -fno-tree-slp-vectorize)
endif()

if(TANDEM_SANITIZE)
  list(JOIN TANDEM_SANITIZE "," sanitizers)
  list(APPEND tandem_compile_flags -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  list(APPEND tandem_link_flags -fsanitize=${sanitizers})
endif()

if(TANDEM_BUILD_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "TANDEM_BUILD_FUZZ needs clang, whose libFuzzer it uses; "
                      "the compiler is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
endif()

# Templates are compiled wherever they may be called; programs and the Python module keep what they call, a tenth less.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT TANDEM_SANITIZE)
  list(APPEND tandem_link_flags -Wl,--gc-sections)
endif()

function(tandem_compile_options target)
  target_compile_options(${target} PRIVATE ${tandem_compile_flags})
  target_link_options(${target} PRIVATE ${tandem_link_flags})
endfunction()

# tandem_optimise(OPTIONS SOURCE...): sources that an optimised build compiles with other options
set(tandem_optimises OFF)
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
if("${CMAKE_CXX_FLAGS_${type}}" MATCHES "-O[23]")
  set(tandem_optimises ON)
endif()
function(tandem_optimise level)
  if(tandem_optimises)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS ${level})
  endif()
endfunction()

# tandem_precompile(TARGET HEADER...): headers of others, which take longer to read than the target's own sources
function(tandem_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # ccache compares contents; what the headers instantiate is instantiated once
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp" -fpch-instantiate-templates)
  endif()
endfunction()

# tandem_unity(TARGET KIND): ten sources at a time, if TANDEM_UNITY has the kind. Sources with options of their own stay alone.
function(tandem_unity target kind)
  if(kind IN_LIST TANDEM_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
  endif()
endfunction()
