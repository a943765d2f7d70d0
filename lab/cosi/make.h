#pragma once

#include <google/protobuf/message_lite.h>
#include <string>
#include <string_view>
#include <utility>

#include "common.pb.h"
#include "lab/cosi/resource_table.h"
#include "yaml/build.h"
#include "yaml/emit.h"

namespace ichor::lab {

/// A resource whose spec is `message` and, as text, `yaml`.
inline Resource make_resource(std::string_view space, std::string id,
                              const google::protobuf::MessageLite& message, yaml::Node yaml) {
  return {std::string(space), std::move(id), message.SerializeAsString(), yaml::emit(yaml), {}};
}

/// Sets a key unless the value is empty, as Go's omitempty does.
inline void set_if(yaml::Map& map, std::string_view key, const std::string& value) {
  if (!value.empty()) map.set(key, value);
}

/// Four or sixteen bytes of an address in text form; empty for anything else.
std::string address_bytes(const std::string& address);
common::NetIP net_ip(const std::string& address);
common::NetIPPrefix net_prefix(const std::string& address, int length);

}  // namespace ichor::lab
