#include <algorithm>
#include <climits>
#include <fmt/format.h>
#include <optional>

#include "base/check.h"
#include "secrets/sops_formats.h"
#include "yaml/comments.h"
#include "yaml/document.h"
#include "yaml/emit.h"
#include "yaml/go_scalar.h"

// A comment belongs to no node of YAML, but to one of sops' tree: rules can ask for it, and it is
// written back where it was. So each is given a place among the items of a branch or a list, by the
// rules of Go's YAML library as far as they show: a comment behind a value belongs before that
// value; one on a line of its own belongs before what follows, unless it is indented like a deeper
// collection that ended, or stands right below it with an empty line after.

namespace ichor::sops {

namespace {

bool is_before(yaml::Position a, yaml::Position b) {
  return a.line != b.line ? a.line < b.line : a.column < b.column;
}

constexpr yaml::Position kEnd{INT_MAX, 0};

class Reader {
 public:
  Reader(const std::string& file, std::vector<yaml::Comment> comments)
      : file_(file), comments_(std::move(comments)) {}

  Result<Value> document(const yaml::Node& root) {
    Value branch = make_branch();
    if (root.is_mapping()) {
      read_branch(root, kEnd, 1, branch);
    } else if (!root.is_null()) {
      refuse(root.at,
             fmt::format("a document must be a mapping for sops, not {}", yaml::describe(root)));
    }
    while (next_ < comments_.size()) take_into(branch.items, false);
    if (error_) return tl::unexpected(*error_);
    return branch;
  }

 private:
  void refuse(yaml::Position at, const std::string& what) {
    if (!error_) {
      error_ = Error{Errc::invalid, fmt::format("{}: {}", yaml::to_text(file_, at), what)};
    }
  }

  bool has_next(yaml::Position limit) const {
    return next_ < comments_.size() && is_before(comments_[next_].at, limit);
  }

  Value take(bool beside) {
    yaml::Comment& comment = comments_[next_++];
    Value value = make_value(Type::comment, std::move(comment.text));
    value.beside = beside;
    value.at = comment.at;
    return value;
  }
  void take_into(std::vector<Item>& items, bool beside) { items.push_back({{}, take(beside)}); }
  void take_into(std::vector<Value>& list, bool beside) { list.push_back(take(beside)); }

  /// Comments about a scalar that is written between `from` and `limit`.
  template <class Container>
  void take_around(const yaml::Node& scalar, yaml::Position limit, Container& into) {
    if (!scalar.is_null()) {
      while (has_next(scalar.at)) take_into(into, comments_[next_].beside);
    }
    while (has_next(limit) && comments_[next_].beside) take_into(into, true);
  }

  /// Comments at the end of a collection whose entries begin at `column`.
  template <class Container>
  void take_end(int column, yaml::Position limit, Container& into) {
    std::size_t end = next_;
    if (has_next(limit) && comments_[next_].below_content && comments_[next_].at.column >= column) {
      // Right below the last entry: its own, if an empty line follows.
      std::size_t last = next_;
      while (last + 1 < comments_.size() && !comments_[last].above_blank &&
             comments_[last + 1].at.line == comments_[last].at.line + 1) {
        ++last;
      }
      if (comments_[last].above_blank && is_before(comments_[last].at, limit)) end = last + 1;
    }
    for (std::size_t i = next_; i < comments_.size() && is_before(comments_[i].at, limit); ++i) {
      const yaml::Comment& comment = comments_[i];
      if (comment.at.column == column && column > comment.next_column) end = i + 1;
    }
    while (next_ < end) take_into(into, false);
  }

  void read_branch(const yaml::Node& node, yaml::Position limit, int parent_column, Value& branch) {
    int column = parent_column;
    for (std::size_t i = 0; i < node.entries.size() && !error_; ++i) {
      const auto& [key, value] = node.entries[i];
      column = key.at.column;
      while (has_next(key.at)) take_into(branch.items, false);
      const bool last = i + 1 == node.entries.size();
      const yaml::Position end = last ? limit : node.entries[i + 1].key.at;
      if (key.style == yaml::Style::plain &&
          yaml::resolve_go(key.text).type != yaml::GoType::string) {
        refuse(key.at, "sops takes only strings as keys; put the key in quotes");
      }
      const bool is_collection = value.is_mapping() || value.is_sequence();
      const bool is_block = is_collection && value.at.line > key.at.line;
      if (!is_collection) {
        take_around(value, end, branch.items);
      } else if (is_block) {
        while (has_next(value.at) && comments_[next_].beside) take_into(branch.items, false);
      }
      Item item{key.text, {}};
      // A list may stand as far left as the key that it belongs to.
      read_value(value, {end, column, is_block}, item.value);
      branch.items.push_back(std::move(item));
    }
    if (!node.entries.empty()) take_end(column, limit, branch.items);
  }

