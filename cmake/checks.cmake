# Tests that are not GoogleTest programs.

add_test(NAME tidy COMMAND ${CMAKE_SOURCE_DIR}/tools/tidy)
add_test(NAME tidy_test COMMAND ${CMAKE_SOURCE_DIR}/tools/tidy_test.py)
set_tests_properties(tidy tidy_test PROPERTIES LABELS unit TIMEOUT ${ICHOR_TEST_TIMEOUT_S})
