# Precompiled headers: the headers of other projects that most of our files include. Reading them
# is more than half of the work of compiling, and they change only with Debian's packages.
#
# A precompiled header fits only the flags that it was made with, so there is one for each set of
# flags: libraries for size, libraries for speed (FAST), and tests. Our own headers are in none of
# them: a change of one would compile everything again. Neither is nlohmann/json.hpp: every file
# that gets it compiles its pending templates, which costs more than reading it where it is needed.

option(ICHOR_PRECOMPILE "Precompile the headers of other projects" ON)

set(pch_headers
    <algorithm> <array> <charconv> <chrono> <coroutine> <cstdint> <deque> <functional> <map>
    <memory> <optional> <set> <string> <string_view> <tuple> <utility> <variant> <vector>
    <fmt/format.h> <tl/expected.hpp>)
set(pch_source ${CMAKE_BINARY_DIR}/precompiled/empty.cc)
set(pch_main ${CMAKE_BINARY_DIR}/precompiled/main.cc)
file(CONFIGURE OUTPUT ${pch_source} CONTENT "")
file(CONFIGURE OUTPUT ${pch_main} CONTENT "int main() {}\n")

# For speed, without the padding before functions and loops: it costs size and brings nothing here.
set(ichor_fast_options -O2 -fno-align-functions -fno-align-jumps -fno-align-loops)

# Compiling tests for speed or size would cost more than it brings: what they call is optimised.
set(ichor_test_options "")
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT ICHOR_SANITIZE AND NOT ICHOR_COVERAGE)
    set(ichor_test_options -O0 -U_FORTIFY_SOURCE)
endif()

if(ICHOR_PRECOMPILE)
    add_library(ichor_pch STATIC ${pch_source})
    add_library(ichor_pch_fast STATIC ${pch_source})
    add_executable(ichor_pch_test ${pch_main})
    foreach(target IN ITEMS ichor_pch ichor_pch_fast ichor_pch_test)
        target_link_libraries(${target} PRIVATE
            ichor_flags fmt::fmt tl::expected)
        target_precompile_headers(${target} PRIVATE ${pch_headers})
    endforeach()
    if(CMAKE_BUILD_TYPE STREQUAL "Release")
        target_compile_options(ichor_pch_fast PRIVATE ${ichor_fast_options})
    endif()
    target_compile_options(ichor_pch_test PRIVATE ${ichor_test_options})
    target_link_libraries(ichor_pch_test PRIVATE GTest::gmock)
    target_precompile_headers(ichor_pch_test PRIVATE <gmock/gmock.h> <gtest/gtest.h>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        # Without it ccache cannot see that a precompiled header is used.
        add_compile_options(-fpch-preprocess)
    endif()
endif()

function(ichor_precompile target set)
    if(ICHOR_PRECOMPILE)
        target_precompile_headers(${target} REUSE_FROM ichor_pch${set})
    endif()
endfunction()
