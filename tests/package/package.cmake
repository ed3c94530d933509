# SPDX-License-Identifier: MIT
# Installs the libraries into a folder of the build tree and builds a project of its own against them. A sanitized library
# asks its user for the same sanitizer, which an installed package does not promise; so not there.
if(PROXIMA_INSTALL AND NOT PROXIMA_SANITIZE)
    add_dependencies(tests_thorough proxima_physics)
    add_test(NAME "package: an installed proxima is found and used by another project"
             COMMAND ${CMAKE_COMMAND} -D BUILD_TREE=${PROJECT_BINARY_DIR} -D CONSUMER=${CMAKE_CURRENT_LIST_DIR}/consumer
                     -D GENERATOR=${CMAKE_GENERATOR} -D COMPILER=${CMAKE_CXX_COMPILER} -D BUILD_TYPE=$<CONFIG>
                     -P ${CMAKE_CURRENT_LIST_DIR}/use_installed.cmake)
    set_tests_properties("package: an installed proxima is found and used by another project"
                         PROPERTIES LABELS thorough TIMEOUT 300)
endif()
