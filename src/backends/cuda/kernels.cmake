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
      set(kernel "${CMAKE_CURRENT_BINARY_DIR}/kernels/${header}_${real}.cu")
      configure_file("${tandem_cuda_folder}/kernel.cu.in" "${kernel}" @ONLY)
      list(APPEND kernels "${kernel}")
    endforeach()
  endforeach()

  # objects of their own: the flags of the target are not nvcc's
  add_library(${target}_kernels OBJECT ${kernels})
  target_include_directories(${target}_kernels PRIVATE "${include}" "${src}")
  set_target_properties(${target}_kernels PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON CUDA_EXTENSIONS OFF
                                                     POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target}_kernels PRIVATE $<$<BOOL:${TANDEM_STRICT}>:-fmad=false>)
  target_sources(
    ${target} PRIVATE $<TARGET_OBJECTS:${target}_kernels> "${tandem_cuda_folder}/device_model.cpp"
                      "${tandem_cuda_folder}/driver.cpp" "${tandem_cuda_folder}/runtime.cpp" "${tandem_cuda_folder}/table.cpp")
  # the static runtime: nothing but the driver is needed to run, and that is looked for when it is asked for
  set_target_properties(${target} ${target}_kernels PROPERTIES CUDA_RUNTIME_LIBRARY None)
  target_link_libraries(${target} PRIVATE CUDA::cudart_static)
endfunction()
