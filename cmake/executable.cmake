# The programs: ichor, and ichor-mutants in the mutants build.

# Version and commit reach one file only, so a new commit recompiles one file only.
execute_process(
    COMMAND git rev-parse --short=12 HEAD
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE git_failed)
if(git_failed)
    set(commit unknown)
endif()
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cli/version.cc PROPERTIES
    COMPILE_DEFINITIONS "ICHOR_VERSION=\"${PROJECT_VERSION}\";ICHOR_COMMIT=\"${commit}\"")
if(EXISTS ${CMAKE_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY APPEND PROPERTY
        CMAKE_CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/.git/logs/HEAD)
endif()

# main.cc is the composition root: the only file that sees every adapter.
function(ichor_add_executable target suffix)
    add_executable(${target} ${main})
    set(parts command os journal talos kube factory view)
    list(TRANSFORM parts PREPEND ichor_)
    list(TRANSFORM parts APPEND "${suffix}")
    target_link_libraries(${target} PRIVATE ${parts})
endfunction()

file(GLOB main CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/main.cc)
if(main)
    ichor_add_executable(ichor "")
    if(ICHOR_BUILD_MUTANTS)
        ichor_add_executable(ichor-mutants _mutants)
    endif()
endif()
