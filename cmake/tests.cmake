# Test files to executables and ctest entries.

# What a test of any kind links: every room that exists.
function(ss_test_program target)
  cmake_parse_arguments(arg "" "" "SOURCES;SUPPORT" ${ARGN})
  get_property(rooms GLOBAL PROPERTY SS_ROOMS)
  list(REVERSE rooms)
  add_executable(${target} ${arg_SOURCES})
  set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE
      SS_TEST_BIN_DIR="${CMAKE_BINARY_DIR}/bin"
      SS_TEST_LIB_DIR="${CMAKE_BINARY_DIR}/lib"
      SS_TEST_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  ss_existing(support ${arg_SUPPORT})
  target_link_libraries(${target} PRIVATE ss_warnings ${support} ${rooms}
      PkgConfig::CHECK Threads::Threads ${CMAKE_DL_LIBS} m)
endfunction()

# Seconds until Check ends one of its tests: long ago hung, also where a test of
# five seconds shares its processor with forty others.
set(SS_CHECK_TIMEOUT 300)
if(SS_SANITIZE)
  set(SS_CHECK_TIMEOUT 1200)
endif()
set(SS_TEST_ENVIRONMENT
    "CK_DEFAULT_TIMEOUT=${SS_CHECK_TIMEOUT}"
    "SS_BIN_DIR=${CMAKE_BINARY_DIR}/bin"
    "SS_LIB_DIR=${CMAKE_BINARY_DIR}/lib"
    "SS_BUILD_DIR=${CMAKE_BINARY_DIR}"
    "SS_SOURCE_DIR=${CMAKE_SOURCE_DIR}"
    "ASAN_OPTIONS=detect_stack_use_after_return=1"
    "UBSAN_OPTIONS=print_stacktrace=1"
    "TSAN_OPTIONS=suppressions=${CMAKE_SOURCE_DIR}/tests/tsan.supp:atexit_sleep_ms=20")

# ./test gives ctest three places for each processor. Who computes takes all
# three; real processes, and peers over sockets, mostly wait for each other, and
# take one.
set(SS_COMPUTES 3)
set(SS_WAITS 1)
set(SS_WAITING contract system interop)
set(SS_PEERS "^unit\\.(client|link)\\.")

# A test's time is only there to end one that hangs: with sanitizers, and on a
# machine that does other things too, all of them take several times as long.
# Where nothing is known of an earlier run, those begin first that may take long.
function(ss_test_properties name label timeout)
  set(places ${SS_COMPUTES})
  if(label IN_LIST SS_WAITING OR name MATCHES "${SS_PEERS}")
    set(places ${SS_WAITS})
  endif()
  set(cost ${timeout})
  if(SS_SANITIZE)
    math(EXPR timeout "6 * ${timeout}")
  else()
    math(EXPR timeout "3 * ${timeout}")
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${label}" TIMEOUT ${timeout}
      PROCESSORS ${places} COST ${cost}
      SKIP_RETURN_CODE 77 ENVIRONMENT "${SS_TEST_ENVIRONMENT}"
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endfunction()

# The same test under valgrind: `./test all` asks for it.
function(ss_valgrind_test name)
  add_test(NAME valgrind.${name} COMMAND ${SS_VALGRIND_PROGRAM} --quiet
      --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite
      $<TARGET_FILE:${name}>)
  ss_test_properties(valgrind.${name} slow 900)
  set_property(TEST valgrind.${name} APPEND PROPERTY ENVIRONMENT
      CK_TIMEOUT_MULTIPLIER=8)
endfunction()

# The files of a test folder that are not tests: one library for its tests.
function(ss_test_support name folder)
  ss_files(sources ${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "_test\\.c$")
  if(sources)
    get_property(rooms GLOBAL PROPERTY SS_ROOMS)
    list(REVERSE rooms)
    add_library(${name} STATIC ${sources})
    target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PUBLIC ${rooms} PkgConfig::CHECK
        PRIVATE ss_warnings)
  endif()
endfunction()

# These have one thread, as test tidy.alone sees in their symbols: to the
# sanitizer of threads they have nothing to show, and it is not asked.
set(SS_ALONE "^(story\\.|fuzz\\.|unit\\.(base|engine|langgraph|model|owners|peer|pregel|session|wire)\\.)")
set(SS_NOT_ALONE "^story\\.(better_[a-z]+|cache|errors)$") # a store's thread

