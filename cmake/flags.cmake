# How everything is compiled.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
# No NDEBUG anywhere: checks stay on in what users get. A sanitizer tells lines
# and functions, and needs no more; the rest only makes its builds slower.
set(debug -g)
if(SS_SANITIZE)
  set(debug -g1)
endif()
set(CMAKE_C_FLAGS_DEBUG "${debug} -O1 -fno-omit-frame-pointer")
set(CMAKE_C_FLAGS_RELEASE "-g -O2 -fstack-protector-strong")

add_compile_definitions(_POSIX_C_SOURCE=200809L)

add_library(ss_warnings INTERFACE)
target_compile_options(ss_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wswitch-enum -Wimplicit-fallthrough)
# Texts are cut at their size on purpose; gcc alone warns of it.
target_compile_options(ss_warnings INTERFACE
    $<$<C_COMPILER_ID:GNU>:-Wno-format-truncation>)
if(SS_WERROR)
  target_compile_options(ss_warnings INTERFACE -Werror)
endif()

if(SS_SANITIZE)
  add_compile_options(-fsanitize=${SS_SANITIZE} -fno-sanitize-recover=all
      -U_FORTIFY_SOURCE)
  add_link_options(-fsanitize=${SS_SANITIZE})
elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
  # Some distributions define it already, with another value.
  add_compile_options(-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  add_link_options(-Wl,-z,relro,-z,now)
endif()
# With the tests more than two hundred programs are linked: by the fastest that
# is here. What users get is linked by what their compiler takes.
set(SS_LINKERS mold lld gold CACHE STRING "For tests: the first that works")
if(SS_TESTS AND NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  include(CheckLinkerFlag)
  foreach(linker IN LISTS SS_LINKERS)
    check_linker_flag(C -fuse-ld=${linker} SS_LINKS_WITH_${linker})
    if(SS_LINKS_WITH_${linker})
      add_link_options(-fuse-ld=${linker})
      break()
    endif()
  endforeach()
endif()
# A release is optimised over all files as one: some 7 % less time of a run in
# process and of a coordinator's superstep (docs/performance.md). The build takes
# three times as long, so who only looks for warnings turns it off.
option(SS_LTO "Optimise a release over all files as one (gcc)" ON)
if(SS_LTO AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT SS_SANITIZE AND
   NOT SS_COVERAGE AND CMAKE_C_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-flto=auto)
  add_link_options(-flto=auto)
endif()
# Objects hold both forms, also where a packager's flags bring -flto: what is
# compiled goes into libsuperstep.a, for whoever links it with another compiler.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  add_compile_options(-ffat-lto-objects)
endif()
if(SS_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()
if(SS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# These files see GNU extensions beside POSIX.
function(ss_gnu_sources)
  foreach(file IN LISTS ARGN)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/${file} PROPERTIES
        COMPILE_DEFINITIONS _GNU_SOURCE)
  endforeach()
endfunction()
