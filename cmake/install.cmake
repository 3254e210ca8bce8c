# What `cmake --install` gives: programs, headers, libsuperstep, and for who
# builds with them superstep.pc and the package that find_package() finds.

get_property(programs GLOBAL PROPERTY SS_PROGRAMS)
foreach(program IN LISTS programs)
  string(REGEX REPLACE "^superstep-?" "" part ${program})
  if(NOT part)
    set(part client)
  endif()
  install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
      COMPONENT ${part})
  install(FILES docs/man/${program}.1 OPTIONAL
      DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT ${part})
endforeach()

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)
foreach(folder worker/include client/include local/include)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder}/
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
endforeach()

# All rooms in one library: to embed, or to link a worker with its nodes.
get_property(rooms GLOBAL PROPERTY SS_ROOMS)
set(objects ${rooms})
list(TRANSFORM objects REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")

ss_static_library(superstep_static ${objects})
add_library(superstep_shared SHARED ${objects})
set(SS_PQ)
if(PQ_FOUND)
  target_link_libraries(superstep_shared PRIVATE PkgConfig::PQ)
  set(SS_PQ libpq)
endif()
target_link_libraries(superstep_shared PRIVATE PkgConfig::JANSSON
    PkgConfig::NETTLE PkgConfig::PROTOBUF_C PkgConfig::SQLITE PkgConfig::CZMQ
    PkgConfig::ZMQ PkgConfig::MHD Threads::Threads ${CMAKE_DL_LIBS} m)
# As a path of its own, so that it may hold spaces.
target_link_options(superstep_shared PRIVATE
    "LINKER:--version-script,${CMAKE_BINARY_DIR}/exports.map")
set_target_properties(superstep_static superstep_shared PROPERTIES
    OUTPUT_NAME superstep LINKER_LANGUAGE C)
set_target_properties(superstep_shared PROPERTIES
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}
    LINK_DEPENDS ${CMAKE_BINARY_DIR}/exports.map)
install(TARGETS superstep_static
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Programs need the library alone, and not what they were built with.
install(TARGETS superstep_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    COMPONENT library NAMELINK_COMPONENT dev)

# What the archive needs, by itself and not by packages: pkg-config would want all
# of those to be there, and all that they require, also for an application that
# needs the headers alone.
set(SS_NEEDS)
foreach(each CZMQ ZMQ MHD PROTOBUF_C SQLITE XXHASH NETTLE PQ)
  list(APPEND SS_NEEDS ${${each}_LDFLAGS})
endforeach()
foreach(folder IN LISTS CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  list(REMOVE_ITEM SS_NEEDS -L${folder})
endforeach()
list(REMOVE_DUPLICATES SS_NEEDS)
list(JOIN SS_NEEDS " " SS_NEEDS)

# Both find their prefix from where they lie, so a tree can be moved.
string(REGEX REPLACE "[^/]+" ".." SS_PC_UP "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
configure_file(${CMAKE_SOURCE_DIR}/superstep.pc.in
    ${CMAKE_BINARY_DIR}/superstep.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/superstep.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/superstep)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/superstepConfig.cmake.in
    ${CMAKE_BINARY_DIR}/superstepConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(
    ${CMAKE_BINARY_DIR}/superstepConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/superstepConfig.cmake
    ${CMAKE_BINARY_DIR}/superstepConfigVersion.cmake DESTINATION ${package})

# What a package brings beside: completions, man pages, units, what to read.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME client)
set(SS_DOCS ${CMAKE_INSTALL_DATADIR}/doc/superstep)
# bash and fish look for a file of the name of what is typed, in their own times.
foreach(program IN LISTS programs)
  string(REGEX REPLACE "^superstep-?" "" part ${program})
  if(NOT part)
    set(part client)
  endif()
  install(FILES completion/superstep.bash RENAME ${program} COMPONENT ${part}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES completion/superstep.fish RENAME ${program}.fish
      COMPONENT ${part}
      DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endforeach()
# Under /usr Debian's zsh looks into the second folder alone.
foreach(folder site-functions vendor-completions)
  install(FILES completion/superstep.zsh RENAME _superstep
      DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder})
endforeach()
install(FILES LICENSE README.md DESTINATION ${SS_DOCS})
install(DIRECTORY examples DESTINATION ${SS_DOCS})
# Images are built without docs, and the manual with them (.dockerignore).
install(DIRECTORY docs DESTINATION ${SS_DOCS} OPTIONAL PATTERN "man" EXCLUDE)
foreach(part coordinator worker)
  install(DIRECTORY deploy/systemd/ DESTINATION lib/systemd/system
      COMPONENT ${part} FILES_MATCHING PATTERN "superstep-${part}*.service")
  install(FILES deploy/systemd/superstep.sysusers COMPONENT ${part}
      RENAME superstep-${part}.conf DESTINATION lib/sysusers.d)
  # Units name programs where they are, wherever that is: in quotes, and a percent
  # sign would begin a name of systemd's.
  install(CODE "
    file(GLOB units \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/lib/systemd/system/superstep-${part}*.service\")
    string(REPLACE \"%\" \"%%\" prefix \"\${CMAKE_INSTALL_PREFIX}\")
    foreach(unit IN LISTS units)
      file(READ \${unit} text)
      string(REPLACE \"/usr/bin/superstep\" \"\${prefix}/bin/superstep\" text \"\${text}\")
      string(REPLACE \"/usr/lib/superstep/\" \"\${prefix}/lib/superstep/\" text \"\${text}\")
      file(WRITE \${unit} \"\${text}\")
    endforeach()" COMPONENT ${part})
endforeach()

# `--strip` is for programs and shared libraries alone, as cmake sees it: here it
# is for the archive too, and for the examples, which are installed as files.
set(SS_STRIP "
    if(CMAKE_INSTALL_DO_STRIP)
      file(GLOB files \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/PATTERN\")
      execute_process(COMMAND \"${CMAKE_STRIP}\" HOW \${files}
          COMMAND_ERROR_IS_FATAL ANY)
    endif()")
string(REPLACE PATTERN "${CMAKE_INSTALL_LIBDIR}/libsuperstep.a" code
    "${SS_STRIP}")
string(REPLACE HOW --strip-debug code "${code}")
install(CODE "${code}" COMPONENT dev)
string(REPLACE PATTERN "lib/superstep/*.so" code "${SS_STRIP}")
string(REPLACE HOW --strip-unneeded code "${code}")
install(CODE "${code}" COMPONENT worker)

# Takes back what the last `cmake --install` of this folder has brought.
add_custom_target(uninstall COMMAND ${CMAKE_COMMAND}
    -D MANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
    -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)

include(cmake/package.cmake)
