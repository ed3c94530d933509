# SPDX-License-Identifier: MIT
# Installs the libraries with their headers (component `dev`) and the program (component `tool`). Another project then says
# find_package(proxima) and links proxima::physics. Headers keep their folders under include/proxima, which is on the
# include path of the targets, so that "physics/physics.h" is written the same inside and outside.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(PROXIMA_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/proxima)
set_target_properties(proxima_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS proxima_engine proxima_physics proxima_bullet_broadphase proxima_entt proxima_flags EXPORT proximaTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)

# The headers that belong to a target, each in its folder.
foreach(target proxima_engine proxima_physics proxima_bullet_broadphase)
    get_target_property(files ${target} SOURCES)
    list(FILTER files INCLUDE REGEX "\\.h$")
    foreach(file IN LISTS files)
        file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR} ${file})
        get_filename_component(place ${place} DIRECTORY)
        install(FILES ${file} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/proxima/${place} COMPONENT dev)
    endforeach()
endforeach()
if(NOT PROXIMA_ENTT_INSTALLED)
    install(DIRECTORY third_party/entt_subset DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/proxima/third_party COMPONENT dev
            FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
endif()

configure_package_config_file(third_party/cmake/proximaConfig.cmake.in ${PROJECT_BINARY_DIR}/proximaConfig.cmake
                              INSTALL_DESTINATION ${PROXIMA_PACKAGE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/proximaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/proximaConfig.cmake ${PROJECT_BINARY_DIR}/proximaConfigVersion.cmake
              third_party/cmake/ProximaBullet.cmake
        DESTINATION ${PROXIMA_PACKAGE_DIR} COMPONENT dev)
install(EXPORT proximaTargets NAMESPACE proxima:: DESTINATION ${PROXIMA_PACKAGE_DIR} COMPONENT dev)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)
install(DIRECTORY physics/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png")
if(PROXIMA_TOOL)
    install(TARGETS proxima RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
endif()
