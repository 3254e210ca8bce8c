# What `cmake --install` gives.
get_property(programs GLOBAL PROPERTY SS_PROGRAMS)
if(programs)
  install(TARGETS ${programs} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
foreach(folder worker/include client/include)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${folder}/
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
endforeach()
