# ichor_proto: the messages that protoc makes of proto/, in the build folder. The code is not ours,
# so it is compiled without our warnings and its headers count as system headers. Which method takes
# which messages is in src/talos/methods.h.

file(GLOB_RECURSE protos CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/proto/*.proto)
if(NOT protos)
    add_library(ichor_proto INTERFACE)
    return()
endif()

set(proto_root ${CMAKE_SOURCE_DIR}/proto)
set(proto_out ${CMAKE_BINARY_DIR}/proto)
file(MAKE_DIRECTORY ${proto_out})
set(generated "")
foreach(proto IN LISTS protos)
    file(RELATIVE_PATH stem ${proto_root} ${proto})
    string(REGEX REPLACE "\\.proto$" "" stem ${stem})
    set(outputs ${proto_out}/${stem}.pb.cc ${proto_out}/${stem}.pb.h)
    # Depends on every .proto because imports between them are not tracked.
    add_custom_command(
        OUTPUT ${outputs}
        COMMAND protobuf::protoc -I ${proto_root} --cpp_out=${proto_out} ${proto}
        DEPENDS ${protos}
        COMMENT "Generating ${stem}.pb.cc"
        VERBATIM)
    list(APPEND generated ${outputs})
endforeach()

add_library(ichor_proto STATIC ${generated})
target_compile_options(ichor_proto PRIVATE -w)
target_include_directories(ichor_proto SYSTEM PUBLIC ${proto_out})
target_link_libraries(ichor_proto PUBLIC protobuf::libprotobuf)