# Whether the program `name` is one of them; where it is built it is looked at.
function(ss_is_alone ret name)
  set(${ret} FALSE PARENT_SCOPE)
  if(name MATCHES "${SS_ALONE}" AND NOT name MATCHES "${SS_NOT_ALONE}")
    set(${ret} TRUE PARENT_SCOPE)
    set_property(GLOBAL APPEND PROPERTY SS_ALONE_PROGRAMS ${name})
  endif()
endfunction()

# ss_tests(PREFIX FOLDER LABEL TIMEOUT [SUPPORT target...]): every *_test.c, and
# every *_test.sh and *_test.py, which find programs by SS_BIN_DIR and so on.
# An exit status of 77 counts as skipped.
function(ss_tests prefix folder label timeout)
  cmake_parse_arguments(arg "" "" "SUPPORT" ${ARGN})
  string(MAKE_C_IDENTIFIER "ss_support_${folder}" support)
  ss_test_support(${support} ${folder})
  ss_files(tests ${folder}/*_test.c ${folder}/*_test.sh ${folder}/*_test.py)
  foreach(test IN LISTS tests)
    get_filename_component(stem ${test} NAME_WE)
    get_filename_component(kind ${test} EXT)
    string(REGEX REPLACE "_test$" "" stem ${stem})
    set(name ${prefix}.${stem})
    ss_is_alone(is_alone ${name})
    if(is_alone AND SS_SANITIZE MATCHES "thread")
      continue()
    endif()
    if(kind STREQUAL ".c")
      ss_test_program(${name} SOURCES ${test} SUPPORT ${support} ${arg_SUPPORT})
      add_test(NAME ${name} COMMAND ${name})
      if(folder MATCHES "/(worker|local|system)$") # these load applications
        ss_export(${name} ss_worker ss_session)
      endif()
      # Two that replace free(), and leave links open on purpose.
      if(SS_VALGRIND AND label MATCHES "unit|story" AND NOT SS_SANITIZE
          AND NOT name MATCHES "^unit\\.link\\.(key_file|sockets)$")
        ss_valgrind_test(${name})
      endif()
    elseif(kind STREQUAL ".py")
      add_test(NAME ${name} COMMAND ${SS_PYTHON} ${test})
    else()
      add_test(NAME ${name} COMMAND sh ${test})
    endif()
    ss_test_properties(${name} ${label} ${timeout})
  endforeach()
endfunction()

# ss_benchmarks(FOLDER): FOLDER/NAME.c is the program bench-NAME. FOLDER/graphs is
# what is measured, loaded by a worker or linked in. All of it: the target bench.
function(ss_benchmarks folder)
  ss_files(sources ${folder}/*.c)
  ss_test_support(ss_bench_graphs ${folder}/graphs)
  ss_application(bench BARE ${folder}/graphs/*.c)
  target_include_directories(app_bench PRIVATE ${CMAKE_SOURCE_DIR})
  add_custom_target(bench DEPENDS superstep superstep-coordinator
      superstep-worker app_bench)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    ss_test_program(bench-${name} SOURCES ${source}
        SUPPORT ss_support_servers ss_bench_graphs)
    set_target_properties(bench-${name} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
    add_dependencies(bench bench-${name})
  endforeach()
endfunction()

# ss_fuzz_tests(FOLDER): every FOLDER/fuzz_NAME.c. With libFuzzer it is a program
# that searches; else it replays FOLDER/corpus/NAME, as a test.
function(ss_fuzz_tests folder)
  ss_files(sources ${folder}/fuzz_*.c)
  add_custom_target(fuzz)
  foreach(source IN LISTS sources)
    get_filename_component(name ${source} NAME_WE)
    string(REGEX REPLACE "^fuzz_" "" stem ${name})
    set(corpus ${CMAKE_SOURCE_DIR}/${folder}/corpus/${stem})
    ss_is_alone(is_alone fuzz.${stem})
    if(is_alone AND SS_SANITIZE MATCHES "thread")
      continue()
    endif()
    if(SS_FUZZ)
      ss_test_program(fuzz.${stem} SOURCES ${source})
      target_link_options(fuzz.${stem} PRIVATE -fsanitize=fuzzer)
      add_test(NAME fuzz.${stem} COMMAND fuzz.${stem} -runs=0 ${corpus})
    else()
      ss_test_program(fuzz.${stem}
          SOURCES ${source} ${CMAKE_SOURCE_DIR}/${folder}/replay.c)
      add_test(NAME fuzz.${stem} COMMAND fuzz.${stem} ${corpus})
    endif()
    add_dependencies(fuzz fuzz.${stem})
    ss_test_properties(fuzz.${stem} fuzz 120)
  endforeach()
endfunction()
