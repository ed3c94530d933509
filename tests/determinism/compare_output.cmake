# SPDX-License-Identifier: MIT
# cmake -D A=program -D B=program [-D B_ARGUMENTS=...] -D EXPECT=equal|different -P compare_output.cmake
# Runs both programs and compares what they print, line by line: all lines equal, or all lines different.

foreach(side A B)
    execute_process(COMMAND ${${side}} ${${side}_ARGUMENTS} OUTPUT_VARIABLE text RESULT_VARIABLE code OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT code EQUAL 0)
        message(FATAL_ERROR "${${side}} ended with ${code}.")
    endif()
    message("${${side}} ${${side}_ARGUMENTS}\n${text}\n")
    string(REPLACE "\n" ";" lines_${side} "${text}")
endforeach()

list(LENGTH lines_A count)
list(LENGTH lines_B count_b)
if(count LESS 2 OR NOT count EQUAL count_b)
    message(FATAL_ERROR "The programs print ${count} and ${count_b} lines; expected the same number, at least two.")
endif()
foreach(a b IN ZIP_LISTS lines_A lines_B)
    if(EXPECT STREQUAL "equal" AND NOT a STREQUAL b)
        message(SEND_ERROR "not equal: '${a}' and '${b}'")
    elseif(EXPECT STREQUAL "different" AND a STREQUAL b)
        message(SEND_ERROR "not different: '${a}'")
    endif()
endforeach()
