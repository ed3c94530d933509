# SPDX-License-Identifier: MIT
# Target proxima_bullet: Bullet's collision library and its linear maths, nothing else of Bullet. Debian's BulletConfig.cmake
# holds a relative include path and names a library that is not packaged, so header and libraries are looked for one by
# one. This file is installed beside proximaConfig.cmake, so that a project that uses Proxima finds Bullet the same way.
if(NOT TARGET proxima_bullet)
    find_path(PROXIMA_BULLET_INCLUDE btBulletCollisionCommon.h PATH_SUFFIXES bullet)
    find_library(PROXIMA_BULLET_COLLISION BulletCollision)
    find_library(PROXIMA_BULLET_MATH LinearMath)
    mark_as_advanced(PROXIMA_BULLET_INCLUDE PROXIMA_BULLET_COLLISION PROXIMA_BULLET_MATH)
    if(PROXIMA_BULLET_INCLUDE AND PROXIMA_BULLET_COLLISION AND PROXIMA_BULLET_MATH)
        # Imported, so that an export refers to it by name and never carries the paths of this machine.
        add_library(proxima_bullet INTERFACE IMPORTED GLOBAL)
        target_include_directories(proxima_bullet INTERFACE ${PROXIMA_BULLET_INCLUDE})
        target_link_libraries(proxima_bullet INTERFACE ${PROXIMA_BULLET_COLLISION} ${PROXIMA_BULLET_MATH})
    endif()
endif()
