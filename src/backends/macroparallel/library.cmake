# SPDX-License-Identifier: Apache-2.0
# A row of processors. Compiled for the instruction set of the kernels if there is but one, else for any processor.
file(GLOB macroparallel_sources CONFIGURE_DEPENDS backends/macroparallel/*.cpp)
add_library(tandem_macroparallel OBJECT ${macroparallel_sources})
tandem_compile_options(tandem_macroparallel)
list(LENGTH chosen instruction_sets)
if(instruction_sets EQUAL 1)
  target_compile_options(tandem_macroparallel PRIVATE ${flags_${chosen}})
endif()
target_compile_definitions(tandem_macroparallel PRIVATE TANDEM_ISA=row_of_processors)
target_compile_features(tandem_macroparallel PRIVATE cxx_std_20)
target_include_directories(tandem_macroparallel PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include"
                                                        "${PROJECT_SOURCE_DIR}/src")
set_target_properties(tandem_macroparallel PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_sources(tandem PRIVATE $<TARGET_OBJECTS:tandem_macroparallel>)
