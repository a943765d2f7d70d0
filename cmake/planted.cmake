# The mutants build compiles some sources with planted bugs in them: tools/plant writes those files
# into the build folder, and they take the place of the files of the tree. Everything else is
# compiled as in the release build. The build folder stands beside build/, not in it: compilers see
# the same relative paths then, so ccache has all of that already.

set(planted ${CMAKE_BINARY_DIR}/planted)
set(planted_files "")
if(ICHOR_BUILD_MUTANTS)
    file(GLOB mutants CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sim/planted/*.mutant)
    execute_process(COMMAND ${CMAKE_SOURCE_DIR}/tools/plant ${planted} COMMAND_ERROR_IS_FATAL ANY)
    file(STRINGS ${planted}/files.txt planted_files)
    # A changed bug, or a changed file that has one, is planted again.
    list(TRANSFORM planted_files PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE planted_from)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
        ${CMAKE_SOURCE_DIR}/tools/plant ${mutants} ${planted_from})
endif()

# In the list of sources called `name`, puts the planted files where they belong.
function(ichor_take_planted name)
    foreach(file IN LISTS planted_files)
        list(TRANSFORM ${name} REPLACE "^${CMAKE_SOURCE_DIR}/${file}$" ${planted}/${file})
    endforeach()
    set(${name} ${${name}} PARENT_SCOPE)
endfunction()
