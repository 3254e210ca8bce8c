# Which folders hold tests, how their names begin, and how long each may take.
find_program(SS_PYTHON NAMES python3 REQUIRED)
if(SS_VALGRIND)
  find_program(SS_VALGRIND_PROGRAM NAMES valgrind REQUIRED)
endif()

ss_tests(story tests/stories story 240)

ss_test_support(ss_support_servers tests/support)

# The machine's tests share a bench with the engine's, which are told in the
# stories' world.
ss_tests(unit.pregel tests/unit/pregel unit 120
    SUPPORT ss_support_tests_stories)
ss_files(folders tests/unit/*)
list(REMOVE_ITEM folders ${CMAKE_SOURCE_DIR}/tests/unit/pregel)
foreach(path IN LISTS folders)
  if(IS_DIRECTORY ${path})
    get_filename_component(folder ${path} NAME)
    set(support)
    if(folder STREQUAL "engine")
      set(support SUPPORT ss_support_tests_unit_pregel
          ss_support_tests_stories)
    elseif(folder STREQUAL "coordinator")
      set(support SUPPORT ss_support_servers)
    endif()
    ss_tests(unit.${folder} tests/unit/${folder} unit 120 ${support})
  endif()
endforeach()

# A machine that has no more threads.
foreach(name worker.host coordinator.lease_keeper)
    target_link_options(unit.${name} PRIVATE LINKER:--wrap=pthread_create)
endforeach()

ss_tests(contract tests/contract contract 240 SUPPORT ss_support_servers)
if(SS_SANITIZE MATCHES "thread")
  # Their helpers are threads; begun in a forked test this instrument loses them.
  set_property(TEST contract.cluster_lease contract.store_begin
      contract.store_fence contract.store_outage contract.store_postgres
      APPEND PROPERTY ENVIRONMENT CK_FORK=no)
endif()
# Some of the allocations each time, all of them where it may take long.
ss_tests(torture tests/torture torture 240 SUPPORT ss_support_tests_stories)
add_test(NAME torture.all COMMAND torture.allocations)
ss_test_properties(torture.all slow 1200)
set_property(TEST torture.all APPEND PROPERTY ENVIRONMENT SS_TORTURE=all)
ss_tests(system tests/system system 290)
if(SS_SANITIZE OR SS_COVERAGE) # it builds what users get, not this
  set_property(TEST system.path_with_space APPEND PROPERTY LABELS slow)
endif()
ss_tests(interop tests/interop interop 600)
add_test(NAME system.cluster_many COMMAND ${SS_PYTHON}
    ${CMAKE_SOURCE_DIR}/tests/system/cluster_test.py
    one_of_three_is_killed_and_all_runs_finish)
ss_test_properties(system.cluster_many slow 600)
set_property(TEST system.cluster_many APPEND PROPERTY ENVIRONMENT SS_RUNS=1000)
# Everything that can go wrong with real processes, for a minute.
add_test(NAME system.torment COMMAND ${SS_PYTHON}
    ${CMAKE_SOURCE_DIR}/tests/system/torment/torment.py --seconds 60)
ss_test_properties(system.torment slow 300)
# From the version of before, which is built for it, to this one.
add_test(NAME system.upgrade COMMAND ${SS_PYTHON}
    ${CMAKE_SOURCE_DIR}/tests/system/upgrade/upgrade.py)
ss_test_properties(system.upgrade system 300)
set_property(TEST system.upgrade APPEND PROPERTY LABELS slow)
ss_fuzz_tests(tests/fuzz)

# The player of scenarios. In its own process the scenarios' application is
# linked in, elsewhere it is loaded.
set(SS_CONFORMANCE_DIR ${CMAKE_SOURCE_DIR}/tests/conformance/corpus CACHE PATH
    "A folder of scenarios, beside those in tests/conformance/found")
ss_files(sources tests/conformance/*.c tests/conformance/app/*.c)
list(REMOVE_ITEM sources ${CMAKE_SOURCE_DIR}/tests/conformance/main.c)
add_library(ss_conformance STATIC ${sources})
target_include_directories(ss_conformance PUBLIC ${CMAKE_SOURCE_DIR})
get_property(rooms GLOBAL PROPERTY SS_ROOMS)
list(REVERSE rooms)
target_link_libraries(ss_conformance PUBLIC ${rooms} PRIVATE ss_warnings)
ss_test_program(conformance SOURCES tests/conformance/main.c
    SUPPORT ss_conformance ss_support_servers)
set_target_properties(conformance PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
ss_tests(unit.conformance tests/conformance/unit unit 120
    SUPPORT ss_conformance)

# ss_scenarios(MODE STORE LABEL TIMEOUT)
function(ss_scenarios mode store label timeout)
  set(name conformance.${mode}.${store})
  add_test(NAME ${name} COMMAND conformance --mode ${mode} --store ${store}
      --differences tests/conformance/differences.json
      ${SS_CONFORMANCE_DIR} tests/conformance/found)
  ss_test_properties(${name} ${label} ${timeout})
endfunction()
ss_scenarios(local memory conformance 240)
ss_scenarios(local sqlite conformance 240)
ss_scenarios(distributed memory conformance 290)
ss_scenarios(distributed sqlite slow 600)
add_test(NAME conformance.drawn COMMAND ${SS_PYTHON}
    tests/conformance/reference/draw_test.py)
ss_test_properties(conformance.drawn slow 900)
if(PQ_FOUND)
  ss_scenarios(distributed postgres slow 900)
endif()

# The simulator: many seeds, one thread each. Optimised in every preset that
# finds no faults of its own: what it costs decides how many seeds are run.
ss_files(sources tests/sim/*.c)
ss_gnu_sources(tests/sim/pool.c tests/sim/fiber.c tests/sim/line.c
    tests/sim/postgres_side.c) # mmap() of nothing, ucontext, memmem()
if(SS_SANITIZE)
  list(FILTER sources EXCLUDE REGEX "sim/pool")
endif()
ss_test_program(sim SOURCES ${sources} SUPPORT ss_support_servers)
set_target_properties(sim PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT SS_SANITIZE AND NOT SS_COVERAGE)
  target_compile_options(sim PRIVATE -O2)
endif()
if(NOT SS_SIM_SEEDS)
  if(SS_SANITIZE OR SS_COVERAGE)
    set(SS_SIM_SEEDS 1:200)
  else()
    set(SS_SIM_SEEDS 1:2000)
  endif()
endif()
# That both lives of a seed are the same is looked at for each tenth: what breaks
# it breaks it for most of them.
add_test(NAME sim.seeds COMMAND sim --seeds ${SS_SIM_SEEDS} --twice 10 --jobs 2
    --keep-going)
ss_test_properties(sim.seeds sim 290)
# The same on real databases, which take longer.
if(SS_SANITIZE OR SS_COVERAGE)
  set(SS_SIM_FILES 1:20)
else()
  set(SS_SIM_FILES 1:150)
endif()
add_test(NAME sim.sqlite COMMAND sim --store sqlite --seeds ${SS_SIM_FILES}
    --twice 10 --jobs 2)
ss_test_properties(sim.sqlite sim 290)
if(NOT SS_SANITIZE AND NOT SS_COVERAGE)
  add_test(NAME sim.postgres COMMAND sim --store postgres --seeds 1:20 --jobs 2)
  ss_test_properties(sim.postgres sim 290)
endif()

# Each has two threads, which compute; beside them two tests that wait have room.
math(EXPR places "2 * (${SS_COMPUTES} - ${SS_WAITS})")
foreach(name sim.seeds sim.sqlite sim.postgres)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES PROCESSORS ${places})
  endif()
endforeach()

# The source itself, and the archives of the pure floors.
add_test(NAME tidy.floors COMMAND ${SS_PYTHON} tests/tidy/tidy.py .)
ss_test_properties(tidy.floors tidy 60)
add_test(NAME tidy.planted COMMAND ${SS_PYTHON} tests/tidy/planted_test.py)
ss_test_properties(tidy.planted tidy 120)
if(NOT SS_SANITIZE AND NOT SS_COVERAGE)
  add_test(NAME tidy.rooms COMMAND ${SS_PYTHON} tests/tidy/rooms.py
      $<TARGET_FILE:ss_pregel> $<TARGET_FILE:ss_engine> .)
  ss_test_properties(tidy.rooms tidy 60)
endif()
if(PQ_FOUND AND NOT SS_SANITIZE AND NOT SS_COVERAGE)
  add_test(NAME tidy.used COMMAND ${SS_PYTHON} tests/tidy/used.py
      ${CMAKE_BINARY_DIR} .)
  ss_test_properties(tidy.used tidy 60)
endif()
add_test(NAME tidy.format COMMAND ${SS_PYTHON} tests/tidy/format.py .)
ss_test_properties(tidy.format tidy 120)
add_test(NAME tidy.rules COMMAND ${SS_PYTHON} tests/tidy/rules.py .)
ss_test_properties(tidy.rules tidy 60)
add_test(NAME tidy.ci COMMAND bash tests/tidy/ci_stage_test.sh)
ss_test_properties(tidy.ci tidy 60)
add_test(NAME tidy.glossary COMMAND ${SS_PYTHON} tests/tidy/glossary.py .)
ss_test_properties(tidy.glossary tidy 60)
add_test(NAME tidy.lint COMMAND ${SS_PYTHON} tests/tidy/lint_test.py)
ss_test_properties(tidy.lint tidy 60)
add_test(NAME tidy.instructions COMMAND ${SS_PYTHON}
    tests/instructions/compare_test.py)
ss_test_properties(tidy.instructions tidy 60)
add_test(NAME tidy.mutate COMMAND ${SS_PYTHON} tests/mutate/mutate.py --compile)
ss_test_properties(tidy.mutate tidy 120)
add_test(NAME tidy.hunt COMMAND ${SS_PYTHON} tests/mutate/hunt_test.py)
ss_test_properties(tidy.hunt tidy 60)
add_test(NAME tidy.promises COMMAND ${SS_PYTHON}
    tests/mutate/promises_test.py)
ss_test_properties(tidy.promises tidy 60)
add_test(NAME tidy.patch COMMAND ${SS_PYTHON} tests/mutate/patch_test.py)
ss_test_properties(tidy.patch tidy 60)

# ss_pure_test(TARGET [REGEX]): what it may need beside libc's pure part.
function(ss_pure_test target)
  if(TARGET ${target} AND NOT SS_SANITIZE AND NOT SS_COVERAGE)
    string(REPLACE "ss_" "" room ${target})
    add_test(NAME tidy.pure.${room} COMMAND sh tests/tidy/pure.sh
        $<TARGET_FILE:${target}> ${ARGN})
    ss_test_properties(tidy.pure.${room} tidy 60)
  endif()
endfunction()
ss_pure_test(ss_base
    "malloc|realloc|free|(__)?fprintf(_chk)?|stderr|nettle_(sha1|base64)_[a-z_]*")
ss_pure_test(ss_model "json(p?)_[a-z_]*|XXH[A-Za-z0-9_]*")
ss_pure_test(ss_engine "json_[a-z_]*")
ss_pure_test(ss_owners)
ss_pure_test(ss_job)
ss_pure_test(ss_core "json_[a-z_]*")
ss_pure_test(ss_session "json_[a-z_]*")
ss_pure_test(ss_talk "json_[a-z_]*")
ss_pure_test(ss_langgraph "json_[a-z_]*")
ss_pure_test(ss_wire
    "json_[a-z_]*|protobuf_c_[a-z_]*|superstep__[a-z0-9_]*|__assert_fail")

# What the sanitizer of threads is not asked about has no threads.
get_property(programs GLOBAL PROPERTY SS_ALONE_PROGRAMS)
if(NOT SS_SANITIZE AND NOT SS_COVERAGE)
  list(TRANSFORM programs REPLACE "(.+)" "$<TARGET_FILE:\\1>")
  add_test(NAME tidy.alone COMMAND sh tests/tidy/alone.sh
      $<TARGET_FILE:unit.worker.host> ${programs})
  ss_test_properties(tidy.alone tidy 60)
endif()

# What is written for people: pages made from the source are as it says.
add_test(NAME docs.reference COMMAND ${SS_PYTHON} tools/reference.py --check)
ss_test_properties(docs.reference docs 60)
if(NOT SS_SANITIZE AND NOT SS_COVERAGE) # it links programs of its own
  add_test(NAME docs.tutorial COMMAND ${SS_PYTHON} tools/tutorial.py)
  ss_test_properties(docs.tutorial docs 120)
  add_test(NAME docs.for_langgraph_users COMMAND ${SS_PYTHON}
      tools/tutorial.py docs/for-langgraph-users.md)
  ss_test_properties(docs.for_langgraph_users docs 60)
  # both start `superstep dev` where users do
  set_tests_properties(docs.tutorial docs.for_langgraph_users PROPERTIES
      RESOURCE_LOCK the_port_of_dev)
endif()
add_test(NAME docs.links COMMAND ${SS_PYTHON} tools/links.py)
ss_test_properties(docs.links docs 60)

# Long ones: each begins early, and no processor is left alone with it.
set_tests_properties(system.silent system.cluster system.writes_first
    unit.client.dev PROPERTIES COST 1000)
if(TEST story.crash) # the sanitizer of threads is not asked about them
  set_tests_properties(story.crash PROPERTIES COST 2000)
  set_tests_properties(story.limits unit.engine.growth PROPERTIES COST 1000)
endif()
# Its two sides are processes, of which one waits for the other.
set_tests_properties(conformance.distributed.memory PROPERTIES
    PROCESSORS ${SS_WAITS} COST 1000)
# It lets a lease run out.
set_tests_properties(unit.coordinator.long_turn PROPERTIES
    PROCESSORS ${SS_WAITS} COST 1000)
