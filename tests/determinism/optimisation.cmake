# SPDX-License-Identifier: MIT
# The same bits at every optimisation level, and with AVX2 in all code or only in the kernels that are picked at run time.
# hash_build is linked with the libraries of an optimised build; the others are made from the same sources with their
# own flags behind the build's. Unoptimised builds have no second level to compare with.
if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo)$" AND CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang" AND NOT PROXIMA_SANITIZE)
    get_target_property(hash_engine proxima_engine SOURCES)
    get_target_property(hash_physics proxima_physics SOURCES)
    # What computes nothing of a step of these scenes comes from the library, because it is slow to compile: the interface of
    # worlds, owners' snapshots, the laboratory, files, plots; of the engine all that only carries the work.
    list(FILTER hash_physics EXCLUDE REGEX
         "physics/(solvers|solve/general|scene|query|debug|state)/|physics/(world[a-z_]*|simulation|check_input|report|settings)\\.cpp$")
    list(FILTER hash_physics EXCLUDE REGEX "physics/contact/(delassus|island_matrix|problem)|_file\\.cpp$|/(capture|recording)\\.cpp$")
    list(FILTER hash_engine EXCLUDE REGEX "engine/(profile|play|ecs|jobs)/|engine/core/(assert|log|atomic_file)")
    list(FILTER hash_physics EXCLUDE REGEX "TARGET_OBJECTS")
    # Of the kernels' copies only the widest level runs where the machine has AVX2; the narrower ones come from the library.
    include(CheckCXXSourceRuns)
    check_cxx_source_runs("int main() { return __builtin_cpu_supports(\"avx2\") ? 0 : 1; }" PROXIMA_MACHINE_HAS_AVX2)
    if(PROXIMA_MACHINE_HAS_AVX2 AND TARGET proxima_physics_avx2)
        set(hash_kernels proxima_physics_avx2)
        set(hash_kernel_flags -mavx2)
    else()
        set(hash_kernels proxima_physics_kernels)
        set(hash_kernel_flags)
    endif()
    get_target_property(hash_kernels ${hash_kernels} SOURCES)

    add_executable(hash_build determinism/hash_main.cpp)
    target_link_libraries(hash_build PRIVATE proxima_scenes)
    set(hash_programs hash_build)

    # Kinds of constraints have functions of the same names.
    file(GLOB hash_kinds CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/physics/constraints/*/*_kind.cpp)
    set_source_files_properties(${hash_kinds} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

    # proxima_hash_program(name headers kernel_headers flag...): all sources again with these flags, and the precompiled headers
    # that fit.
    function(proxima_hash_program name headers kernel_headers)
        add_executable(${name} determinism/hash_main.cpp ${hash_engine} ${hash_physics})
        target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
        target_compile_definitions(${name} PRIVATE PROXIMA_WIDEST_LANES=${PROXIMA_WIDEST_LANES})
        target_compile_options(${name} PRIVATE ${PROXIMA_WARNINGS} ${ARGN} -g0)
        proxima_use_precompiled(${name} ${headers})
        proxima_compile_in_batches(${name})
        proxima_add_kernels(${name} ${name}_kernels ${hash_kernels})
        target_compile_options(${name}_kernels PRIVATE ${hash_kernel_flags} ${ARGN} -g0)
        proxima_use_precompiled(${name}_kernels ${kernel_headers})
        target_link_libraries(${name} PRIVATE proxima_flags proxima_entt glm::glm fmt::fmt spdlog::spdlog TBB::tbb
                              proxima_bullet nlohmann_json::nlohmann_json Eigen3::Eigen proxima_scenes)
        if(PROXIMA_TRACY)
            target_link_libraries(${name} PRIVATE Tracy::TracyClient)
            target_compile_definitions(${name} PRIVATE PROXIMA_TRACY=1)
        endif()
    endfunction()
    proxima_precompile(program_o0 OPTIONS -fPIE -O0)  # unoptimised code has macros of its own
    proxima_precompile_kernels(kernels_o0 ${hash_kernel_flags} -O0)
    proxima_hash_program(hash_o0 program_o0 kernels_o0 -O0)
    list(APPEND hash_programs hash_o0)
    set(hash_levels "hash_o0:at -O0")
    # AVX2 in every file needs a machine that has it when the test runs.
    if(hash_kernel_flags)
        proxima_precompile(program_avx2 OPTIONS -fPIE -mavx2)
        proxima_hash_program(hash_o3_avx2 program_avx2 kernels_avx2 -O3 -mavx2)
        list(APPEND hash_programs hash_o3_avx2)
        list(APPEND hash_levels "hash_o3_avx2:at -O3 with AVX2")
    endif()
    set_target_properties(${hash_programs} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    add_dependencies(tests_thorough ${hash_programs})

    set(compare ${CMAKE_CURRENT_LIST_DIR}/compare_output.cmake)
    foreach(level IN LISTS hash_levels)
        string(REPLACE ":" ";" level ${level})
        list(GET level 0 program)
        list(GET level 1 words)
        set(test "determinism: scenes end ${words} in the same bits as in this build")
        add_test(NAME ${test} COMMAND ${CMAKE_COMMAND} -D A=$<TARGET_FILE:${program}> -D B=$<TARGET_FILE:hash_build>
                 -D EXPECT=equal -P ${compare})
        set_tests_properties(${test} PROPERTIES LABELS thorough TIMEOUT 300)
    endforeach()
    add_test(NAME "determinism: one body one float higher changes the hash of every scene"
             COMMAND ${CMAKE_COMMAND} -D A=$<TARGET_FILE:hash_build> -D B=$<TARGET_FILE:hash_build> -D B_ARGUMENTS=--nudge
                     -D EXPECT=different -P ${compare})
    set_tests_properties("determinism: one body one float higher changes the hash of every scene"
                         PROPERTIES LABELS thorough TIMEOUT 300)
endif()
