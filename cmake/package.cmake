# Packages for Debian, one for each part: cpack -G DEB in a build folder.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME superstep)
set(CPACK_PACKAGE_VENDOR Superstep)
# Who makes the packages says who they are: DEBEMAIL, DEBFULLNAME.
set(CPACK_PACKAGE_CONTACT "Superstep <superstep@localhost>")
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_maintainer.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/package_stage.cmake)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# For packages of programs that are linked with libsuperstep.
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_DEBIAN_PACKAGE_SECTION misc)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libsuperstep${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
# jansson.h includes headers of C, and its package does not say so.
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} \
(= ${PROJECT_VERSION}), pkg-config, libjansson-dev, libc6-dev | libc-dev")
# To link libsuperstep.a.
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS "libczmq-dev, libzmq3-dev, \
libmicrohttpd-dev, libprotobuf-c-dev, libsqlite3-dev, libxxhash-dev, \
nettle-dev, libpq-dev")
set(CPACK_DEBIAN_CLIENT_PACKAGE_NAME superstep)
set(CPACK_COMPONENT_COORDINATOR_DESCRIPTION
    "durable graphs: the coordinator\nIt plans, applies and keeps.")
set(CPACK_COMPONENT_WORKER_DESCRIPTION
    "durable graphs: the worker\nIt runs the nodes of an application.")
set(CPACK_COMPONENT_CLIENT_DESCRIPTION
    "durable graphs: the superstep command\nRun them, follow them, look at them.")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "durable graphs: the shared library\nFor programs that run graphs, or ask for them.")
set(CPACK_COMPONENT_DEV_DESCRIPTION
    "durable graphs: headers and libraries\nWhat applications are built with.")
set(CPACK_COMPONENTS_ALL coordinator worker client library dev)
# Each copy has its licence, as Debian's policy names it.
foreach(part IN LISTS CPACK_COMPONENTS_ALL)
  string(REPLACE superstep-client superstep package superstep-${part})
  string(REPLACE superstep-library ${CPACK_DEBIAN_LIBRARY_PACKAGE_NAME} package
      ${package})
  install(FILES LICENSE RENAME copyright COMPONENT ${part} EXCLUDE_FROM_ALL
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package})
endforeach()
# The units' user is there before they start.
set(SS_POSTINST "#!/bin/sh\nset -e\n"
    "! command -v systemd-sysusers >/dev/null || systemd-sysusers\n")
string(CONCAT SS_POSTINST ${SS_POSTINST})
file(WRITE ${CMAKE_BINARY_DIR}/deb/postinst "${SS_POSTINST}")
file(CHMOD ${CMAKE_BINARY_DIR}/deb/postinst PERMISSIONS OWNER_READ OWNER_WRITE
    OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_COORDINATOR_PACKAGE_CONTROL_EXTRA
    ${CMAKE_BINARY_DIR}/deb/postinst)
set(CPACK_DEBIAN_WORKER_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/deb/postinst)
file(WRITE ${CMAKE_BINARY_DIR}/deb/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    ${CMAKE_BINARY_DIR}/deb/triggers)
include(CPack)
