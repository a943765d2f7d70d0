#pragma once

#include <fstream>
#include <google/protobuf/descriptor.pb.h>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace ichor {

/// What proto/ declares, as protoc wrote it down for these tests. The keys are full names, without
/// a leading dot; the messages within messages are left out.
struct Declarations {
  std::map<std::string, google::protobuf::MethodDescriptorProto> methods;  // "package.Service.Name"
  std::map<std::string, std::set<int>> fields;                             // numbers by message
};

inline const Declarations& declarations() {
  static const Declarations known = [] {
    std::ifstream file(ICHOR_PROTO_DESC, std::ios::binary);
    google::protobuf::FileDescriptorSet set;
    EXPECT_TRUE(set.ParseFromIstream(&file)) << "cannot read " << ICHOR_PROTO_DESC;
    Declarations found;
    for (const auto& part : set.file()) {
      const std::string package = part.package() + ".";
      for (const auto& service : part.service()) {
        for (const auto& method : service.method()) {
          found.methods[package + service.name() + "." + method.name()] = method;
        }
      }
      for (const auto& message : part.message_type()) {
        auto& numbers = found.fields[package + message.name()];
        for (const auto& field : message.field()) numbers.insert(field.number());
      }
    }
    return found;
  }();
  return known;
}

}  // namespace ichor
