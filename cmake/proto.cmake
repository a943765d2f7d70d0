# ichor_proto: the messages that protoc makes of proto/, in the build folder. The code is not ours,
# so it is compiled without our warnings and its headers count as system headers. It is made for
# protobuf's small runtime, without descriptors, and so are those of protobuf's own messages that
# ours contain: src/talos/methods.h says which method takes which
# messages, and its test reads what proto/ declares from the file ichor_proto_desc.

file(GLOB_RECURSE protos CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/proto/*.proto)
if(NOT protos)
    add_library(ichor_proto INTERFACE)
    return()
endif()

set(proto_root ${CMAKE_SOURCE_DIR}/proto)
set(protobuf_root ${Protobuf_INCLUDE_DIRS})
foreach(name IN ITEMS any descriptor duration empty struct timestamp)
    list(APPEND protos ${protobuf_root}/google/protobuf/${name}.proto)
endforeach()
set(proto_out ${CMAKE_BINARY_DIR}/messages)
file(MAKE_DIRECTORY ${proto_out})
set(generated "")
foreach(proto IN LISTS protos)
    set(root ${proto_root})
    cmake_path(IS_PREFIX protobuf_root ${proto} foreign)
    if(foreign)
        set(root ${protobuf_root})
    endif()
    file(RELATIVE_PATH stem ${root} ${proto})
    string(REGEX REPLACE "\\.proto$" "" stem ${stem})
    set(outputs ${proto_out}/${stem}.pb.cc ${proto_out}/${stem}.pb.h)
    # Depends on every .proto because imports between them are not tracked.
    add_custom_command(
        OUTPUT ${outputs}
        COMMAND protobuf::protoc -I ${proto_root} -I ${protobuf_root}
            --cpp_out=lite:${proto_out} ${proto}
        DEPENDS ${protos}
        COMMENT "Generating ${stem}.pb.cc"
        VERBATIM)
    list(APPEND generated ${outputs})
endforeach()

set(ichor_proto_desc ${proto_out}/all.desc)
add_custom_command(
    OUTPUT ${ichor_proto_desc}
    COMMAND protobuf::protoc -I ${proto_root} -I ${protobuf_root} --include_imports
        --descriptor_set_out=${ichor_proto_desc} ${protos}
    DEPENDS ${protos}
    COMMENT "Generating all.desc"
    VERBATIM)
add_library(ichor_proto STATIC ${generated} ${ichor_proto_desc})
target_compile_options(ichor_proto PRIVATE -w)
target_include_directories(ichor_proto SYSTEM PUBLIC ${proto_out})
target_link_libraries(ichor_proto PUBLIC protobuf::libprotobuf-lite)
