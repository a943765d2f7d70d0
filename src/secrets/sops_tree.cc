#include "secrets/sops_tree.h"

#include <openssl/crypto.h>

namespace ichor::sops {

namespace {

void wipe(Value& value) {
  OPENSSL_cleanse(value.text.data(), value.text.size());
  for (Item& item : value.items) wipe(item.value);
  for (Value& element : value.list) wipe(element);
}

}  // namespace

Value make_value(Type type, std::string text) {
  Value value;
  value.type = type;
  value.text = std::move(text);
  return value;
}

Value make_branch() { return make_value(Type::branch, {}); }

const Value* find(const Value& branch, std::string_view key) {
  for (const Item& item : branch.items) {
    if (!item.value.is_comment() && item.key == key) return &item.value;
  }
  return nullptr;
}

Tree::~Tree() {
  for (Value& document : documents) wipe(document);
}

}  // namespace ichor::sops
