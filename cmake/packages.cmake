# Outside libraries, all from the Debian packages of tools/packages.txt.

find_package(Boost 1.81 REQUIRED CONFIG)
find_package(CLI11 REQUIRED CONFIG)
find_package(GTest REQUIRED CONFIG)
find_package(OpenSSL 3 REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Protobuf REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(fmt REQUIRED CONFIG)
find_package(nlohmann_json REQUIRED CONFIG)
find_package(rapidcheck REQUIRED CONFIG)
find_package(tl-expected REQUIRED CONFIG)
# Only its headers are used: its target would link a library that throws.
find_package(tomlplusplus REQUIRED CONFIG)
pkg_check_modules(fyaml REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(nghttp2 REQUIRED IMPORTED_TARGET libnghttp2)
# Not by pkg-config, whose flags would reach everything that is built on it.
find_library(RE2_LIBRARY re2 REQUIRED)

# Where Debian has an archive beside the shared library, the archive goes into our programs: a
# loader that binds sixty libraries takes longer than most commands of ichor, and one file is easily
# carried to another machine. Not under the sanitizers, which tell our code from foreign code by the
# library that it is in.
function(ichor_archive_of library result)
    string(REGEX REPLACE "\\.so[.0-9]*$" ".a" archive "${library}")
    if(NOT archive STREQUAL library AND EXISTS ${archive})
        set(${result} ${archive} PARENT_SCOPE)
    else()
        set(${result} ${library} PARENT_SCOPE)
    endif()
endfunction()

if(NOT ICHOR_SANITIZE AND NOT ICHOR_FUZZ)
    ichor_archive_of(${RE2_LIBRARY} RE2_LIBRARY)
    get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
    foreach(target IN LISTS imported)
        get_target_property(type ${target} TYPE)
        if(type STREQUAL "SHARED_LIBRARY" OR type STREQUAL "UNKNOWN_LIBRARY")
            foreach(property IMPORTED_LOCATION IMPORTED_LOCATION_NONE IMPORTED_LOCATION_RELEASE)
                get_target_property(location ${target} ${property})
                if(location)
                    ichor_archive_of(${location} archive)
                    set_target_properties(${target} PROPERTIES ${property} ${archive})
                endif()
            endforeach()
        endif()
    endforeach()
    foreach(target IN ITEMS PkgConfig::fyaml PkgConfig::nghttp2)
        get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
        set(archives "")
        foreach(library IN LISTS libraries)
            ichor_archive_of(${library} archive)
            list(APPEND archives ${archive})
        endforeach()
        set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${archives}")
    endforeach()
endif()

# Asio and Beast, whose bodies are compiled once instead of in every file that includes them.
add_library(ichor_asio STATIC ${CMAKE_CURRENT_LIST_DIR}/asio.cc)
target_compile_definitions(ichor_asio
    PUBLIC BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION)
target_link_libraries(ichor_asio PUBLIC Boost::headers OpenSSL::SSL Threads::Threads)
