# SPDX-License-Identifier: Apache-2.0
# Debian packages by `cpack` in the build folder: `tandem`, the command line, and `libtandem-dev`, the library with its headers.
# Those for other machines are built with -DTANDEM_INSTRUCTION_SETS=all.
if(BUILD_SHARED_LIBS)
  message(STATUS "Debian packages: none of shared libraries")
  return()
endif()
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tandem)
set(CPACK_PACKAGE_VENDOR "The Tandem authors")
set(CPACK_PACKAGE_CONTACT "The Tandem authors")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_COMPONENTS_ALL development detail)

set(built_for "")
if(NOT "baseline" IN_LIST TANDEM_BUILT_SETS)
  set(built_for "\nThis copy runs only on processors that have what it was built for: ${TANDEM_BUILT_SETS}.")
endif()

set(CPACK_COMPONENT_DEVELOPMENT_GROUP dev)
set(CPACK_COMPONENT_DETAIL_GROUP dev)
set(CPACK_DEBIAN_DEV_PACKAGE_NAME libtandem-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libexpat1-dev, libtbb-dev")
set(CPACK_DEBIAN_DEV_DESCRIPTION "rigid-body dynamics of articulated robots: C++ library${built_for}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/libtandem-dev" RENAME copyright
        COMPONENT development)

if(TANDEM_BUILD_CLI)
  list(APPEND CPACK_COMPONENTS_ALL cli)
  set(CPACK_COMPONENT_CLI_GROUP command)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME tandem)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
  set(CPACK_DEBIAN_COMMAND_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_COMMAND_DESCRIPTION "rigid-body dynamics of articulated robots: command line${built_for}")
  install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DATADIR}/doc/tandem" RENAME copyright
          COMPONENT cli)
endif()
include(CPack)
