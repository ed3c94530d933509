# SPDX-License-Identifier: MIT
# Compiles one file with the registry that the library was built with, and with another of the same names: the first is
# linked, the second is not, with a message that names what differs. The other one is the subset without its inline namespace,
# so that all its names are those of EnTT.
#   SOURCE, BUILT_IN (folder of the subset), INCLUDES, LIBRARIES (lists with |), COMPILER, FOLDER

string(REPLACE "|" ";" includes "${INCLUDES}")
string(REPLACE "|" ";" libraries "${LIBRARIES}")
list(TRANSFORM includes PREPEND -I)
file(REMOVE_RECURSE ${FOLDER})
file(COPY ${BUILT_IN}/entt DESTINATION ${FOLDER}/other)
file(GLOB headers ${FOLDER}/other/entt/subset/*.hpp)
foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REPLACE "inline namespace proxima_subset {" "" text "${text}")
    string(REPLACE "}  // namespace proxima_subset" "" text "${text}")
    file(WRITE ${header} "${text}")
endforeach()

function(link_with registry result message)
    execute_process(COMMAND ${COMPILER} -std=c++20 -O1 -I${registry} ${includes} ${SOURCE} ${libraries}
                            -o ${FOLDER}/program
                    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
    set(${result} ${code} PARENT_SCOPE)
    set(${message} "${out}${err}" PARENT_SCOPE)
endfunction()

link_with(${BUILT_IN} code message)
if(NOT code EQUAL 0)
    message(FATAL_ERROR "With the registry of the library nothing is linked:\n${message}")
endif()
link_with(${FOLDER}/other code message)
if(code EQUAL 0)
    message(FATAL_ERROR "A file compiled with another registry was linked.")
endif()
if(NOT message MATCHES "LibraryIsBuiltWith<entt::basic_registry>::this_registry")
    message(FATAL_ERROR "The linker does not say what is wrong:\n${message}")
endif()
file(REMOVE_RECURSE ${FOLDER})
