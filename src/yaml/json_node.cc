#include "yaml/json_node.h"

#include "base/clean_text.h"
#include "yaml/build.h"
#include "yaml/emit.h"

namespace ichor::yaml {

namespace {

using Json = nlohmann::ordered_json;

Node convert(const Json& json) {
  switch (json.type()) {
    case Json::value_t::null:
    case Json::value_t::discarded: return make_null();
    case Json::value_t::string: return make_string(json.get_ref<const std::string&>());
    case Json::value_t::array: {
      std::vector<Node> items;
      for (const Json& item : json) items.push_back(convert(item));
      return list(std::move(items));
    }
    case Json::value_t::object: {
      Map map;
      for (const auto& [key, value] : json.items()) map.set(key, convert(value));
      return std::move(map).done();
    }
    case Json::value_t::boolean:
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
    case Json::value_t::number_float:
    case Json::value_t::binary: break;
  }
  // JSON's numbers, true and false are the same words in YAML.
  Node node;
  node.kind = Kind::scalar;
  node.text = json.dump();
  return node;
}

/// Writes out in escapes what must not reach a terminal as it is.
void escape_unclean(Node& node, RemarkMap& remarks) {
  if (node.kind == Kind::scalar && !is_clean(node.text)) {
    node.text = ascii_scalar(node.text);
    remarks[&node].verbatim = true;
  }
  for (Node& item : node.items) escape_unclean(item, remarks);
  for (Entry& entry : node.entries) {
    escape_unclean(entry.key, remarks);
    escape_unclean(entry.value, remarks);
  }
}

}  // namespace

Node from_json(const Json& json) {
  // Written and read once, because that is where the library repairs texts.
  return convert(Json::parse(json.dump(-1, ' ', false, Json::error_handler_t::replace)));
}

std::string document_of(const Json& json) {
  Node root = from_json(json);
  RemarkMap remarks;
  escape_unclean(root, remarks);
  return "---\n" + emit(root, remarks);
}

}  // namespace ichor::yaml
