# SPDX-License-Identifier: MIT
# Kernels are compiled while building and become part of the library that uses them: nothing is looked for at run time.

# proxima_shaders(target folder): every *.comp lying directly in the folder, linked into the target as
#     std::span<const uint32_t> proxima::shaders::<name of the file>();
function(proxima_shaders target folder)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.comp)
    foreach(source IN LISTS sources)
        get_filename_component(name ${source} NAME_WE)
        set(words ${PROJECT_BINARY_DIR}/shaders/${target}/${name}.inc)
        add_custom_command(OUTPUT ${words}
            COMMAND ${PROXIMA_GLSLC} --target-env=vulkan1.3 -O -Werror -mfmt=c -I ${PROJECT_SOURCE_DIR}
                    -MD -MF ${words}.d -o ${words} ${source}
            DEPENDS ${source} DEPFILE ${words}.d COMMENT "Compiling kernel ${folder}/${name}.comp" VERBATIM)
        set(unit ${PROJECT_BINARY_DIR}/shaders/${target}/${name}.cpp)
        file(CONFIGURE OUTPUT ${unit} CONTENT "// Made from ${folder}/${name}.comp
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
