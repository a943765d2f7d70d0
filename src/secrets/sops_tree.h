#pragma once

#include <string>
#include <vector>

#include "yaml/node.h"

namespace ichor::sops {

enum class Type { null, string, integer, floating, boolean, time, comment, branch, list };

struct Item;

/// One value of a document as sops sees it: the tree is the same for every file format, and
/// comments are part of it.
struct Value {
  Type type{Type::null};
  /// In the form that sops hashes and encrypts, see yaml/go_scalar.h; of a comment what follows #.
  std::string text;
  bool beside{false};       // of a comment: behind the value of the next item, on its line
  std::vector<Item> items;  // of a branch
  std::vector<Value> list;
  yaml::Position at;

  bool is_comment() const { return type == Type::comment; }
  bool is_leaf() const { return type != Type::branch && type != Type::list; }
};

/// A key and its value, or a comment, which has no key.
struct Item {
  std::string key;
  Value value;
};

Value make_value(Type type, std::string text);
Value make_branch();

/// The value of a key of a branch; nullptr if there is none.
const Value* find(const Value& branch, std::string_view key);

/// All documents of a file; each is a branch. The texts are overwritten when it dies.
struct Tree {
  Tree() = default;
  Tree(Tree&&) = default;
  Tree& operator=(Tree&&) = delete;
  ~Tree();

  std::vector<Value> documents;
};

}  // namespace ichor::sops