  void read_list(const yaml::Node& node, yaml::Position limit, int parent_column, Value& list) {
    const int column = node.at.column;
    for (std::size_t i = 0; i < node.items.size() && !error_; ++i) {
      const yaml::Node& item = node.items[i];
      if (!item.is_null()) {
        while (has_next(item.at) && !comments_[next_].beside) take_into(list.list, false);
      }
      const yaml::Position end = i + 1 == node.items.size() ? limit : node.items[i + 1].at;
      const bool is_collection = item.is_mapping() || item.is_sequence();
      if (!is_collection) take_around(item, end, list.list);
      Value value;
      read_value(item, {end, column, is_collection}, value);
      list.list.push_back(std::move(value));
    }
    if (column != parent_column) take_end(column, limit, list.list);
  }

  struct Place {
    yaml::Position limit;
    int parent_column{0};
    bool is_block{false};
  };

  void read_value(const yaml::Node& node, Place place, Value& value) {
    value.at = node.at;
    if (node.is_mapping() || node.is_sequence()) {
      value.type = node.is_mapping() ? Type::branch : Type::list;
      if (!place.is_block) {
        while (has_next(place.limit) && comments_[next_].beside) {
          if (node.is_mapping()) {
            take_into(value.items, false);
          } else {
            take_into(value.list, false);
          }
        }
      }
      if (node.is_mapping()) {
        read_branch(node, place.limit, place.parent_column, value);
      } else {
        read_list(node, place.limit, place.parent_column, value);
      }
      return;
    }
    if (node.style == yaml::Style::quoted && node.is_scalar()) {
      value.type = Type::string;
      value.text = node.text;
      return;
    }
    read_plain_scalar(node, value);
  }

  void read_plain_scalar(const yaml::Node& node, Value& value) {
    yaml::GoScalar scalar = yaml::resolve_go(node.text);
    value.text = std::move(scalar.text);
    switch (scalar.type) {
      case yaml::GoType::null: value.type = Type::null; return;
      case yaml::GoType::string: value.type = Type::string; return;
      case yaml::GoType::integer: value.type = Type::integer; return;
      case yaml::GoType::floating: value.type = Type::floating; return;
      case yaml::GoType::boolean: value.type = Type::boolean; return;
      case yaml::GoType::time: value.type = Type::time; return;
      case yaml::GoType::too_large: break;
    }
    refuse(node.at, "a number beyond 64 bits; put it in quotes");
  }

  const std::string& file_;
  std::vector<yaml::Comment> comments_;
  std::size_t next_{0};
  std::optional<Error> error_;
};

/// Makes a YAML tree of ours, and the remarks about its nodes. The nodes must not be moved after.
class Writer {
 public:
  Result<SecretString> document(const Value& branch) {
    yaml::Node root;
    fill(branch, root);
    std::string text = error_ ? std::string() : yaml::emit(root, remarks_);
    yaml::wipe(root);
    remarks_.clear();
    if (error_) return tl::unexpected(*error_);
    return SecretString(std::move(text));
  }

 private:
  struct Pending {
    std::vector<std::string> above;
    std::string beside;

    void add(const Value& comment) {
      if (comment.beside && beside.empty()) {
        beside = comment.text;
      } else {
        above.push_back(comment.text);
      }
    }
    std::vector<std::string> all() {
      std::vector<std::string> list = std::move(above);
      if (!beside.empty()) list.push_back(std::move(beside));
      *this = {};
      return list;
    }
  };

  static bool is_open(const yaml::Node& node) {
    return !node.entries.empty() || !node.items.empty();
  }

