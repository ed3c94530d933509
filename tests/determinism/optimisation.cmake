# SPDX-License-Identifier: MIT
# The same bits at -O0 and -O2. hash_o2 is linked with the libraries of an optimised build; hash_o0 is made from the same
# sources with -O0 behind the build's own flags. Unoptimised builds have no second level to compare with.
if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT PROXIMA_SANITIZE)
    proxima_collect(hash_scenes samples/scenes)
    get_target_property(hash_engine proxima_engine SOURCES)
    get_target_property(hash_physics proxima_physics SOURCES)

    add_executable(hash_o2 determinism/hash_main.cpp)
    target_link_libraries(hash_o2 PRIVATE proxima_scenes)
    add_executable(hash_o0 determinism/hash_main.cpp ${hash_engine} ${hash_physics} ${hash_scenes})
    target_include_directories(hash_o0 PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(hash_o0 PRIVATE -O0 -g0)
    target_link_libraries(hash_o0 PRIVATE proxima_flags proxima_entt glm::glm fmt::fmt spdlog::spdlog TBB::tbb proxima_bullet
                          nlohmann_json::nlohmann_json)
    if(PROXIMA_TRACY)
        target_link_libraries(hash_o0 PRIVATE Tracy::TracyClient)
        target_compile_definitions(hash_o0 PRIVATE PROXIMA_TRACY=1)
    endif()
    set_target_properties(hash_o0 hash_o2 PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    add_dependencies(tests_thorough hash_o0 hash_o2)

    set(compare ${CMAKE_CURRENT_LIST_DIR}/compare_output.cmake)
    add_test(NAME "determinism: scenes end in the same bits at -O0 and -O2"
             COMMAND ${CMAKE_COMMAND} -D A=$<TARGET_FILE:hash_o0> -D B=$<TARGET_FILE:hash_o2> -D EXPECT=equal -P ${compare})
    add_test(NAME "determinism: one body one float higher changes the hash of every scene"
             COMMAND ${CMAKE_COMMAND} -D A=$<TARGET_FILE:hash_o2> -D B=$<TARGET_FILE:hash_o2> -D B_ARGUMENTS=--nudge
                     -D EXPECT=different -P ${compare})
    set_tests_properties("determinism: scenes end in the same bits at -O0 and -O2"
                         "determinism: one body one float higher changes the hash of every scene"
                         PROPERTIES LABELS thorough TIMEOUT 300)
endif()
