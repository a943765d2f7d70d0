#include "profile/json_schema.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "profile/mapping_reader.h"
#include "profile/read_profile.h"

namespace ichor {

namespace {

using Json = nlohmann::ordered_json;

Json object() {
  return {{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
}

/// Texts may be written without quotes, so that a version or a serial number looks like a number.
Json any_text() { return {{"type", Json::array({"string", "number", "boolean"})}}; }

Json schema_of(const KeyNote& key) {
  switch (key.type) {
    case KeyNote::Type::text:
    case KeyNote::Type::duration: return any_text();
    case KeyNote::Type::texts: return {{"type", "array"}, {"items", any_text()}};
    case KeyNote::Type::text_map: {
      Json value = {{"type", Json::array({"string", "number", "boolean", "null"})}};
      return {{"type", "object"}, {"additionalProperties", value}};
    }
    case KeyNote::Type::flag: return {{"type", "boolean"}};
    case KeyNote::Type::whole:
      return {{"type", "integer"},
              {"minimum", static_cast<std::int64_t>(key.min)},
              {"maximum", static_cast<std::int64_t>(key.max)}};
    case KeyNote::Type::number:
      return {{"type", "number"}, {"minimum", key.min}, {"maximum", key.max}};
    case KeyNote::Type::choice: return {{"enum", key.words}};
    case KeyNote::Type::section: return object();
    case KeyNote::Type::sections: return {{"type", "array"}, {"items", object()}};
    case KeyNote::Type::any: return {{"type", "object"}};
  }
  return {};
}

/// The object that a path leads to, and the last key of the path.
Json& parent_of(Json& root, std::string_view path, std::string& last) {
  Json* place = &root;
  while (true) {
    const std::size_t dot = path.find('.');
    std::string key(path.substr(0, dot));
    if (dot == std::string_view::npos) {
      last = std::move(key);
      return *place;
    }
    const bool list = key.ends_with("[]");
    if (list) key.resize(key.size() - 2);
    place = &(*place)["properties"][key];
    if (list) place = &(*place)["items"];
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string profile_schema() {
  Json root = object();
  for (const KeyNote& note : profile_keys()) {
    std::string key;
    Json& parent = parent_of(root, note.path, key);
    Json schema = schema_of(note);
    if (!note.meaning.empty()) schema["description"] = note.meaning;
    parent["properties"][key] = std::move(schema);
    if (note.need == Need::required) parent["required"].push_back(key);
  }
  Json result = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "ichor.yaml"}};
  result.update(root);
  return result.dump(2) + "\n";
}

}  // namespace ichor
