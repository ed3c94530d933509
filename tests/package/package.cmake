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

# A program and the library it is linked with have one registry, or are not linked.
if(NOT PROXIMA_ENTT_INSTALLED AND NOT PROXIMA_SANITIZE)
    add_test(NAME "package: a file compiled with another registry is not linked"
             COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_CURRENT_LIST_DIR}/registry_mix.cpp
                     -D BUILT_IN=${PROJECT_SOURCE_DIR}/third_party/entt_subset
                     -D "INCLUDES=${PROJECT_SOURCE_DIR}" -D LIBRARIES=$<TARGET_FILE:proxima_engine>
                     -D COMPILER=${CMAKE_CXX_COMPILER} -D FOLDER=${PROJECT_BINARY_DIR}/registry_mix
                     -P ${CMAKE_CURRENT_LIST_DIR}/registry_mix.cmake)
    set_tests_properties("package: a file compiled with another registry is not linked" PROPERTIES LABELS quick TIMEOUT 120)
endif()
