# grpc_peer: our gRPC as one end of gRPC's interoperability tests. Not built unless it is asked for:
# tests/grpc/interop.py.

set(interop_out ${CMAKE_BINARY_DIR}/interop)
set(interop_proto ${CMAKE_SOURCE_DIR}/tests/grpc/interop.proto)
file(MAKE_DIRECTORY ${interop_out})
add_custom_command(
    OUTPUT ${interop_out}/interop.pb.cc ${interop_out}/interop.pb.h ${interop_out}/interop.desc
    COMMAND protobuf::protoc -I ${CMAKE_SOURCE_DIR}/tests/grpc --cpp_out=${interop_out}
        --descriptor_set_out=${interop_out}/interop.desc ${interop_proto}
    DEPENDS ${interop_proto}
    COMMENT "Generating interop.pb.cc"
    VERBATIM)
# Not ours: compiled without our warnings.
add_library(interop_proto STATIC EXCLUDE_FROM_ALL ${interop_out}/interop.pb.cc)
target_compile_options(interop_proto PRIVATE -w)
target_include_directories(interop_proto SYSTEM PUBLIC ${interop_out})
target_link_libraries(interop_proto PUBLIC protobuf::libprotobuf)

file(GLOB interop_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/grpc/*.cc)
add_executable(grpc_peer EXCLUDE_FROM_ALL ${interop_sources})
target_link_libraries(grpc_peer PRIVATE ichor_grpc ichor_os interop_proto)