  void put_above(const yaml::Node& node, std::vector<std::string> comments) {
    if (comments.empty()) return;
    auto& above = remarks_[&node].above;
    above.insert(above.begin(), std::make_move_iterator(comments.begin()),
                 std::make_move_iterator(comments.end()));
  }

  void fill(const Value& value, yaml::Node& node) {
    switch (value.type) {
      case Type::branch: return fill_branch(value, node);
      case Type::list: return fill_list(value, node);
      case Type::null: return;
      case Type::string: node.style = yaml::Style::quoted; break;
      case Type::time: remarks_[&node].verbatim = true; break;
      case Type::integer:
      case Type::floating:
      case Type::boolean:
      case Type::comment: break;
    }
    node.kind = yaml::Kind::scalar;
    node.text = value.type == Type::floating  ? yaml::yaml_float(value.text)
                : value.type == Type::boolean ? (value.text == "True" ? "true" : "false")
                                              : value.text;
    if (!is_utf8(node.text) && !error_) {
      error_ = Error{Errc::invalid, "a value is no text but bytes, which YAML cannot hold"};
    }
  }

  void fill_branch(const Value& value, yaml::Node& node) {
    node.kind = yaml::Kind::mapping;
    node.entries.reserve(value.items.size());
    Pending pending;
    for (const Item& item : value.items) {
      if (item.value.is_comment()) {
        pending.add(item.value);
        continue;
      }
      yaml::Entry& entry = node.entries.emplace_back();
      entry.key.kind = yaml::Kind::scalar;
      entry.key.style = yaml::Style::quoted;
      entry.key.text = item.key;
      fill(item.value, entry.value);
      const bool first = node.entries.size() == 1;
      settle(pending, first ? node : entry.key, entry.value);
    }
    auto rest = pending.all();
    if (rest.empty()) return;
    if (node.entries.empty()) return put_above(node, std::move(rest));
    remarks_[&node.entries.back().key].below = std::move(rest);
  }

  void fill_list(const Value& value, yaml::Node& node) {
    node.kind = yaml::Kind::sequence;
    node.items.reserve(value.list.size());
    Pending pending;
    for (const Value& element : value.list) {
      if (element.is_comment()) {
        pending.add(element);
        continue;
      }
      yaml::Node& item = node.items.emplace_back();
      fill(element, item);
      const bool first = node.items.size() == 1;
      settle(pending, first ? node : item, item);
    }
    auto rest = pending.all();
    if (rest.empty()) return;
    if (node.items.empty()) return put_above(node, std::move(rest));
    remarks_[&node.items.back()].below = std::move(rest);
  }

  /// Gives what was pending to a node: comments above to `bearer`, one beside to `value`.
  void settle(Pending& pending, const yaml::Node& bearer, const yaml::Node& value) {
    if (!pending.beside.empty() && !is_open(value)) {
      remarks_[&value].beside = std::move(pending.beside);
      pending.beside.clear();
    }
    put_above(bearer, pending.all());
  }

  yaml::RemarkMap remarks_;
  std::optional<Error> error_;
};

}  // namespace

Result<Tree> read_yaml(std::string_view text, const std::string& file) {
  auto documents = yaml::parse(text, file);
  if (!documents) return forward_error(documents);
  std::vector<yaml::Comment> comments = yaml::find_comments(text);
  Tree tree;
  std::optional<Error> error;
  std::size_t next = 0;
  for (std::size_t i = 0; i < documents->size(); ++i) {
    std::vector<yaml::Comment> own;
    const bool last = i + 1 == documents->size();
    while (next < comments.size() && (last || comments[next].document <= i)) {
      own.push_back(std::move(comments[next++]));
    }
    auto branch = Reader(file, std::move(own)).document((*documents)[i].root);
    yaml::wipe((*documents)[i].root);
    if (branch) {
      tree.documents.push_back(*std::move(branch));
    } else if (!error) {
      error = branch.error();
    }
  }
  if (error) return tl::unexpected(*error);
  return tree;
}

Result<SecretString> write_yaml(const Tree& tree) {
  std::string text;
  for (const Value& document : tree.documents) {
    const auto part = Writer().document(document);
    if (!part) return forward_error(part);
    if (!text.empty()) text += "---\n";
    text += part->reveal();
  }
  return SecretString(std::move(text));
}

}  // namespace ichor::sops
