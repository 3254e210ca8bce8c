# Folders to libraries, programs and applications.

# The targets among `names` that exist; other words pass as they are.
function(ss_existing ret)
  set(found)
  foreach(name IN LISTS ARGN)
    if(NOT name MATCHES "^ss_" OR TARGET ${name})
      list(APPEND found ${name})
    endif()
  endforeach()
  set(${ret} ${found} PARENT_SCOPE)
endfunction()

function(ss_files ret)
  list(TRANSFORM ARGN PREPEND ${CMAKE_SOURCE_DIR}/)
  file(GLOB files CONFIGURE_DEPENDS ${ARGN})
  list(SORT files)
  set(${ret} ${files} PARENT_SCOPE)
endfunction()

# ss_room(TARGET FOLDER [FOLDER...] [EXCEPT pattern...] LINK target...)
function(ss_room name folder)
  cmake_parse_arguments(arg "" "" "EXCEPT;LINK" ${ARGN})
  set(folders ${folder} ${arg_UNPARSED_ARGUMENTS})
  list(TRANSFORM folders APPEND /*.c)
  ss_files(sources ${folders})
  if(arg_EXCEPT)
    list(TRANSFORM arg_EXCEPT PREPEND ${folder}/)
    ss_files(except ${arg_EXCEPT})
    list(REMOVE_ITEM sources ${except})
  endif()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
    ss_existing(links ${arg_LINK})
    target_link_libraries(${name} PUBLIC ${links} PRIVATE ss_warnings)
    if(IS_DIRECTORY ${CMAKE_SOURCE_DIR}/${folder}/include)
      target_include_directories(${name} PUBLIC
          ${CMAKE_SOURCE_DIR}/${folder}/include)
    endif()
    set_property(GLOBAL APPEND PROPERTY SS_ROOMS ${name})
  endif()
endfunction()

# The generated protobuf code exists in the build tree only, and only this room
# sees its headers: #include "superstep/v1/NAME.pb-c.h".
function(ss_wire_room name folder schemas)
  ss_room(${name} ${folder} ${ARGN})
  ss_files(protos ${schemas}/*.proto)
  if(NOT protos OR NOT TARGET ${name})
    return()
  endif()
  find_program(SS_PROTOC NAMES protoc-c protoc REQUIRED)
  set(generated ${CMAKE_BINARY_DIR}/generated)
  file(MAKE_DIRECTORY ${generated})
  set(sources)
  foreach(proto IN LISTS protos)
    file(RELATIVE_PATH path ${CMAKE_SOURCE_DIR}/proto ${proto})
    string(REGEX REPLACE "\\.proto$" "" stem ${path})
    add_custom_command(
        OUTPUT ${generated}/${stem}.pb-c.c ${generated}/${stem}.pb-c.h
        COMMAND ${SS_PROTOC} -I ${CMAKE_SOURCE_DIR}/proto --c_out=${generated}
            ${proto}
        DEPENDS ${protos} COMMENT "protoc ${path}" VERBATIM)
    list(APPEND sources ${generated}/${stem}.pb-c.c ${generated}/${stem}.pb-c.h)
  endforeach()
  # What a reader of the sources needs who compiles nothing (./test lint).
  add_custom_target(generated DEPENDS ${sources})
  add_dependencies(${name} generated)
  set_source_files_properties(${sources} PROPERTIES COMPILE_OPTIONS
      "-Wno-conversion;-Wno-switch-enum;-Wno-pedantic;-Wno-sign-conversion")
  target_sources(${name} PRIVATE ${sources})
  target_include_directories(${name} SYSTEM PRIVATE ${generated})
endfunction()

# Let what `target` loads find the words of superstep.h in it, and no other: an
# application may use any other name itself. These three pull in every object file
# that has one.
function(ss_export target)
  ss_existing(links ${ARGN})
  target_link_libraries(${target} PRIVATE ${links})
  set_property(TARGET ${target} APPEND PROPERTY
      LINK_DEPENDS ${CMAKE_BINARY_DIR}/exports.list)
  if(links)
    target_link_options(${target} PRIVATE
        "LINKER:--dynamic-list,${CMAKE_BINARY_DIR}/exports.list"
        LINKER:--undefined=ss_application_new LINKER:--undefined=ss_execute
        LINKER:--undefined=ss_typed_text)
  endif()
endfunction()

# ss_program(NAME MAIN [pattern...] LINK target... [EXPORT target...])
function(ss_program name main)
  cmake_parse_arguments(arg "" "" "LINK;EXPORT" ${ARGN})
  if(NOT EXISTS ${CMAKE_SOURCE_DIR}/${main})
    return()
  endif()
  ss_files(sources ${main} ${arg_UNPARSED_ARGUMENTS})
  add_executable(${name} ${sources})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  ss_existing(links ${arg_LINK})
  target_link_libraries(${name} PRIVATE ${links} ss_warnings)
  ss_export(${name} ${arg_EXPORT})
  set_property(GLOBAL APPEND PROPERTY SS_PROGRAMS ${name})
endfunction()

# ss_application(NAME [BARE] pattern...): libNAME.so (NAME.so), which a worker
# loads. It sees the installed headers and jansson, nothing else of ours.
function(ss_application name)
  cmake_parse_arguments(arg "BARE" "" "" ${ARGN})
  ss_files(sources ${arg_UNPARSED_ARGUMENTS})
  if(NOT sources)
    return()
  endif()
  set(prefix lib)
  if(arg_BARE)
    set(prefix "")
  endif()
  add_library(app_${name} MODULE ${sources})
  set_target_properties(app_${name} PROPERTIES PREFIX "${prefix}"
      OUTPUT_NAME ${name})
  target_include_directories(app_${name} PRIVATE
      ${CMAKE_SOURCE_DIR}/worker/include)
  target_link_libraries(app_${name} PRIVATE ss_warnings PkgConfig::JANSSON)
  set_property(GLOBAL APPEND PROPERTY SS_APPLICATIONS app_${name})
endfunction()

# Each FOLDER/NAME/NAME.c with the other files of its folder.
function(ss_examples folder)
  ss_files(children ${folder}/*)
  foreach(child IN LISTS children)
    get_filename_component(name ${child} NAME)
    if(EXISTS ${child}/${name}.c)
      ss_application(${name} ${folder}/${name}/*.c)
      # As units and documents name it.
      install(FILES $<TARGET_FILE:app_${name}> RENAME ${name}.so
          DESTINATION lib/superstep COMPONENT worker)
    endif()
  endforeach()
endfunction()
