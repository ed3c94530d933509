# SPDX-License-Identifier: MIT
# What every target of the project shares, and the two functions that declare one.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

# The first compilers whose C++20 library and language carry the project.
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 12) OR
   (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 16))
    message(FATAL_ERROR "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} is too old: Proxima needs g++ 12 or clang 16.")
endif()

find_program(PROXIMA_CCACHE ccache)
if(PROXIMA_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # In depend mode a file that is not in the cache yet costs no more than without a cache. The sloppiness is what ccache
    # asks for before it looks at files that use precompiled headers; no file of ours uses __DATE__ or __TIME__.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros
        ${PROXIMA_CCACHE})
endif()

add_library(proxima_flags INTERFACE)
# The same bits for every compiler level and thread count: no contraction into fused multiply-add, no fast-math.
# Contraction is exported too, because a game compiles the inline functions of our headers.
target_compile_options(proxima_flags INTERFACE
    $<$<CXX_COMPILER_ID:GNU,Clang>:-ffp-contract=off>
    $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU,Clang>:-fno-fast-math;-fno-math-errno>>
    $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:MSVC>:/fp:precise;/permissive-;/bigobj>>)
if(PROXIMA_SIMD STREQUAL "avx2")
    target_compile_options(proxima_flags INTERFACE $<$<CXX_COMPILER_ID:GNU,Clang>:-mavx2> $<$<CXX_COMPILER_ID:MSVC>:/arch:AVX2>)
elseif(PROXIMA_SIMD STREQUAL "scalar")
    target_compile_definitions(proxima_flags INTERFACE PROXIMA_SIMD_SCALAR=1)
    target_compile_options(proxima_flags INTERFACE
        $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-fno-tree-vectorize>>
        $<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:Clang>:-fno-vectorize;-fno-slp-vectorize>>)
elseif(NOT PROXIMA_SIMD MATCHES "^(auto|sse2)$")
    message(FATAL_ERROR "PROXIMA_SIMD is '${PROXIMA_SIMD}'; it must be auto, avx2, sse2 or scalar.")
endif()
if(PROXIMA_ASSERTS)
    target_compile_definitions(proxima_flags INTERFACE PROXIMA_ASSERTS=1)
endif()
if(PROXIMA_SANITIZE)
    target_compile_options(proxima_flags INTERFACE
        $<BUILD_INTERFACE:-fsanitize=${PROXIMA_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
    target_link_options(proxima_flags INTERFACE $<BUILD_INTERFACE:-fsanitize=${PROXIMA_SANITIZE}>)
else()
    # mold where it is there; the sanitizers keep the linker that their runtimes are tested with.
    find_program(PROXIMA_MOLD mold)
    if(PROXIMA_MOLD)
        include(CheckLinkerFlag)
        check_linker_flag(CXX -fuse-ld=mold PROXIMA_MOLD_WORKS)
        if(PROXIMA_MOLD_WORKS)
            target_link_options(proxima_flags INTERFACE $<BUILD_INTERFACE:-fuse-ld=mold>)
        endif()
    endif()
endif()

# Warnings stay out of the exported interface: they are for our own code only. A field left out of an initialiser takes the
# default that its struct gives it; that is what defaults are for, so no warning.
set(PROXIMA_WARNINGS
    $<$<CXX_COMPILER_ID:GNU,Clang>:-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-qual>
    # std::string + in optimised builds of gcc 12 sets off a false -Wrestrict inside the standard library
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
    $<$<CXX_COMPILER_ID:GNU,Clang>:-Wno-missing-field-initializers>
    $<$<CXX_COMPILER_ID:MSVC>:/W4>)
if(PROXIMA_WARNINGS_AS_ERRORS)
    list(APPEND PROXIMA_WARNINGS $<$<CXX_COMPILER_ID:GNU,Clang>:-Werror> $<$<CXX_COMPILER_ID:MSVC>:/WX>)
endif()

# Levels of the SIMD kernels: lanes, and the flag that lets the compiler use them. A kernel file *.simd.cpp is compiled once
# per level; the program picks one when it runs (engine/simd/simd_level.h).
set(PROXIMA_LEVELS 1)
if(NOT PROXIMA_SIMD STREQUAL "scalar")
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64|aarch64|arm64|ARM64)$")
        list(APPEND PROXIMA_LEVELS 4)
    endif()
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND NOT PROXIMA_SIMD STREQUAL "sse2" AND
       CMAKE_CXX_COMPILER_ID MATCHES "GNU|Clang")
        list(APPEND PROXIMA_LEVELS 8)
    endif()
endif()
list(GET PROXIMA_LEVELS -1 PROXIMA_WIDEST_LANES)
# Headers only: Debian's target also asks for libraries that are not there.
set(PROXIMA_XSIMD_HEADERS $<BUILD_INTERFACE:$<TARGET_PROPERTY:xsimd,INTERFACE_INCLUDE_DIRECTORIES>>)

# proxima_add_simd(target file...): the copies of kernel files, one per level, in the libraries of objects <target>_kernels and,
# for eight lanes, <target>_avx2: they share precompiled headers that are not those of other files.
function(proxima_add_simd target)
    foreach(file IN LISTS ARGN)
        file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${file})
        string(REPLACE ".simd.cpp" "" stem ${place})
        foreach(lanes IN LISTS PROXIMA_LEVELS)
            set(copy ${PROJECT_BINARY_DIR}/simd/${stem}_${lanes}.cpp)
            file(CONFIGURE OUTPUT ${copy} CONTENT "#define PX_LANES ${lanes}\n#include \"${place}\"\n")
            if(lanes EQUAL 8)
                list(APPEND avx2 ${copy})
            else()
                list(APPEND kernels ${copy})
            endif()
        endforeach()
    endforeach()
    if(kernels)
        proxima_add_kernels(${target} ${target}_kernels ${kernels})
        proxima_use_precompiled(${target}_kernels kernels)
    endif()
    if(avx2)
        proxima_add_kernels(${target} ${target}_avx2 ${avx2})
        target_compile_options(${target}_avx2 PRIVATE -mavx2)
        proxima_use_precompiled(${target}_avx2 kernels_avx2)
    endif()
