# SPDX-License-Identifier: MIT
# The conventions of the code as tests: what may include what, headers alone, format, licence lines, scripts.

proxima_test(conventions LABEL quick FOLDERS tests/conventions)

# ---- every header compiles alone ------------------------------------------------------------------------
# A header with a source file beside it is the first include of that file (check_first_includes in writing.h), so the library that compiles
# the file has shown that the header needs nothing before it. Every other header gets a translation unit, which includes it
# twice: a missing include and a missing `#pragma once` both fail the build. The headers of libraries are precompiled here as
# everywhere: a library's header that is missing shows in the presets `debug` and `clang`, one of ours in every preset. That is a
# tenth of what compiling all tests takes, and belongs to the nightly ones.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}
     ${PROJECT_SOURCE_DIR}/engine/*.h ${PROJECT_SOURCE_DIR}/physics/*.h ${PROJECT_SOURCE_DIR}/compute/*.h
     ${PROJECT_SOURCE_DIR}/render/*.h ${PROJECT_SOURCE_DIR}/samples/*.h ${PROJECT_SOURCE_DIR}/tests/*.h)
if(NOT PROXIMA_TOOL)
    list(FILTER headers EXCLUDE REGEX "^samples/tool/")
endif()
if(NOT PROXIMA_GPU)
    list(FILTER headers EXCLUDE REGEX "^(engine/gpu|compute|render/passes|samples/bench/gpu|tests/gpu|tests/render)/|^render/renderer")
endif()
if(NOT PROXIMA_WINDOW)
    list(FILTER headers EXCLUDE REGEX "^(engine|tests)/window/")
endif()
if(NOT TARGET proxima_pictures)
    list(FILTER headers EXCLUDE REGEX "^samples/pictures/")
endif()
if(NOT TARGET proxima_shell)
    list(FILTER headers EXCLUDE REGEX "^(samples|tests)/shell/|^samples/play/")
endif()
set(units)
foreach(header IN LISTS headers)
    string(REGEX REPLACE "\\.h$" ".cpp" source ${header})
    if(EXISTS ${PROJECT_SOURCE_DIR}/${source})
        continue()
    endif()
    string(REGEX REPLACE "[/.]" "_" name ${header})
    set(unit ${PROJECT_BINARY_DIR}/header_checks/${name}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "#include \"${header}\"\n#include \"${header}\"  // again\n")
    list(APPEND units ${unit})
endforeach()
add_library(header_checks OBJECT ${units})
target_compile_options(header_checks PRIVATE ${PROXIMA_WARNINGS} $<$<CXX_COMPILER_ID:GNU,Clang>:-g0>)
target_compile_definitions(header_checks PRIVATE PROXIMA_SOURCE_DIR="${PROJECT_SOURCE_DIR}" PROXIMA_BINARY_DIR="${PROJECT_BINARY_DIR}")
target_link_libraries(header_checks PRIVATE proxima_scenes proxima_bullet nlohmann_json::nlohmann_json doctest::doctest)
if(PROXIMA_GPU)
    target_link_libraries(header_checks PRIVATE proxima_compute proxima_renderer)
endif()
if(PROXIMA_TOOL)
    target_link_libraries(header_checks PRIVATE CLI11::CLI11)
endif()
if(TARGET proxima_shell)
    target_link_libraries(header_checks PRIVATE proxima_shell)
endif()
proxima_use_precompiled(header_checks library)
add_dependencies(tests_nightly header_checks)

# ---- the program that the README prints --------------------------------------------------------------------
# That its text is the one in the README is a test of writing_test.cpp; here it runs, and the box comes to rest.
if(TARGET hello)
    add_test(NAME "conventions: the program in the README drops a box and prints its height" COMMAND hello)
    set_tests_properties("conventions: the program in the README drops a box and prints its height"
        PROPERTIES LABELS quick TIMEOUT 60 PASS_REGULAR_EXPRESSION "0\\.50 s  height 1\\.7.*1\\.50 s  height 0\\.(499|500) m")
    add_dependencies(tests_quick hello)
endif()

# ---- checks that need a shell -----------------------------------------------------------------------------
find_program(PROXIMA_BASH bash)
if(PROXIMA_BASH)
    add_test(NAME "conventions: sources are formatted as .clang-format says"
             COMMAND ${PROXIMA_BASH} ${PROJECT_SOURCE_DIR}/scripts/format.sh --check)
    add_test(NAME "conventions: the scripts say in one sentence what a machine lacks"
             COMMAND ${PROXIMA_BASH} ${PROJECT_SOURCE_DIR}/tests/conventions/scripts_test.sh)
    set_tests_properties("conventions: sources are formatted as .clang-format says"
                         "conventions: the scripts say in one sentence what a machine lacks"
                         PROPERTIES LABELS quick TIMEOUT 300 SKIP_RETURN_CODE 77)
endif()

# ---- Tracy that is asked for and not there -----------------------------------------------------------------
set(name "conventions: a Tracy that is not there ends the configuration with a sentence")
add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -D CMAKE_DISABLE_FIND_PACKAGE_Tracy=ON -D TRACY_ROOT=/no/such/folder
                              -P ${PROJECT_SOURCE_DIR}/third_party/cmake/ProximaTracy.cmake)
set_tests_properties(${name} PROPERTIES LABELS quick TIMEOUT 60
    PASS_REGULAR_EXPRESSION "neither installed nor at TRACY_ROOT.*/no/such/folder.*-DTRACY_ROOT=.*trace[ \n]+files")
