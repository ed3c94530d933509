# SPDX-License-Identifier: MIT
# Shaders are compiled while building and become part of the library that uses them: nothing is looked for at run time.

# proxima_shaders(target folder): every *.comp, *.vert and *.frag lying directly in the folder, linked into the target as
#     std::span<const uint32_t> proxima::shaders::<name of the file>();        of a kernel
#     std::span<const uint32_t> proxima::shaders::<name of the file>_vert();   or _frag
function(proxima_shaders target folder)
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
        set(unit ${PROJECT_BINARY_DIR}/shaders/${target}/${name}.cpp)
        file(CONFIGURE OUTPUT ${unit} CONTENT "// Made from ${folder}/${file}
#include <cstdint>
#include <span>
namespace proxima::shaders {
std::span<const uint32_t> ${name}();
namespace {
constexpr uint32_t kWords[] =
#include \"${name}.inc\"
    ;
}
std::span<const uint32_t> ${name}() { return kWords; }
}  // namespace proxima::shaders
")
        set_source_files_properties(${unit} PROPERTIES OBJECT_DEPENDS ${words})
        target_sources(${target} PRIVATE ${unit})
    endforeach()
endfunction()
