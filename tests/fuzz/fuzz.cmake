# SPDX-License-Identifier: MIT
# The fuzzers: generators as a library, a test with fixed seeds, a program that runs other cases by hand, and with PROXIMA_FUZZ
# the same generators driven by libFuzzer (clang only; preset fuzz).
proxima_library(fuzz FOLDERS tests/fuzz)
target_link_libraries(proxima_fuzz PUBLIC proxima_scenes proxima_editor_model)
proxima_test(fuzz LABEL thorough FOLDERS tests/fuzz/seeds LIBRARIES proxima_fuzz)

# proxima_fuzz_program(name file): one program of tests/fuzz/targets
function(proxima_fuzz_program name file)
    add_executable(${name} ${PROJECT_SOURCE_DIR}/tests/fuzz/targets/${file})
    target_compile_options(${name} PRIVATE ${PROXIMA_WARNINGS})
    target_link_libraries(${name} PRIVATE proxima_fuzz)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()
proxima_fuzz_program(fuzz_replay replay_main.cpp)
add_dependencies(tests_thorough fuzz_replay)

if(PROXIMA_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "PROXIMA_FUZZ needs clang, which brings libFuzzer: use the preset fuzz, or CMAKE_CXX_COMPILER=clang++.")
    endif()
    # Everything is instrumented, only the targets have libFuzzer's main().
    target_compile_options(proxima_flags INTERFACE $<BUILD_INTERFACE:-fsanitize=fuzzer-no-link>)
    add_custom_target(fuzzers)
    function(proxima_fuzzer name file)
        proxima_fuzz_program(fuzz_${name} ${file})
        target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
        add_dependencies(fuzzers fuzz_${name})
    endfunction()
    proxima_fuzzer(api fuzz_api.cpp)
    proxima_fuzzer(snapshot fuzz_snapshot.cpp)
    foreach(fuzzer "scene:\"scene\"" "problem:\"problem\",\"dump\"" "recording:\"recording\"" "mesh:\"obj\",\"gltf\",\"glb\"")
        string(REGEX MATCH "^[a-z]+" name ${fuzzer})
        string(REGEX REPLACE "^[a-z]+:" "" kinds ${fuzzer})
        proxima_fuzzer(${name} fuzz_file.cpp)
        target_compile_definitions(fuzz_${name} PRIVATE "PROXIMA_FUZZ_KINDS=${kinds}")
    endforeach()
endif()
