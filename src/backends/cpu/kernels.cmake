# SPDX-License-Identifier: Apache-2.0
# The folder `kernels`, compiled once for every instruction set and chosen among at run time. An object file holds the
# algorithms of one of these lines in one precision on one set: headers, each followed by its algorithms. Those on a line
# share passes, which are then compiled once, or are small.
include("${CMAKE_CURRENT_LIST_DIR}/problems.cmake")
# The methods that divide one robot; a line begins with a header and the driver in it.
set(methods
    "run_links LinkDriver scan/composite_scan CompositeScan"
    "shared_scans ScanDriver scan/inverse_dynamics_scan InverseDynamicsScan"
    "run_products ScanDriver scan/scan_of InverseDynamicsJvpScan InverseDynamicsVjpScan ForwardDynamicsJvpScan \
ForwardDynamicsVjpScan StepJvpScan StepVjpScan"
    "run_products ScanDriver scan/scan_of ForwardKinematicsJvpScan ForwardKinematicsVjpScan"
    "shared_scans ScanDriver scan/scan_articulated_body ScanArticulatedBody \
papers/divide_and_conquer_efficient DivideAndConquerEfficient")

# Methods of papers, for comparison: PaperMethods of link_methods.hpp. They take one state at a time and are compiled with
# -O2, which takes g++ half the time; the target is tandem_papers.
option(TANDEM_PAPERS "Compile the methods of papers; without them they are refused by name" ON)
set(papers
    "paper_scans LinkDriver papers/log_composite LogComposite papers/mass_matrix_inversion MassMatrixInversion \
papers/hybrid_articulated_body HybridArticulatedBody"
    "run_divided DividedDriver papers/divide_and_conquer DivideAndConquer \
papers/divide_and_conquer_loops DivideAndConquerLoops"
    "run_constraint_force PartDriver papers/conjugate_gradient ConstraintForce \
ConjugateGradient ConstraintForceWrenches"
    "run_formulation FormulationDriver papers/formulations/recne Recne papers/formulations/recneb Recneb \
papers/formulations/resne Resne papers/formulations/classle Classle \
papers/formulations/recle Recle \
papers/formulations/hybrid Hybrid")

# whose bodies rollouts call, too: in lanes, or of one state
set(tandem_lane_bodies ForwardDynamics InverseDynamics ForwardDynamicsVjp InverseDynamicsVjp)
set(tandem_state_bodies ClosedLoopDynamics CloseLoops)

# tandem_kernel(DRIVER_HEADER DRIVER WORD...): the sources of a line
set(kernel_sources "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/table.cpp"
                   "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/tiles.cpp"
                   "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/rollout_double.cpp"
                   "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/rollout_float.cpp"
                   "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/rollout_gradient_double.cpp"
                   "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/rollout_gradient_float.cpp"
                   "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/contact_lanes_double.cpp"
                   "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/contact_alone_double.cpp"
                   "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/contact_lanes_float.cpp"
                   "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/contact_alone_float.cpp"
                   "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/step_robots.cpp")
set(kernel_options "")
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # what it looks for again in machine code, in vain: a sixth of its time. And instructions in an order that takes fewer
  # registers: forward dynamics in lanes 7 % faster
  set(kernel_options -fno-gcse -fno-gcse-after-reload -fschedule-insns -fsched-pressure)
endif()
foreach(passes IN ITEMS passes_double passes_float dual_passes_double dual_passes_float
        shared_scans_double shared_scans_float)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/${passes}.cpp")
  list(APPEND kernel_sources "${source}")
  tandem_optimise("${kernel_options}" "${source}")
endforeach()
# a sixth smaller than with -O3 and as fast
tandem_optimise(-O2 "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/contact_alone_double.cpp"
                "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/contact_alone_float.cpp")
function(tandem_kernel driver_header driver)
  set(options ${kernel_options} ${options_of_papers})
  set(includes "#include \"backends/cpu/kernels/${driver_header}.hpp\"\n")
  foreach(real IN ITEMS double float)
    set(kernels_${real} "")
  endforeach()
  set(name "")
  foreach(word IN LISTS ARGN)
    if(word MATCHES "^[a-z]")
      string(APPEND includes "#include \"tandem/detail/${word}.hpp\"\n")
      continue()
    elseif(NOT name)
      set(name ${word})
    endif()
    foreach(real IN ITEMS double float)
      string(APPEND kernels_${real} "template <>\nKernel<${real}> kernel_of<${word}, ${real}>() {\n"
                                    "  return kernel<${driver}<${word}, ${real}>, ${real}>();\n}\n")
      if(word IN_LIST tandem_lane_bodies)
        string(APPEND kernels_${real} "template <>\nLaneBody<${real}> lane_body_of<${word}, ${real}>() {\n"
                                      "  return lane_body<${word}, ${real}>;\n}\n")
      elseif(word IN_LIST tandem_state_bodies)
        string(APPEND kernels_${real} "template <>\nStateBody<${real}> state_body_of<${word}, ${real}>() {\n"
                                      "  return state_body<${word}, ${real}>;\n}\n")
      endif()
    endforeach()
  endforeach()
  foreach(real IN ITEMS double float)
    set(kernels "${kernels_${real}}")
    configure_file(backends/cpu/kernels/kernel.cpp.in "kernels/${name}_${real}.cpp" @ONLY)
    list(APPEND kernel_sources "${CMAKE_CURRENT_BINARY_DIR}/kernels/${name}_${real}.cpp")
    tandem_optimise("${options}" "${CMAKE_CURRENT_BINARY_DIR}/kernels/${name}_${real}.cpp")
  endforeach()
  set(kernel_sources "${kernel_sources}" PARENT_SCOPE)
