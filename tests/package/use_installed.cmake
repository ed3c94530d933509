# SPDX-License-Identifier: MIT
# Install, configure the consumer, build it, run it; each step must succeed.

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
do(${CMAKE_COMMAND} --install ${BUILD_TREE} --prefix ${prefix} --component dev --config ${BUILD_TYPE})
# Nothing but the installed tree may be found: neither the source folder nor the build tree is on a path of the consumer.
do(${CMAKE_COMMAND} -S ${CONSUMER} -B ${build} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
   -D CMAKE_BUILD_TYPE=${BUILD_TYPE} -D CMAKE_PREFIX_PATH=${prefix})
do(${CMAKE_COMMAND} --build ${build} --config ${BUILD_TYPE})
do(${build}/consumer)
file(REMOVE_RECURSE ${folder})
