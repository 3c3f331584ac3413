# SPDX-License-Identifier: Apache-2.0
# tandem_add_cuda(TARGET): compiles the CUDA driver into a target.
# The bodies whose kernels variants.hpp lists, those of a line in a source together; a body and a precision alone where
# that takes long. A body that is missing here is missing to the linker.
include("${CMAKE_CURRENT_LIST_DIR}/problems.cmake")
# what groups of blocks carry out (links/group_methods.hpp), those of a line in a source together
set(tandem_cuda_groups
    "DivideAndConquer:double" "DivideAndConquer:float" "ConstraintForceOutputs:double" "ConstraintForceOutputs:float"
    "HybridOnGroup:double" "HybridOnGroup:float" "InverseDynamicsOnGroup:double" "InverseDynamicsOnGroup:float"
    "LogComposite:double,LogComposite:float,MassMatrixOnGroup:double,MassMatrixOnGroup:float")
set(tandem_cuda_folder "${CMAKE_CURRENT_LIST_DIR}")

# Writes the source of one line, and names it in `source`.
function(tandem_cuda_source bodies out)
  set(kernels "")
  set(passes "#define TANDEM_PASS __host__ __device__ inline")
  foreach(body IN LISTS bodies)
    set(reals double float)
    if(body MATCHES "(.*):(.*)")
      set(body "${CMAKE_MATCH_1}")
      set(reals "${CMAKE_MATCH_2}")
    endif()
    if(body IN_LIST tandem_cuda_passes_apart)
      set(passes "#define TANDEM_PASS __host__ __device__ __noinline__")
    endif()
    foreach(real IN LISTS reals)
      string(APPEND kernels "template Kernels<${real}> kernels_of<${body}, ${real}>();\n")
    endforeach()
  endforeach()
  string(REPLACE ";" "_" name "${bodies}")
  string(REPLACE ":" "_" name "${name}")
  configure_file("${tandem_cuda_folder}/kernel.cu.in" "${CMAKE_BINARY_DIR}/cuda/${name}.cu" @ONLY)
  set(${out} "${CMAKE_BINARY_DIR}/cuda/${name}.cu" PARENT_SCOPE)
endfunction()

function(tandem_cuda_group_source file kernels)
  configure_file("${tandem_cuda_folder}/links/group.cu.in" "${file}" @ONLY)
endfunction()

function(tandem_add_cuda target)
  get_filename_component(src "${tandem_cuda_folder}/../.." ABSOLUTE)
  get_filename_component(include "${src}/../include" ABSOLUTE)
  set(kernels "${tandem_cuda_folder}/common.cu" "${tandem_cuda_folder}/block_times.cu")
  foreach(bodies IN LISTS tandem_cuda_sources)
    string(REPLACE "," ";" bodies "${bodies}")
    tandem_cuda_source("${bodies}" source)
    list(APPEND kernels "${source}")
  endforeach()

  foreach(kind IN ITEMS revolute one_dof spherical any)
    foreach(real IN ITEMS double float)
      set(kernel "${CMAKE_BINARY_DIR}/cuda/scan_${kind}_${real}.cu")
      configure_file("${tandem_cuda_folder}/links/scan.cu.in" "${kernel}" @ONLY)
      list(APPEND kernels "${kernel}")
    endforeach()
  endforeach()

  foreach(real IN ITEMS double float)
    set(kernel "${CMAKE_BINARY_DIR}/cuda/rollout_${real}.cu")
    configure_file("${tandem_cuda_folder}/rollout.cu.in" "${kernel}" @ONLY)
    list(APPEND kernels "${kernel}")
    set(kernel "${CMAKE_BINARY_DIR}/cuda/contact_rollout_${real}.cu")
    configure_file("${tandem_cuda_folder}/contact_rollout.cu.in" "${kernel}" @ONLY)
    list(APPEND kernels "${kernel}")
  endforeach()

  foreach(line IN LISTS tandem_cuda_groups)
    string(REPLACE "," ";" methods "${line}")
    set(kernels_of_line "")
    foreach(method IN LISTS methods)
      string(REPLACE ":" ", " arguments "${method}")
      string(APPEND kernels_of_line "template void launch_groups(const GroupCall<${arguments}>&, Stream);\n"
                                    "template int blocks_at_a_time<${arguments}>();\n")
    endforeach()
    list(GET methods 0 name)
    string(REPLACE ":" "_" name "${name}")
    set(kernel "${CMAKE_BINARY_DIR}/cuda/group_${name}.cu")
    tandem_cuda_group_source("${kernel}" "${kernels_of_line}")
    list(APPEND kernels "${kernel}")
  endforeach()

  # objects of their own: the flags of the target are not nvcc's
  add_library(${target}_cuda OBJECT ${kernels})
  target_include_directories(${target}_cuda PRIVATE "${include}" "${src}")
  set_target_properties(${target}_cuda PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF
                                                     POSITION_INDEPENDENT_CODE ON)
  # as on the processor, nothing is fused but what the text says: the same bits
  target_compile_options(${target}_cuda PRIVATE -fmad=false --expt-relaxed-constexpr)
  target_compile_definitions(${target}_cuda PRIVATE $<$<BOOL:${TANDEM_STRICT}>:TANDEM_STRICT>
                                                    "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  target_sources(
    ${target} PRIVATE $<TARGET_OBJECTS:${target}_cuda> "${tandem_cuda_folder}/driver.cpp" "${tandem_cuda_folder}/run_call.cpp" "${tandem_cuda_folder}/rollout_driver.cpp"
                      "${tandem_cuda_folder}/contact_driver.cpp"
                      "${tandem_cuda_folder}/generated/launch.cpp" "${tandem_cuda_folder}/links/driver.cpp"
                      "${tandem_cuda_folder}/links/group_plans.cpp" "${tandem_cuda_folder}/links/scan_plans.cpp"
                      "${tandem_cuda_folder}/runtime.cpp" "${tandem_cuda_folder}/table.cpp")
  # the static runtime: nothing but the driver is needed to run, and that is looked for when it is asked for
  set_target_properties(${target} ${target}_cuda PROPERTIES CUDA_RUNTIME_LIBRARY None)
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
endfunction()
