# SPDX-License-Identifier: MIT
# Tracy::TracyClient: an installed one, or made from the source tree at TRACY_ROOT (compiled here, never copied in).
# Without either the configuration ends here, which `cmake -P` of this file does as well.
find_package(Tracy QUIET)
if(NOT TARGET Tracy::TracyClient)
    if(NOT DEFINED TRACY_ROOT AND DEFINED ENV{TRACY_ROOT})
        set(TRACY_ROOT $ENV{TRACY_ROOT})
    endif()
    if(NOT TRACY_ROOT OR NOT EXISTS "${TRACY_ROOT}/public/TracyClient.cpp")
        message(FATAL_ERROR "PROXIMA_TRACY is ON, but Tracy is neither installed nor at TRACY_ROOT (now '${TRACY_ROOT}'). "
                            "Install it, or give -DTRACY_ROOT=<folder with public/TracyClient.cpp>, or leave "
                            "PROXIMA_TRACY off: zones then go to trace files.")
    endif()
    message(STATUS "Tracy: the client in ${TRACY_ROOT}")
    add_library(proxima_tracy_client STATIC "${TRACY_ROOT}/public/TracyClient.cpp")
    target_include_directories(proxima_tracy_client SYSTEM PUBLIC "${TRACY_ROOT}/public")
    # The program listens on this machine only and does not announce itself on the network.
    target_compile_definitions(proxima_tracy_client PUBLIC TRACY_ENABLE TRACY_ONLY_LOCALHOST TRACY_NO_BROADCAST)
    # As root it would also watch the system: sample call stacks, follow switches of threads, and look up the names of all
    # functions it met before the program may end. That takes minutes where a driver brings a compiler along, and Tracy 0.9
    # has been seen to crash in it.
    option(PROXIMA_TRACY_SYSTEM "Tracy samples call stacks and switches of threads as well, where the system lets it" OFF)
    if(NOT PROXIMA_TRACY_SYSTEM)
        target_compile_definitions(proxima_tracy_client PRIVATE TRACY_NO_SYSTEM_TRACING)
    endif()
    target_link_libraries(proxima_tracy_client PUBLIC Threads::Threads ${CMAKE_DL_LIBS})
    add_library(Tracy::TracyClient ALIAS proxima_tracy_client)
    set(PROXIMA_INSTALL OFF)  # an install would need the client's source tree on the other machine
endif()
