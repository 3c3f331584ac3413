# SPDX-License-Identifier: Apache-2.0
# The folder `kernels`, compiled once for every instruction set and chosen among at run time. An object file holds one
# algorithm on one set.

# a header, then its algorithms
set(headers
    "forward_kinematics ForwardKinematics" "jacobian Jacobian JacobianTimeDerivativeProduct"
    "inverse_dynamics InverseDynamics"
    "inverse_dynamics_regressor InverseDynamicsRegressor" "bias_forces BiasForces GravityForces" "mass_matrix MassMatrix"
    "forward_dynamics ForwardDynamics" "energy Energy"
    "centre_of_mass CentreOfMass CentroidalMomentum" "passive_forces PassiveForces"
    "integrate Integrate Difference IntegrateRate" "interbody_wrenches InterbodyWrenches"
    "constraint_wrenches ConstraintWrenches"
    "operational_space_mobility OperationalSpaceMobility")

# tandem_kernel(TYPE MAKER DRIVER_HEADER DRIVER HEADER ALGORITHM): a source for the kernels of one algorithm. Each includes its
# own header only: a change to one algorithm compiles that one again.
set(kernel_sources "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/table.cpp")
function(tandem_kernel type maker driver_header driver header algorithm)
  configure_file(backends/cpu/kernels/kernel.cpp.in "kernels/${algorithm}.cpp" @ONLY)
  set(kernel_sources "${kernel_sources};${CMAKE_CURRENT_BINARY_DIR}/kernels/${algorithm}.cpp" PARENT_SCOPE)
endfunction()

foreach(line IN LISTS headers)
  separate_arguments(algorithms UNIX_COMMAND "${line}")
  list(POP_FRONT algorithms header)
  foreach(algorithm IN LISTS algorithms)
    tandem_kernel(Kernels kernels run Driver problems/${header} ${algorithm})
  endforeach()
endforeach()
# and the one that factors once where a batch has one configuration
tandem_kernel(Kernels kernels run_factored FactoredDriver problems/forward_dynamics InverseMassMatrixProduct)

# what iterates, in lanes that wait for each other; it stands beside the table of algorithms
tandem_kernel(Kernels kernels run Driver problems/inverse_kinematics InverseKinematics)

# The methods that divide one robot: a driver's header, the driver, its methods. Each has a header of its own name.
set(drivers
    "run_links LinkDriver CompositeScan LogComposite DivideAndConquer MassMatrixInversion HybridArticulatedBody"
    "run_scan ScanDriver InverseDynamicsScan ScanArticulatedBody DivideAndConquerEfficient")
foreach(line IN LISTS drivers)
  separate_arguments(algorithms UNIX_COMMAND "${line}")
  list(POP_FRONT algorithms driver_header driver)
  foreach(algorithm IN LISTS algorithms)
    string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" header "${algorithm}")
    string(TOLOWER "${header}" header)
    tandem_kernel(LinkKernels link_kernels ${driver_header} ${driver} methods/${header} ${algorithm})
  endforeach()
endforeach()

# and the three that share one body
list(APPEND kernel_sources "${CMAKE_CURRENT_SOURCE_DIR}/backends/cpu/kernels/constraint_force.cpp")

# tandem_kernels(NAME FLAG...): what every processor of the target runs has the name `baseline`
function(tandem_kernels name)
  add_library(tandem_${name} OBJECT ${kernel_sources})
  tandem_compile_options(tandem_${name})
  target_compile_features(tandem_${name} PRIVATE cxx_std_20)
  target_compile_options(tandem_${name} PRIVATE ${ARGN})
  target_compile_definitions(tandem_${name} PRIVATE TANDEM_ISA=${name})
  target_include_directories(tandem_${name} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
  set_target_properties(tandem_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  tandem_unity(tandem_${name} kernels) # takes half the time at -O0, half as long again at -O3
  target_sources(tandem PRIVATE $<TARGET_OBJECTS:tandem_${name}>)
endfunction()

set(sets baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND sets avx2 avx512)
endif()
set(TANDEM_INSTRUCTION_SETS ${sets} CACHE STRING
    "Instruction sets to compile for: baseline;avx2;avx512, or native, the best of this machine's")
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
list(REMOVE_DUPLICATES chosen)
if(NOT chosen)
  message(FATAL_ERROR "TANDEM_INSTRUCTION_SETS names none; expected native, or some of ${sets}")
endif()
foreach(name IN LISTS chosen)
  if(NOT name IN_LIST sets)
    message(FATAL_ERROR "TANDEM_INSTRUCTION_SETS: \"${name}\" is neither native nor one of ${sets}, which ${CMAKE_SYSTEM_PROCESSOR} can have")
  endif()
  tandem_kernels(${name} ${flags_${name}})
  string(TOUPPER ${name} upper)
  target_compile_definitions(tandem PRIVATE TANDEM_HAS_${upper})
endforeach()
