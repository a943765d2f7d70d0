# Programs that bench/run needs besides ichor. Not built unless they are asked for: `make bench`.

add_executable(lab_limit EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/bench/lab_limit.cc)
target_link_libraries(lab_limit PRIVATE ichor_sim)
