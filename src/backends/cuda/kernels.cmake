# SPDX-License-Identifier: Apache-2.0
# tandem_add_cuda(TARGET): compiles the CUDA driver into a target, each algorithm and precision in a source of its own.
# The list is that of table.cpp.
set(tandem_cuda_algorithms InverseDynamics MassMatrix ForwardDynamics)
set(tandem_cuda_folder "${CMAKE_CURRENT_LIST_DIR}")

function(tandem_add_cuda target)
  get_filename_component(src "${tandem_cuda_folder}/../.." ABSOLUTE)
  get_filename_component(include "${src}/../include" ABSOLUTE)
  set(kernels "")
  foreach(algorithm IN LISTS tandem_cuda_algorithms)
    string(REGEX REPLACE "([a-z])([A-Z])" "\\1_\\2" header "${algorithm}")
    string(TOLOWER "${header}" header)
    foreach(real IN ITEMS double float)
      set(kernel "${CMAKE_BINARY_DIR}/cuda/${header}_${real}.cu")
      configure_file("${tandem_cuda_folder}/kernel.cu.in" "${kernel}" @ONLY)
      list(APPEND kernels "${kernel}")
    endforeach()
  endforeach()

  foreach(kind IN ITEMS revolute one_dof spherical any)
    foreach(real IN ITEMS double float)
      set(kernel "${CMAKE_BINARY_DIR}/cuda/scan_${kind}_${real}.cu")
      configure_file("${tandem_cuda_folder}/links/scan.cu.in" "${kernel}" @ONLY)
      list(APPEND kernels "${kernel}")
    endforeach()
  endforeach()

  # objects of their own: the flags of the target are not nvcc's
  add_library(${target}_cuda OBJECT ${kernels})
  target_include_directories(${target}_cuda PRIVATE "${include}" "${src}")
  set_target_properties(${target}_cuda PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF
                                                     POSITION_INDEPENDENT_CODE ON)
  # as on the processor, nothing is fused but what the text says: the same bits
  target_compile_options(${target}_cuda PRIVATE -fmad=false)
  target_compile_definitions(${target}_cuda PRIVATE $<$<BOOL:${TANDEM_STRICT}>:TANDEM_STRICT>
                                                    "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  target_sources(
    ${target} PRIVATE $<TARGET_OBJECTS:${target}_cuda> "${tandem_cuda_folder}/driver.cpp"
                      "${tandem_cuda_folder}/links/driver.cpp"
                      "${tandem_cuda_folder}/runtime.cpp" "${tandem_cuda_folder}/table.cpp")
  # the static runtime: nothing but the driver is needed to run, and that is looked for when it is asked for
  set_target_properties(${target} ${target}_cuda PROPERTIES CUDA_RUNTIME_LIBRARY None)
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
endfunction()
