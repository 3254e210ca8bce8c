# Which folders hold tests, how their names begin, and how long each may take.
find_program(SS_PYTHON NAMES python3 REQUIRED)
if(SS_VALGRIND)
  find_program(SS_VALGRIND_PROGRAM NAMES valgrind REQUIRED)
endif()

ss_files(folders tests/unit/*)
foreach(path IN LISTS folders)
  if(IS_DIRECTORY ${path})
    get_filename_component(folder ${path} NAME)
    ss_tests(unit.${folder} tests/unit/${folder} unit 120)
  endif()
endforeach()

ss_tests(story tests/stories story 240)
ss_tests(contract tests/contract contract 240)
ss_tests(torture tests/torture slow 600 SUPPORT ss_support_tests_stories)
ss_tests(system tests/system system 290)

if(EXISTS ${CMAKE_SOURCE_DIR}/tests/conformance/main.c)
  ss_files(sources tests/conformance/*.c)
  ss_test_program(conformance SOURCES ${sources})
  set_target_properties(conformance PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  ss_export(conformance ss_worker ss_session)
endif()
