# SPDX-License-Identifier: Apache-2.0
# Installs tandem.pc, which finds the rest of its tree from where it lies. Users of a static library link what it needs.
file(RELATIVE_PATH prefix_from_here "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" prefix_from_here "${prefix_from_here}")
set(private "")
set(cuda_libs "")
if(BUILD_SHARED_LIBS)
  set(private ".private")
elseif(TANDEM_HAS_CUDA)
  set(cuda_libs " -L${CUDAToolkit_LIBRARY_DIR} -lcudart_static -ldl -lrt -lpthread")
endif()
configure_file("${CMAKE_CURRENT_LIST_DIR}/tandem.pc.in" "${PROJECT_BINARY_DIR}/tandem.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tandem.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)
