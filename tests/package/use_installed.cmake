# SPDX-License-Identifier: MIT
# Install, configure a project that knows nothing else, build it, run it; each step must succeed.
#   BUILD_TREE, CONSUMER (folder of the project, and the name of its program), GENERATOR, COMPILER, BUILD_TYPE
#   SOURCE and BUILTIN_ENTT: install another Proxima instead of that of BUILD_TREE, built here from SOURCE with this value of
#   PROXIMA_BUILTIN_ENTT. Without an installed EnTT there is no other registry: the script says so, and that is all.

function(do)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE code)
    if(NOT code EQUAL 0)
        list(JOIN ARGN " " command)
        file(REMOVE_RECURSE ${folder})
        message(FATAL_ERROR "This ended with ${code}: ${command}")
    endif()
endfunction()

# A folder of this run's own: another may be going on beside it.
string(RANDOM LENGTH 12 name)
set(folder ${BUILD_TREE}/package_test/${name})
set(prefix ${folder}/prefix)
set(build ${folder}/build)
get_filename_component(program ${CONSUMER} NAME)
set(options -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_BUILD_TYPE=${BUILD_TYPE})

set(installed ${BUILD_TREE})
if(SOURCE)
    execute_process(COMMAND ${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/find_entt -B ${folder}/find_entt ${options}
                    RESULT_VARIABLE code OUTPUT_QUIET ERROR_QUIET)
    if(NOT code EQUAL 0)
        file(REMOVE_RECURSE ${folder})
        message("skipped: no EnTT 3.15 is installed, so the built-in registry is the only one")
        return()
    endif()
    set(installed ${folder}/library)
    do(${CMAKE_COMMAND} -S ${SOURCE} -B ${installed} ${options} -D PROXIMA_BUILTIN_ENTT=${BUILTIN_ENTT}
       -D PROXIMA_HEADLESS=ON -D PROXIMA_TOOL=OFF -D PROXIMA_TESTS=OFF)
    do(${CMAKE_COMMAND} --build ${installed} --config ${BUILD_TYPE} --target proxima_physics proxima_bullet_broadphase)
endif()
do(${CMAKE_COMMAND} --install ${installed} --prefix ${prefix} --component dev --config ${BUILD_TYPE})
# Nothing but the installed tree may be found: neither the source folder nor the build tree is on a path of the consumer.
do(${CMAKE_COMMAND} -S ${CONSUMER} -B ${build} ${options} -D CMAKE_PREFIX_PATH=${prefix})
do(${CMAKE_COMMAND} --build ${build} --config ${BUILD_TYPE})
do(${build}/${program})
file(REMOVE_RECURSE ${folder})
