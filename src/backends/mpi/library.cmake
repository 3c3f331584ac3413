# SPDX-License-Identifier: Apache-2.0
# The library tandem::mpi. Compiled for the instruction set of the kernels if there is but one, else for any processor.
file(GLOB mpi_sources CONFIGURE_DEPENDS backends/mpi/*.cpp)
add_library(tandem_mpi ${mpi_sources})
add_library(tandem::mpi ALIAS tandem_mpi)
tandem_compile_options(tandem_mpi)
list(LENGTH chosen instruction_sets)
if(instruction_sets EQUAL 1)
  target_compile_options(tandem_mpi PRIVATE ${flags_${chosen}})
endif()
target_compile_definitions(tandem_mpi PRIVATE TANDEM_ISA=processes)
target_include_directories(tandem_mpi PRIVATE "${PROJECT_SOURCE_DIR}/src")
target_link_libraries(tandem_mpi PUBLIC tandem MPI::MPI_CXX)
set_target_properties(tandem_mpi PROPERTIES EXPORT_NAME mpi POSITION_INDEPENDENT_CODE ON VERSION ${PROJECT_VERSION}
                                            SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# in a file of its own: find_package(tandem) without this component does not ask for MPI
install(TARGETS tandem_mpi EXPORT tandemMpiTargets COMPONENT development)
install(EXPORT tandemMpiTargets NAMESPACE tandem:: DESTINATION "${package_dir}" COMPONENT development)
