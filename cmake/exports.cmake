# What libsuperstep shows: the functions that its headers declare, no name of our
# own beside them, and none of generated code.

# ss_public_names(RET HEADER...): the functions declared there, in order.
function(ss_public_names ret)
  set(names)
  foreach(header IN LISTS ARGN)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
    file(READ ${header} text)
    string(REPLACE ";" "," text "${text}") # no list of CMake's
    string(REGEX REPLACE "//[^\n]*" "" text "${text}")
    string(REGEX REPLACE "\\\\[ ]*\n" "" text "${text}")
    string(REGEX REPLACE "\n#[^\n]*" "" text "${text}")
    string(REGEX REPLACE "typedef [^(]*" "" text "${text}")
    # A template of C++ ends in _, and is nobody's symbol.
    string(REGEX MATCHALL "ss_[a-z0-9_]*[a-z0-9]\\(" found "${text}")
    list(APPEND names ${found})
  endforeach()
  list(TRANSFORM names REPLACE "\\($" "")
  list(REMOVE_DUPLICATES names)
  list(SORT names)
  set(${ret} ${names} PARENT_SCOPE)
endfunction()

ss_files(SS_HEADERS */include/superstep/*.h)
ss_public_names(SS_PUBLIC ${SS_HEADERS})

# For the linker of a shared library, of a program that loads applications, and
# for objcopy.
list(JOIN SS_PUBLIC ";\n" lines)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/exports.map
    CONTENT "{\nglobal:\n${lines};\nlocal: *;\n};\n")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/exports.list
    CONTENT "{\n${lines};\n};\n")
list(JOIN SS_PUBLIC "\n" lines)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/exports.txt CONTENT "${lines}\n")

# ss_static_library(TARGET OBJECT...): all objects as one, in which only the
# public names are left for others; ones of many could not find each other then.
function(ss_static_library name)
  add_executable(${name}_whole ${ARGN})
  set_target_properties(${name}_whole PROPERTIES
      LINKER_LANGUAGE C OUTPUT_NAME whole SUFFIX .o
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/static)
  # These alone: nothing that belongs to a program or is of a sanitizer.
  set(options -r -nostdlib LINKER:--build-id=none)
  if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    # As each file was compiled by itself: whoever links the library may use
    # another compiler, and names could not be taken out of the other form.
    list(APPEND options -fno-lto)
  endif()
  set_property(TARGET ${name}_whole PROPERTY LINK_OPTIONS ${options})

  set(object ${CMAKE_BINARY_DIR}/static/superstep.o)
  add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_OBJCOPY}
          --keep-global-symbols=${CMAKE_BINARY_DIR}/exports.txt
          --remove-section=.gnu.lto_* --remove-section=.gnu.debuglto_*
          $<TARGET_FILE:${name}_whole> ${object}
      DEPENDS ${name}_whole ${CMAKE_BINARY_DIR}/exports.txt
      COMMENT "Keep the public names of libsuperstep.a" VERBATIM)
  set_source_files_properties(${object} PROPERTIES
      EXTERNAL_OBJECT TRUE GENERATED TRUE)
  add_library(${name} STATIC ${object})
endfunction()
