# SPDX-License-Identifier: MIT
# The headers of libraries that nearly every file includes, compiled once: they are half of what a file costs. Only
# libraries' headers, and the one that gives GLM its switches: whatever of ours is touched, this is not made again, and
# ccache finds the files that were compiled with it.
# Only for g++, whose precompiled headers fit all levels of optimisation but -O0. What a file forgets to include shows in
# builds without: the presets `debug` and `clang`.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(PROXIMA_PRECOMPILED_DEFAULT ${PROJECT_IS_TOP_LEVEL})
else()
    set(PROXIMA_PRECOMPILED_DEFAULT OFF)
endif()
option(PROXIMA_PRECOMPILED "Compile the headers of libraries once (g++)" ${PROXIMA_PRECOMPILED_DEFAULT})

set(PROXIMA_PRECOMPILED_HEADERS
    <algorithm> <array> <atomic> <bit> <chrono> <cmath> <cstddef> <cstdint> <cstdio> <cstring> <filesystem> <functional>
    <limits> <map> <memory> <numeric> <optional> <span> <string> <string_view> <unordered_map> <utility> <vector>
    <engine/core/math.h> <entt/entt.hpp> <fmt/format.h>)

# proxima_precompile(name flag...): target proxima_headers_<name>, whose precompiled headers fit targets with these flags.
function(proxima_precompile name)
    if(NOT PROXIMA_PRECOMPILED)
        return()
    endif()
    set(unit ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "// Nothing: what counts are the headers that were compiled for it.\n")
    add_library(proxima_headers_${name} OBJECT ${unit})
    target_include_directories(proxima_headers_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(proxima_headers_${name} PRIVATE ${PROXIMA_WARNINGS} ${ARGN})  # -Wpedantic changes macros
    target_link_libraries(proxima_headers_${name} PRIVATE proxima_flags proxima_entt glm::glm fmt::fmt)
    target_precompile_headers(proxima_headers_${name} PRIVATE ${PROXIMA_PRECOMPILED_HEADERS})
endfunction()

# proxima_use_precompiled(target name): where flags turn out not to fit, g++ says so and reads the headers as ever.
function(proxima_use_precompiled target name)
    if(TARGET proxima_headers_${name})
        target_precompile_headers(${target} REUSE_FROM proxima_headers_${name})
        # With precompiled headers g++ 12 no longer knows that code of the standard library is not ours to be warned about.
        target_compile_options(${target} PRIVATE -Wno-error=invalid-pch -Wno-array-bounds -Wno-stringop-overflow)
    endif()
endfunction()

proxima_precompile(library)
proxima_precompile(program -fPIE)
