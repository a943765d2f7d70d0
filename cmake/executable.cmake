# The program: ichor, or ichor-mutants in the mutants build.

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
function(ichor_add_executable target)
    add_executable(${target} ${main})
    set(parts command os journal talos web kube proxmox)
    list(TRANSFORM parts PREPEND ichor_)
    # Before all libraries: see the files.
    target_sources(${target} PRIVATE
        $<FILTER:$<TARGET_OBJECTS:ichor_base>,INCLUDE,string_instance>
        $<FILTER:$<TARGET_OBJECTS:ichor_model>,INCLUDE,json_instance>)
    target_link_libraries(${target} PRIVATE ${parts})
    # What ships has no symbols. They are in a file beside it, which gdb, perf and addr2line find by
    # its name: a crash report of a user can be read.
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT ICHOR_SANITIZE AND NOT ICHOR_COVERAGE)
        add_custom_command(TARGET ${target} POST_BUILD VERBATIM
            COMMAND ${CMAKE_OBJCOPY} --only-keep-debug ${target} ${target}.debug
            COMMAND ${CMAKE_STRIP} ${target}
            COMMAND ${CMAKE_OBJCOPY} --add-gnu-debuglink=${target}.debug ${target})
    endif()
endfunction()

file(GLOB main CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/main.cc)
if(main AND ICHOR_BUILD_MUTANTS)
    ichor_add_executable(ichor-mutants)
    set_source_files_properties(${CMAKE_SOURCE_DIR}/sim/mutants.cc PROPERTIES
        COMPILE_DEFINITIONS ICHOR_MUTANTS=1)
    target_sources(ichor_sim PRIVATE ${planted}/mutant_list.cc)
elseif(main)
    ichor_add_executable(ichor)
endif()
