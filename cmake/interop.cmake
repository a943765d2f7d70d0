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

# Debian's gRPC as the other end. It is a package of the tests; the product does not link it, so no
# file of the product sees its CMake package.
pkg_check_modules(grpcpp REQUIRED IMPORTED_TARGET grpc++)
find_program(GRPC_CPP_PLUGIN grpc_cpp_plugin REQUIRED)
add_custom_command(
    OUTPUT ${interop_out}/interop.grpc.pb.cc ${interop_out}/interop.grpc.pb.h
    COMMAND protobuf::protoc -I ${CMAKE_SOURCE_DIR}/tests/grpc --grpc_out=${interop_out}
        --plugin=protoc-gen-grpc=${GRPC_CPP_PLUGIN} ${interop_proto}
    DEPENDS ${interop_proto}
    COMMENT "Generating interop.grpc.pb.cc"
    VERBATIM)
add_executable(debian_peer EXCLUDE_FROM_ALL
    ${CMAKE_SOURCE_DIR}/tests/grpc/debian/debian_peer.cc ${interop_out}/interop.grpc.pb.cc)
target_include_directories(debian_peer PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(debian_peer PRIVATE interop_proto PkgConfig::grpcpp)
