#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "yaml/build.h"

namespace ichor {

/// A typed document in the making.
inline yaml::Map typed_document(std::string_view kind) {
  return yaml::map().set("apiVersion", "v1alpha1").set("kind", kind);
}

/// The nameservers of a ResolverConfig.
inline yaml::Node nameserver_list(const std::vector<std::string>& addresses) {
  std::vector<yaml::Node> items;
  for (const std::string& address : addresses) {
    items.push_back(yaml::map().set("address", address));
  }
  return yaml::list(std::move(items));
}

}  // namespace ichor
