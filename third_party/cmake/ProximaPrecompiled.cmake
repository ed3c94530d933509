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

# proxima_precompile(name [HEADERS header... LIBRARIES target...] [OPTIONS flag...]): target proxima_headers_<name>, whose
# precompiled headers fit targets with these flags; without HEADERS those above. g++ wants the same definitions too.
function(proxima_precompile name)
    if(NOT PROXIMA_PRECOMPILED)
        return()
    endif()
    cmake_parse_arguments(ARG "" "" "HEADERS;LIBRARIES;OPTIONS" ${ARGN})
    if(NOT ARG_HEADERS)
        set(ARG_HEADERS ${PROXIMA_PRECOMPILED_HEADERS})
        set(ARG_LIBRARIES proxima_entt glm::glm fmt::fmt)
    endif()
    set(unit ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
    file(CONFIGURE OUTPUT ${unit} CONTENT "// Nothing: what counts are the headers that were compiled for it.\n")
    add_library(proxima_headers_${name} OBJECT ${unit})
    target_include_directories(proxima_headers_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(proxima_headers_${name} PRIVATE ${PROXIMA_WARNINGS} ${ARG_OPTIONS})  # -Wpedantic changes macros
    target_link_libraries(proxima_headers_${name} PRIVATE proxima_flags ${ARG_LIBRARIES})
    target_precompile_headers(proxima_headers_${name} PRIVATE ${ARG_HEADERS})
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
proxima_precompile(program OPTIONS -fPIE)

# Kernel files need little, but xsimd brings two megabytes of intrinsics.
function(proxima_precompile_kernels name)
    set(headers <engine/core/math.h> <deque> <optional> <span> <string> <vector>)
    if(PROXIMA_WIDEST_LANES GREATER 1)
        list(APPEND headers <xsimd/xsimd.hpp>)
    endif()
    proxima_precompile(${name} HEADERS ${headers} LIBRARIES glm::glm
                       OPTIONS $<$<CXX_COMPILER_ID:GNU,Clang>:-fno-strict-aliasing> ${ARGN})
    if(TARGET proxima_headers_${name} AND PROXIMA_WIDEST_LANES GREATER 1)
        target_include_directories(proxima_headers_${name} SYSTEM PRIVATE ${PROXIMA_XSIMD_HEADERS})
    endif()
endfunction()
proxima_precompile_kernels(kernels)
if(PROXIMA_WIDEST_LANES GREATER_EQUAL 8)
    proxima_precompile_kernels(kernels_avx2 -mavx2)
endif()