endfunction()

# proxima_add_kernels(target objects copy...): a library of objects from copies of kernel files, as a part of the target.
function(proxima_add_kernels target objects)
    add_library(${objects} OBJECT ${ARGN})
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR})
    if(PROXIMA_WIDEST_LANES GREATER 1)
        target_include_directories(${objects} SYSTEM PRIVATE ${PROXIMA_XSIMD_HEADERS})
    endif()
    # Blocks lie in plain bytes that several files see as what they are to them.
    target_compile_options(${objects} PRIVATE ${PROXIMA_WARNINGS} $<$<CXX_COMPILER_ID:GNU,Clang>:-fno-strict-aliasing>)
    target_link_libraries(${objects} PRIVATE proxima_flags glm::glm)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
endfunction()

# proxima_add_counted(target file...): kernel files once more, with the lane that counts (engine/simd/counting_lanes.h). What
# they count is in the text, whatever the optimisation.
function(proxima_add_counted target)
    foreach(place IN LISTS ARGN)
        string(REPLACE ".simd.cpp" "" stem ${place})
        set(copy ${PROJECT_BINARY_DIR}/simd/${stem}_counted.cpp)
        file(CONFIGURE OUTPUT ${copy} CONTENT "#define PX_LANES 0\n#include \"${place}\"\n")
        list(APPEND copies ${copy})
    endforeach()
    proxima_add_kernels(${target} ${target}_counted ${copies})
    proxima_use_precompiled(${target}_counted kernels)
    proxima_compile_quickly(${target}_counted)
endfunction()

# proxima_compile_quickly(target...): for code that no frame waits for. Optimised builds compile it with -O1, in three
# quarters of the time.
function(proxima_compile_quickly)
    foreach(target IN LISTS ARGN)
        target_compile_options(${target} PRIVATE $<$<AND:$<CXX_COMPILER_ID:GNU,Clang>,$<CONFIG:Release,RelWithDebInfo>>:-O1>)
    endforeach()
endfunction()

# proxima_compile_in_batches(target...): with PROXIMA_BATCHES eight files of these targets are one to the compiler, which takes
# half the time: most of it goes into templates that all of them use. Names in anonymous namespaces of a target must then
# differ. Presets without batches (debug, clang) show what a file forgot to include.
function(proxima_compile_in_batches)
    if(PROXIMA_BATCHES)
        set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    endif()
endfunction()

# proxima_compile_folders_in_batches(target folder...): the same for single folders of a target, each a batch of its own.
function(proxima_compile_folders_in_batches target)
    if(NOT PROXIMA_BATCHES)
        return()
    endif()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    foreach(folder IN LISTS ARGN)
        file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
        list(FILTER files EXCLUDE REGEX "\\.simd\\.cpp$")
        string(MAKE_C_IDENTIFIER ${folder} group)
        set_source_files_properties(${files} PROPERTIES UNITY_GROUP ${group})
    endforeach()
endfunction()

function(proxima_collect out)
    set(found)
    foreach(folder IN LISTS ARGN)
        file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp ${PROJECT_SOURCE_DIR}/${folder}/*.h)
        list(APPEND found ${files})
    endforeach()
    set(${out} ${found} PARENT_SCOPE)
endfunction()

# proxima_library(name FOLDERS folder... [EXCLUDE regex]): target proxima_<name> from the sources lying directly in the
# folders, without those whose path matches.
function(proxima_library name)
    cmake_parse_arguments(ARG "" "EXCLUDE" "FOLDERS" ${ARGN})
    proxima_collect(files ${ARG_FOLDERS})
    if(ARG_EXCLUDE)
        list(FILTER files EXCLUDE REGEX "${ARG_EXCLUDE}")
    endif()
    set(simd ${files})
    list(FILTER simd INCLUDE REGEX "\\.simd\\.cpp$")
    list(FILTER files EXCLUDE REGEX "\\.simd\\.cpp$")
    add_library(proxima_${name} STATIC ${files})
    proxima_add_simd(proxima_${name} ${simd})
    add_library(proxima::${name} ALIAS proxima_${name})
    set_target_properties(proxima_${name} PROPERTIES EXPORT_NAME ${name})
    target_include_directories(proxima_${name} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:include/proxima>)
    target_compile_features(proxima_${name} PUBLIC cxx_std_20)
    target_compile_options(proxima_${name} PRIVATE ${PROXIMA_WARNINGS})
    target_compile_definitions(proxima_${name} PRIVATE PROXIMA_WIDEST_LANES=${PROXIMA_WIDEST_LANES})
    target_link_libraries(proxima_${name} PUBLIC proxima_flags)
    proxima_use_precompiled(proxima_${name} library)
endfunction()

# proxima_program(name FOLDERS folder...): executable <name> from the sources lying directly in the folders.
function(proxima_program name)
    cmake_parse_arguments(ARG "" "" "FOLDERS" ${ARGN})
    proxima_collect(files ${ARG_FOLDERS})
    add_executable(${name} ${files})
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(${name} PRIVATE ${PROXIMA_WARNINGS})
    target_link_libraries(${name} PRIVATE proxima_flags)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
    proxima_use_precompiled(${name} program)
endfunction()
