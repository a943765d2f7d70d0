#include "yaml/build.h"

namespace ichor::yaml {

namespace {

Node plain_scalar(std::string text) {
  Node node;
  node.kind = Kind::scalar;
  node.text = std::move(text);
  return node;
}

}  // namespace

Node make_string(std::string_view text) {
  Node node = plain_scalar(std::string(text));
  node.style = Style::quoted;
  return node;
}

Node make_bool(bool flag) { return plain_scalar(flag ? "true" : "false"); }

Node make_int(std::int64_t number) { return plain_scalar(std::to_string(number)); }

Node make_null() {
  Node node;
  node.text = "null";
  return node;
}

Node list(const std::vector<std::string>& texts) {
  Node node;
  node.kind = Kind::sequence;
  node.items.reserve(texts.size());
  for (const std::string& text : texts) node.items.push_back(make_string(text));
  return node;
}

Node list(std::vector<Node> items) {
  Node node;
  node.kind = Kind::sequence;
  node.items = std::move(items);
  return node;
}

void Map::put(std::string_view key, Node v) {
  for (Entry& entry : node_.entries) {
    if (entry.key.text == key) {
      entry.value = std::move(v);
      return;
    }
  }
  node_.entries.push_back({make_string(key), std::move(v)});
}

}  // namespace ichor::yaml
