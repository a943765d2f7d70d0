# Compiler and linker flags. What must hold for generated code too (optimisation, hardening,
# sanitizers) is set for the directory; warnings belong to our own code only and come with the
# target ichor_flags.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Small by default: most of the code runs once in a run. ichor_library(... FAST) is for the rest.
set(CMAKE_CXX_FLAGS_RELEASE "-Os -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g")

# Every object ends up in an executable. -fPIE lets the compiler bind and inline our own functions,
# which -fPIC, made for shared libraries, forbids.
add_compile_options(-fPIE)
add_link_options(-pie)

# The container checks of libstdc++ stay on in every build: what is tested is what ships.
add_compile_definitions(_GLIBCXX_ASSERTIONS)

# Paths in binaries start at the repository, so a build elsewhere gives the same bytes. ccache
# rewrites absolute paths to paths relative to the build folder, hence the second mapping.
cmake_path(RELATIVE_PATH CMAKE_SOURCE_DIR
    BASE_DIRECTORY ${CMAKE_BINARY_DIR} OUTPUT_VARIABLE source_dir_from_build)
add_compile_options(
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}/=
    -ffile-prefix-map=${source_dir_from_build}/=)
# Functions that are never called do not reach the binary.
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-Wl,--as-needed -Wl,--gc-sections -Wl,-z,pack-relative-relocs)

# LLVM's linker folds functions of the same code into one, which is a twentieth of the binary.
# Nothing here tells two functions apart by their addresses (std::any would).
find_program(LLD ld.lld PATHS /usr/lib/llvm-16/bin NO_DEFAULT_PATH)
if(LLD AND CMAKE_BUILD_TYPE STREQUAL "Release")
    cmake_path(GET LLD PARENT_PATH lld_folder)
    add_link_options(-fuse-ld=lld -B${lld_folder} -Wl,--icf=all,-O2,-z,noseparate-code)
endif()

if(ICHOR_SANITIZE)
    add_compile_options(
        -O1 -g1 -fno-omit-frame-pointer -fsanitize=${ICHOR_SANITIZE} -fno-sanitize-recover=all)
    add_link_options(-fsanitize=${ICHOR_SANITIZE})
endif()

if(ICHOR_FUZZ)
    add_compile_options(-O1 -g1 -fsanitize=fuzzer-no-link)
endif()

if(ICHOR_COVERAGE)
    add_compile_options(
        -fprofile-instr-generate -fcoverage-mapping -fcoverage-compilation-dir=.)
    add_link_options(-fprofile-instr-generate)
endif()

# Fortify and automatic initialisation hide from the sanitizers what they are there to find.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT ICHOR_SANITIZE AND NOT ICHOR_FUZZ)
    add_compile_options(
        -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3
        -fstack-protector-strong -fstack-clash-protection -fcf-protection=return
        -ftrivial-auto-var-init=zero)
    add_link_options(-Wl,-z,relro,-z,now,-z,noexecstack)
endif()

add_library(ichor_flags INTERFACE)
target_compile_options(ichor_flags INTERFACE -Wall -Wextra -Wpedantic -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 reports an overlap that cannot happen in `"x" + std::string` (GCC bug 105651).
    target_compile_options(ichor_flags INTERFACE -Wno-restrict)
endif()
target_include_directories(ichor_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})

# Relative paths and no working directory in the key: build folders and clones share one cache.
# The sloppiness is what ccache demands for precompiled headers; one that CMake wrote a moment ago
# must be kept too, because GCC does not make the same bytes twice.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env
        CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_ctime,include_file_mtime
        ${CCACHE_PROGRAM})
endif()
