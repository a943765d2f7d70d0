# Puts examples/multi-cluster/Taskfile.yaml into the binary, for `ichor init`, as cmake/help.cmake
# does with the pages: included by CMakeLists.txt it makes the build rule, run as a script it
# writes the source file.

if(CMAKE_SCRIPT_MODE_FILE)
    file(READ ${TASKFILE} content)
    file(WRITE ${OUTPUT} "#include \"command/taskfile.h\"\n\nnamespace ichor {\n\n"
        "std::string_view shipped_taskfile() {\n  return R\"_tasks_(${content})_tasks_\";\n}\n\n"
        "}  // namespace ichor\n")
    return()
endif()

set(taskfile ${CMAKE_SOURCE_DIR}/examples/multi-cluster/Taskfile.yaml)
set(taskfile_source ${CMAKE_BINARY_DIR}/taskfile/shipped_taskfile.cc)
add_custom_command(
    OUTPUT ${taskfile_source}
    COMMAND ${CMAKE_COMMAND} -DTASKFILE=${taskfile} -DOUTPUT=${taskfile_source}
        -P ${CMAKE_SOURCE_DIR}/cmake/taskfile.cmake
    DEPENDS ${taskfile} ${CMAKE_SOURCE_DIR}/cmake/taskfile.cmake
    COMMENT "Embedding ${taskfile}"
    VERBATIM)
add_custom_target(shipped_taskfile DEPENDS ${taskfile_source})
target_sources(ichor_command PRIVATE ${taskfile_source})
add_dependencies(ichor_command shipped_taskfile)
