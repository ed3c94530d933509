# SPDX-License-Identifier: MIT
# Finds every package the project uses. A missing one ends the configuration with the Debian package that brings it.

macro(proxima_require package debian)
    find_package(${package} QUIET)
    if(NOT ${package}_FOUND)
        message(FATAL_ERROR "Proxima needs ${package}. On Debian: apt-get install ${debian}. Elsewhere: see vcpkg.json.")
    endif()
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
proxima_require(glm libglm-dev)
if(NOT TARGET glm::glm)  # older config files define the variable only
    add_library(glm::glm INTERFACE IMPORTED GLOBAL)
    target_include_directories(glm::glm INTERFACE ${GLM_INCLUDE_DIRS})
endif()
if(NOT PROXIMA_SIMD STREQUAL "scalar")
    proxima_require(xsimd libxsimd-dev)
endif()
proxima_require(Eigen3 libeigen3-dev)
proxima_require(TBB libtbb-dev)
proxima_require(fmt libfmt-dev)
proxima_require(spdlog libspdlog-dev)
proxima_require(nlohmann_json nlohmann-json3-dev)
if(PROXIMA_TOOL)
    proxima_require(CLI11 libcli11-dev)
endif()
if(PROXIMA_TESTS)
    proxima_require(doctest doctest-dev)
endif()

# EnTT: the installed one wins; otherwise the subset of our own with the same names and meaning.
add_library(proxima_entt INTERFACE)
set_target_properties(proxima_entt PROPERTIES EXPORT_NAME entt)
find_package(EnTT 3.15 QUIET)  # the first whose identifiers can be restored (generate, start_from)
if(EnTT_FOUND AND NOT PROXIMA_BUILTIN_ENTT)
    target_link_libraries(proxima_entt INTERFACE EnTT::EnTT)
    set(PROXIMA_ENTT_INSTALLED TRUE)
    message(STATUS "Entity registry: EnTT ${EnTT_VERSION}")
else()
    target_include_directories(proxima_entt SYSTEM INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/third_party/entt_subset>
        $<INSTALL_INTERFACE:include/proxima/third_party/entt_subset>)
    set(PROXIMA_ENTT_INSTALLED FALSE)
    message(STATUS "Entity registry: the subset in third_party/entt_subset")
endif()

# Bullet: collision only.
include(ProximaBullet)
if(NOT TARGET proxima_bullet)
    message(FATAL_ERROR "Proxima needs Bullet 3 (BulletCollision, LinearMath). On Debian: apt-get install libbullet-dev. "
                        "Elsewhere: see vcpkg.json.")
endif()

# Vulkan: headers and the compiler of kernels while building; the loader is looked for when the program runs.
if(PROXIMA_GPU)
    if(NOT PROXIMA_VULKAN_HEADERS OR NOT PROXIMA_GLSLC)
        message(FATAL_ERROR "PROXIMA_GPU is ON, but Vulkan's headers (now '${PROXIMA_VULKAN_HEADERS}') or glslc (now "
                            "'${PROXIMA_GLSLC}') are missing. On Debian: apt-get install libvulkan-dev glslc. Or leave PROXIMA_GPU "
                            "off: everything is then computed on the cpu.")
    endif()
    add_library(proxima_vulkan_headers INTERFACE)
    target_include_directories(proxima_vulkan_headers SYSTEM INTERFACE ${PROXIMA_VULKAN_HEADERS})
    include(ProximaShaders)
    message(STATUS "GPU: kernels are compiled by ${PROXIMA_GLSLC}")
elseif(NOT PROXIMA_HEADLESS)
    message(STATUS "GPU: off, everything is computed on the cpu (libvulkan-dev and glslc make it possible, -DPROXIMA_GPU=ON wants it)")
endif()

# stb: PNG files and fonts, in headers; Debian has them in a folder of their own.
find_path(PROXIMA_STB stb_image.h PATH_SUFFIXES stb)
mark_as_advanced(PROXIMA_STB)
if(NOT PROXIMA_STB)
    message(STATUS "Pictures: off, nothing is drawn (libstb-dev makes it possible)")
endif()

# GLFW: windows, next to Vulkan.
if(PROXIMA_WINDOW)
    if(NOT glfw3_FOUND)
        message(FATAL_ERROR "PROXIMA_WINDOW is ON, but GLFW is missing. On Debian: apt-get install libglfw3-dev. Or leave PROXIMA_WINDOW "
                            "off: pictures then go to files only.")
    endif()
elseif(PROXIMA_GPU)
    message(STATUS "Windows: off (libglfw3-dev makes them possible)")
endif()

# Dear ImGui: panels in windows. Our renderer draws them, so its own back ends are not asked for.
find_path(PROXIMA_IMGUI_HEADERS imgui.h PATH_SUFFIXES imgui)
find_library(PROXIMA_IMGUI_LIBRARY imgui)
find_library(PROXIMA_STB_LIBRARY stb)  # Debian's ImGui looks its letters up there
mark_as_advanced(PROXIMA_IMGUI_HEADERS PROXIMA_IMGUI_LIBRARY PROXIMA_STB_LIBRARY)
set(PROXIMA_IMGUI OFF)
if(PROXIMA_IMGUI_HEADERS AND PROXIMA_IMGUI_LIBRARY)
    set(PROXIMA_IMGUI ON)
    add_library(proxima_imgui INTERFACE)
    target_include_directories(proxima_imgui SYSTEM INTERFACE ${PROXIMA_IMGUI_HEADERS})
    target_link_libraries(proxima_imgui INTERFACE ${PROXIMA_IMGUI_LIBRARY} $<$<BOOL:${PROXIMA_STB_LIBRARY}>:${PROXIMA_STB_LIBRARY}>)
elseif(PROXIMA_WINDOW)
    message(STATUS "Editor and games in windows: off (libimgui-dev makes them possible)")
endif()

# Tracy, on demand.
if(PROXIMA_TRACY)
    include(ProximaTracy)
endif()
