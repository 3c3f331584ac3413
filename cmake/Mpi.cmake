# SPDX-License-Identifier: Apache-2.0
# The optional MPI component. Sets TANDEM_HAS_MPI.
set(TANDEM_MPI ${mpi_by_default} CACHE STRING "Build chains over processes: ON, OFF, or AUTO where MPI is found and no sanitizer is used")
set_property(CACHE TANDEM_MPI PROPERTY STRINGS AUTO ON OFF)

set(TANDEM_HAS_MPI OFF)
set(MPI_CXX_SKIP_MPICXX ON) # the interface of C
if(TANDEM_MPI STREQUAL "AUTO" AND TANDEM_SANITIZE)
  message(STATUS "MPI: left out, as its libraries leak by the sanitizers' standards")
elseif(TANDEM_MPI STREQUAL "AUTO")
  find_package(MPI QUIET COMPONENTS CXX)
  set(TANDEM_HAS_MPI ${MPI_CXX_FOUND})
elseif(TANDEM_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
  set(TANDEM_HAS_MPI ON)
endif()

# tandem_mpi_test(NAME PROCESSES TARGET ARGUMENT...): a program on more processes than there may be cores
function(tandem_mpi_test name processes target)
  add_test(NAME ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
           COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${processes} $<TARGET_FILE:${target}> ${ARGN})
  # Open MPI: in containers as well, and without busy waiting
  set(settings OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
               OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none)
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${settings}" PROCESSORS 2)
endfunction()
