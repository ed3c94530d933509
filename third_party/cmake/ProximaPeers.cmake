# SPDX-License-Identifier: MIT
# Other physics engines that `proxima bench` compares with. All are optional; each that is found becomes a target
# proxima_peer_<name> from one adapter in samples/bench/peers, and the list PROXIMA_PEERS names the targets. Engines that are
# built from source are found through CMAKE_PREFIX_PATH. Adapters are compiled with the flags of their engine and therefore
# include nothing of ours but plain data.
set(PROXIMA_PEERS)
set(PROXIMA_PEER_NAMES)

# proxima_peer(name library...): the adapter of an engine that was found.
function(proxima_peer name)
    string(TOUPPER ${name} upper)
    add_library(proxima_peer_${name} STATIC ${PROJECT_SOURCE_DIR}/samples/bench/peers/${name}.cpp)
    target_include_directories(proxima_peer_${name} PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_options(proxima_peer_${name} PRIVATE ${PROXIMA_WARNINGS})
    target_link_libraries(proxima_peer_${name} PRIVATE proxima_flags ${ARGN})
    target_compile_definitions(proxima_peer_${name} INTERFACE PROXIMA_PEER_${upper}=1)
    set(PROXIMA_PEERS ${PROXIMA_PEERS} proxima_peer_${name} PARENT_SCOPE)
    set(PROXIMA_PEER_NAMES "${PROXIMA_PEER_NAMES} ${name}" PARENT_SCOPE)
endfunction()

# Bullet's dynamics come with the collision library that the project needs anyway.
find_library(PROXIMA_BULLET_DYNAMICS BulletDynamics)
mark_as_advanced(PROXIMA_BULLET_DYNAMICS)
if(PROXIMA_BULLET_DYNAMICS)
    proxima_peer(bullet ${PROXIMA_BULLET_DYNAMICS} proxima_bullet)
    target_include_directories(proxima_peer_bullet SYSTEM PRIVATE ${PROXIMA_BULLET_INCLUDE})
endif()

find_package(box3d QUIET CONFIG)
if(TARGET box3d::box3d)
    proxima_peer(box3d box3d::box3d)
endif()

# Jolt's definitions change with the build type, and its layout changes with them: they must be those of the build type that
# was installed, not of ours.
find_package(Jolt QUIET CONFIG)
if(TARGET Jolt::Jolt)
    get_target_property(configurations Jolt::Jolt IMPORTED_CONFIGURATIONS)
    if(DISTRIBUTION IN_LIST configurations)
        set(configuration DISTRIBUTION)
    else()
        list(GET configurations 0 configuration)
    endif()
    get_target_property(definitions Jolt::Jolt INTERFACE_COMPILE_DEFINITIONS)
    string(REGEX MATCHALL "\\$<CONFIG:[^>]*>" conditions "${definitions}")
    foreach(condition IN LISTS conditions)
        string(REGEX REPLACE "\\$<CONFIG:([^>]*)>" "\\1" names "${condition}")
        string(TOUPPER "${names}" names)
        string(REPLACE "," ";" names "${names}")
        if(configuration IN_LIST names)
            string(REPLACE "${condition}" "1" definitions "${definitions}")
        else()
            string(REPLACE "${condition}" "0" definitions "${definitions}")
        endif()
    endforeach()
    set_target_properties(Jolt::Jolt PROPERTIES INTERFACE_COMPILE_DEFINITIONS "${definitions}")
    proxima_peer(jolt Jolt::Jolt)
    target_compile_options(proxima_peer_jolt PRIVATE "$<$<CXX_COMPILER_ID:GNU,Clang>:-fno-rtti;-fno-exceptions>")  # as Jolt
endif()

# PhysX installs no package file; its libraries lie below bin/<platform>/<build type>. Static or shared, whichever is there.
find_path(PROXIMA_PHYSX_INCLUDE PxPhysicsAPI.h PATH_SUFFIXES physx)
mark_as_advanced(PROXIMA_PHYSX_INCLUDE)
if(PROXIMA_PHYSX_INCLUDE)
    set(libraries)
    set(places release bin/linux.x86_64/release bin/linux.aarch64/release bin/win.x86_64.vc143.md/release lib/release lib)
    foreach(part PhysXExtensions PhysX PhysXCooking PhysXPvdSDK PhysXCommon PhysXFoundation)
        find_library(PROXIMA_PHYSX_${part} NAMES ${part}_static_64 ${part}_64 ${part} PATH_SUFFIXES ${places}
                     HINTS ${PROXIMA_PHYSX_INCLUDE}/..)
        mark_as_advanced(PROXIMA_PHYSX_${part})
        if(PROXIMA_PHYSX_${part})
            list(APPEND libraries ${PROXIMA_PHYSX_${part}})
        endif()
    endforeach()
    if(PROXIMA_PHYSX_PhysX AND PROXIMA_PHYSX_PhysXFoundation AND PROXIMA_PHYSX_PhysXExtensions)
        proxima_peer(physx ${libraries} Threads::Threads ${CMAKE_DL_LIBS})
        target_include_directories(proxima_peer_physx SYSTEM PRIVATE ${PROXIMA_PHYSX_INCLUDE})
        # PhysX insists on knowing whether it is debugged; the library that was found is a release one.
        target_compile_definitions(proxima_peer_physx PRIVATE $<$<CONFIG:Debug>:NDEBUG>)
    endif()
endif()

find_path(PROXIMA_ODE_INCLUDE ode/ode.h)
find_library(PROXIMA_ODE_LIBRARY ode)
mark_as_advanced(PROXIMA_ODE_INCLUDE PROXIMA_ODE_LIBRARY)
if(PROXIMA_ODE_INCLUDE AND PROXIMA_ODE_LIBRARY)
    proxima_peer(ode ${PROXIMA_ODE_LIBRARY})
    target_include_directories(proxima_peer_ode SYSTEM PRIVATE ${PROXIMA_ODE_INCLUDE})
endif()

if(PROXIMA_PEER_NAMES)
    message(STATUS "Engines to compare with:${PROXIMA_PEER_NAMES}")
else()
    message(STATUS "Engines to compare with: none found")
endif()
