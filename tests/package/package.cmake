# SPDX-License-Identifier: MIT
# Installs the libraries into a folder of the build tree and builds projects of their own against them: the shortest one, and a
# game. A sanitized library asks its user for the same sanitizer, which an installed package does not promise; so not there.
if(PROXIMA_INSTALL AND NOT PROXIMA_SANITIZE)
    add_dependencies(tests_thorough proxima_physics)
    set(use_installed ${CMAKE_COMMAND} -D BUILD_TREE=${PROJECT_BINARY_DIR} -D GENERATOR=${CMAKE_GENERATOR}
                      -D COMPILER=${CMAKE_CXX_COMPILER} -D BUILD_TYPE=$<CONFIG>)
    set(script -P ${CMAKE_CURRENT_LIST_DIR}/use_installed.cmake)
    set(game ${PROJECT_SOURCE_DIR}/samples/outside_game)
    set(name "package: an installed proxima is found and used by another project")
    add_test(NAME ${name} COMMAND ${use_installed} -D CONSUMER=${CMAKE_CURRENT_LIST_DIR}/consumer ${script})
    set_tests_properties(${name} PROPERTIES LABELS thorough TIMEOUT 300)
    set(name "package: a game that has only the installed proxima does all its tasks")
    add_test(NAME ${name} COMMAND ${use_installed} -D CONSUMER=${game} ${script})
    set_tests_properties(${name} PROPERTIES LABELS thorough TIMEOUT 300)

    # Once more with the other registry, where EnTT is installed: that takes a Proxima of its own.
    if(PROXIMA_ENTT_INSTALLED)
        set(builtin_entt ON)
    else()
        set(builtin_entt OFF)
    endif()
    set(name "package: the game does its tasks with the other registry too")
    add_test(NAME ${name} COMMAND ${use_installed} -D CONSUMER=${game} -D SOURCE=${PROJECT_SOURCE_DIR}
                                  -D BUILTIN_ENTT=${builtin_entt} ${script})
    set_tests_properties(${name} PROPERTIES LABELS nightly TIMEOUT 3600 SKIP_REGULAR_EXPRESSION "skipped: no EnTT")
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
