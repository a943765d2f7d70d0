#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ichor {

/// One JSON object whose values are all texts, as the external data source of OpenTofu and
/// Terraform demands it. What lies deeper gets a key with dots: "node.cp1.stage".
class FlatObject {
 public:
  /// Adds a value below `key`; a member of an object as "key.member", an item of a list as "key.1",
  /// a null not at all. An empty key stands for the object itself.
  void add(const std::string& key, const nlohmann::ordered_json& value);
  /// In one line, in ASCII.
  std::string line() const;

 private:
  nlohmann::ordered_json object_ = nlohmann::ordered_json::object();
};

}  // namespace ichor
