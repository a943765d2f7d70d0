#include "view/flat_object.h"

namespace ichor {

using Json = nlohmann::ordered_json;

void FlatObject::add(const std::string& key, const Json& value) {
  const std::string below = key.empty() ? "" : key + ".";
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) add(below + name, member);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) add(below + std::to_string(i + 1), value[i]);
  } else if (value.is_string()) {
    object_[key] = value;
  } else if (!value.is_null()) {
    object_[key] = value.dump();
  }
}

std::string FlatObject::line() const {
  return object_.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace ichor
