# What Debian's policy wants of the files of each package, when they lie where
# cpack packs them: a changelog beside the licence, and that and the man pages
# compressed.
set(share ${CPACK_TEMPORARY_DIRECTORY}/*${CPACK_PACKAGING_INSTALL_PREFIX}/share)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(GLOB licences ${share}/doc/*/copyright)
foreach(licence IN LISTS licences)
  get_filename_component(folder ${licence} DIRECTORY)
  get_filename_component(package ${folder} NAME)
  file(WRITE ${folder}/changelog "${package} (${CPACK_PACKAGE_VERSION}) \
unstable; urgency=medium\n\n  * Version ${CPACK_PACKAGE_VERSION}, as it was \
built.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${now}\n")
endforeach()
file(GLOB texts ${share}/doc/*/changelog ${share}/man/man1/*.1)
if(texts)
  execute_process(COMMAND gzip -9nf ${texts} COMMAND_ERROR_IS_FATAL ANY)
endif()