endfunction()

foreach(line IN LISTS problems)
  separate_arguments(words UNIX_COMMAND "${line}")
  tandem_kernel(run_factored ProblemDriver ${words})
endforeach()
foreach(line IN LISTS methods)
  separate_arguments(words UNIX_COMMAND "${line}")
  tandem_kernel(${words})
endforeach()
set(sources_of_all "${kernel_sources}")
set(kernel_sources "")
set(options_of_papers -O2)
foreach(real IN ITEMS double float)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/paper_scans_${real}.cpp")
  list(APPEND kernel_sources "${source}")
  tandem_optimise("${kernel_options};${options_of_papers}" "${source}")
endforeach()
foreach(line IN LISTS papers)
  separate_arguments(words UNIX_COMMAND "${line}")
  tandem_kernel(${words})
endforeach()
set(paper_sources "${kernel_sources}")
set(kernel_sources "${sources_of_all}")
set_property(SOURCE "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/table.cpp" APPEND
             PROPERTY COMPILE_DEFINITIONS $<$<BOOL:${TANDEM_PAPERS}>:TANDEM_HAS_PAPERS>)
add_custom_target(tandem_papers)

# tandem_kernel_objects(TARGET NAME SOURCES FLAG...): objects of the library on the instruction set NAME
function(tandem_kernel_objects target name sources)
  add_library(${target} OBJECT ${sources})
  tandem_compile_options(${target})
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE ${ARGN})
  target_compile_definitions(${target} PRIVATE TANDEM_ISA=${name})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  tandem_unity(${target} kernels) # takes half the time at -O0, half as long again at -O3
  target_sources(tandem PRIVATE $<TARGET_OBJECTS:${target}>)
endfunction()

# tandem_kernels(NAME FLAG...): what every processor of the target runs has the name `baseline`
function(tandem_kernels name)
  tandem_kernel_objects(tandem_${name} ${name} "${kernel_sources}" ${ARGN})
  if(TANDEM_PAPERS)
    tandem_kernel_objects(tandem_papers_${name} ${name} "${paper_sources}" ${ARGN})
    add_dependencies(tandem_papers tandem_papers_${name})
  endif()
endfunction()

set(sets baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND sets avx2 avx512)
endif()
set(TANDEM_INSTRUCTION_SETS native CACHE STRING
    "Instruction sets to compile for: native, the best of this machine's; all; or some of baseline;avx2;avx512")
set(flags_avx2 -march=x86-64-v3)
set(flags_avx512 -march=x86-64-v4 -mprefer-vector-width=512)

# tandem_extensions(RESULT FLAG...): macros of the vector extensions that the compiler takes these flags to allow
function(tandem_extensions result)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" ${ARGN} -dM -E -x c++ /dev/null OUTPUT_VARIABLE macros ERROR_QUIET)
  string(REGEX MATCHALL "__(AVX|FMA|BMI|F16C|LZCNT|MOVBE)[0-9A-Z]*__" macros "${macros}")
  set(${result} "${macros}" PARENT_SCOPE)
endfunction()

# tandem_native_set(RESULT): the best set whose every instruction this machine has
function(tandem_native_set result)
  set(best baseline)
  tandem_extensions(ours -march=native)
  foreach(name IN ITEMS avx2 avx512)
    tandem_extensions(wanted ${flags_${name}})
    set(missing ${wanted})
    list(REMOVE_ITEM missing ${ours} "")
    if(wanted AND NOT missing)
      set(best ${name})
    endif()
  endforeach()
  set(${result} ${best} PARENT_SCOPE)
endfunction()

set(chosen ${TANDEM_INSTRUCTION_SETS})
if("native" IN_LIST chosen)
  tandem_native_set(native)
  list(TRANSFORM chosen REPLACE "^native$" ${native})
endif()
if("all" IN_LIST chosen)
  set(chosen ${sets})
endif()
list(REMOVE_DUPLICATES chosen)
if(NOT chosen)
  message(FATAL_ERROR "TANDEM_INSTRUCTION_SETS names none; expected native, all, or some of ${sets}")
endif()
set(TANDEM_BUILT_SETS ${chosen} PARENT_SCOPE)
foreach(name IN LISTS chosen)
  if(NOT name IN_LIST sets)
    message(FATAL_ERROR "TANDEM_INSTRUCTION_SETS: \"${name}\" is neither native, all nor one of ${sets}, which ${CMAKE_SYSTEM_PROCESSOR} can have")
  endif()
  tandem_kernels(${name} ${flags_${name}})
  string(TOUPPER ${name} upper)
  target_compile_definitions(tandem PRIVATE TANDEM_HAS_${upper})
endforeach()
