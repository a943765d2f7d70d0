# ichor_library(NAME [FAST [COLD regex…]|HOT regex…] [DEPS name…] [TEST_DEPS name…]
#               [PACKAGES target…] [FOLDER path] [LABEL label])
#
# Makes of the folder src/NAME (or FOLDER) and what lies below it:
#   ichor_NAME     the static library of its *.cc, or an interface library while it has none
#   NAME_test      the GoogleTest program of its *_test.cc, registered with CTest
#   X_fuzz         a libFuzzer program for each X_fuzz.cc, in the fuzz build only
# DEPS are the libraries it may include, TEST_DEPS the ones only its tests may; tools/tidy holds the
# sources to both. FAST is for code that runs so often that speed counts more than size; bench/run
# says where it pays. COLD are its files that run seldom, which are compiled for size all the same;
# HOT are the few files of another library that are compiled for speed. PACKAGES are outside
# libraries. LABEL is the CTest label of its tests, "unit" if not given. A
# folder that is still missing is an empty library.

include(GoogleTest)

function(ichor_library name)
    cmake_parse_arguments(arg "FAST" "FOLDER;LABEL" "COLD;HOT;DEPS;TEST_DEPS;PACKAGES" ${ARGN})
    if(NOT arg_FOLDER)
        set(arg_FOLDER src/${name})
    endif()
    if(NOT arg_LABEL)
        set(arg_LABEL unit)
    endif()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${arg_FOLDER}/*.cc)
    set(tests ${sources})
    set(fuzzers ${sources})
    list(FILTER tests INCLUDE REGEX "_test\\.cc$")
    list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
    list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")

    ichor_take_planted(sources)
    ichor_add_library(ichor_${name} "${sources}" "${arg_DEPS}" "${arg_PACKAGES}" "${arg_FAST}")
    ichor_compile_apart(ichor_${name} cold "" "${arg_COLD}" ${arg_FOLDER})
    ichor_compile_apart(ichor_${name} hot _fast "${arg_HOT}" ${arg_FOLDER})
    if(tests)
        ichor_add_test(${name} "${tests}" "${arg_TEST_DEPS}" "${arg_LABEL}")
    endif()
    if(ICHOR_FUZZ)
        foreach(fuzzer IN LISTS fuzzers)
            ichor_add_fuzzer(${name} ${fuzzer})
        endforeach()
    endif()
endfunction()

function(ichor_add_library target sources deps packages fast)
    if(sources)
        add_library(${target} STATIC ${sources})
        set(scope PUBLIC)
        target_link_libraries(${target} PUBLIC ichor_flags)
        if(fast)
            ichor_precompile(${target} _fast)
            if(CMAKE_BUILD_TYPE STREQUAL "Release")
                target_compile_options(${target} PRIVATE ${ichor_fast_options})
            endif()
        else()
            ichor_precompile(${target} "")
        endif()
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
        target_link_libraries(${target} INTERFACE ichor_flags)
    endif()
    list(TRANSFORM deps PREPEND ichor_)
    target_link_libraries(${target} ${scope} ${deps} ${packages})
endfunction()

# The sources of a library that match one of the regexes get other flags than the rest. They are
# objects of their own, because a precompiled header fits one set of flags.
function(ichor_compile_apart target name flags regexes folder)
    if(NOT regexes)
        return()
    endif()
    get_target_property(all ${target} SOURCES)
    foreach(regex IN LISTS regexes)
        set(matching ${all})
        list(FILTER matching INCLUDE REGEX "/${folder}/${regex}")
        list(APPEND apart ${matching})
    endforeach()
    list(REMOVE_DUPLICATES apart)
    list(REMOVE_ITEM all ${apart})
    set_target_properties(${target} PROPERTIES SOURCES "${all}")
    add_library(${target}_${name} OBJECT ${apart})
    ichor_precompile(${target}_${name} "${flags}")
    if(flags STREQUAL _fast AND CMAKE_BUILD_TYPE STREQUAL "Release")
        target_compile_options(${target}_${name} PRIVATE ${ichor_fast_options})
    endif()
    get_target_property(libraries ${target} LINK_LIBRARIES)
    target_link_libraries(${target}_${name} PRIVATE ${libraries})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_${name}>)
endfunction()

function(ichor_add_test name tests test_deps label)
    list(TRANSFORM test_deps PREPEND ichor_)
    add_executable(${name}_test ${tests})
    target_compile_options(${name}_test PRIVATE ${ichor_test_options})
    ichor_precompile(${name}_test _test)
    target_link_libraries(${name}_test
        PRIVATE ichor_${name} ${test_deps} GTest::gmock_main rapidcheck rapidcheck_gtest)
    # Tests read golden files by paths from the repository's root. Discovery waits for the test run,
    # so that building does not start programs.
    gtest_discover_tests(${name}_test
        DISCOVERY_MODE PRE_TEST
        DISCOVERY_TIMEOUT 60
        WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
        TEST_PREFIX ${name}.
        PROPERTIES LABELS ${label} TIMEOUT ${ICHOR_TEST_TIMEOUT_S})
endfunction()

function(ichor_add_fuzzer name source)
    get_filename_component(fuzzer ${source} NAME_WE)
    add_executable(${fuzzer} ${source})
    target_link_libraries(${fuzzer} PRIVATE ichor_${name})
    target_link_options(${fuzzer} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzzers ${fuzzer})
endfunction()
