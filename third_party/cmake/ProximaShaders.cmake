# SPDX-License-Identifier: MIT
# Shaders are compiled while building and become part of the library that uses them: nothing is looked for at run time.

# proxima_shaders(target folder...): every *.comp, *.vert and *.frag lying directly in the folders, linked into the target as
#     std::span<const uint32_t> proxima::shaders::<name of the file>();        of a kernel
#     std::span<const uint32_t> proxima::shaders::<name of the file>_vert();   or _frag
# Each shader is compiled by itself; their words become one source file, because starting the C++ compiler for each costs
# more than the words. To be called once for a target.
function(proxima_shaders target)
    set(unit ${PROJECT_BINARY_DIR}/shaders/${target}.cpp)
    set(text "// The shaders of ${target}\n#include <cstdint>\n#include <span>\nnamespace proxima::shaders {\n")
    set(all_words)
    foreach(folder IN LISTS ARGN)
        file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.comp ${PROJECT_SOURCE_DIR}/${folder}/*.vert
             ${PROJECT_SOURCE_DIR}/${folder}/*.frag)
        foreach(source IN LISTS sources)
            get_filename_component(file ${source} NAME)
            string(REGEX REPLACE "\\.comp$" "" name ${file})
            string(REPLACE "." "_" name ${name})
            set(words ${PROJECT_BINARY_DIR}/shaders/${target}/${name}.inc)
            add_custom_command(OUTPUT ${words}
                COMMAND ${PROXIMA_GLSLC} --target-env=vulkan1.3 -O -Werror -mfmt=c -I ${PROJECT_SOURCE_DIR}
                        -MD -MF ${words}.d -o ${words} ${source}
                DEPENDS ${source} DEPFILE ${words}.d COMMENT "Compiling shader ${folder}/${file}" VERBATIM)
            list(APPEND all_words ${words})
            string(APPEND text "// ${folder}/${file}
static constexpr uint32_t ${name}_words[] =
#include \"${target}/${name}.inc\"
    ;
std::span<const uint32_t> ${name}();
std::span<const uint32_t> ${name}() { return ${name}_words; }
")
        endforeach()
    endforeach()
    file(CONFIGURE OUTPUT ${unit} CONTENT "${text}}  // namespace proxima::shaders\n" @ONLY)
    set_source_files_properties(${unit} PROPERTIES OBJECT_DEPENDS "${all_words}" SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${target} PRIVATE ${unit})
endfunction()
