#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ichor::yaml {

enum class Kind { null, scalar, sequence, mapping };

/// Whether the text may be read as something else than a string. Quoted, literal and folded scalars
/// and those tagged !!str are `quoted`: they are strings whatever they look like.
enum class Style { plain, quoted };

/// What a scalar is by the core schema of YAML 1.2. `yes`, `no`, `on` and `off` are strings.
enum class ScalarType { null, boolean, integer, floating, string };

/// Line and column as editors count them, from 1. Zero: the node was built, not read.
struct Position {
  int line{0};
  int column{0};
  bool operator==(const Position&) const = default;
};

struct Entry;

/// One node of a YAML document as a plain value: copies are deep and independent. Aliases and merge
/// keys are already resolved; comments are gone; entries keep the order of the file.
struct Node {
  Kind kind{Kind::null};
  Style style{Style::plain};
  Position at;
  std::string text;            // scalar: its content; null: how it was written, mostly ""
  std::vector<Node> items;     // sequence
  std::vector<Entry> entries;  // mapping; keys are scalars and no two have the same text

  bool is_null() const { return kind == Kind::null; }
  bool is_scalar() const { return kind == Kind::scalar; }
  bool is_sequence() const { return kind == Kind::sequence; }
  bool is_mapping() const { return kind == Kind::mapping; }

  /// The value of a key; nullptr if this is not a mapping or has no such key.
  const Node* find(std::string_view key) const;
  /// find() along several keys: `find_path({"machine", "ca", "crt"})`.
  const Node* find_path(std::initializer_list<std::string_view> keys) const;

  /// `null` for Kind::null, `string` for what is quoted; collections have none.
  std::optional<ScalarType> scalar_type() const;

  /// true, True, TRUE and their opposites, unquoted.
  std::optional<bool> as_bool() const;
  /// Decimal, 0o17 or 0x1f, unquoted, within 64 bits. A decimal with a leading zero is refused,
  /// because YAML 1.1 and Go read it as octal.
  std::optional<std::int64_t> as_int() const;
  std::optional<double> as_double() const;
  /// The text of a scalar that is a string; not of 5, true or null.
  std::optional<std::string_view> as_string() const;
  /// The text of any scalar as it was written, so that `version: 1.12` can be read as "1.12".
  std::optional<std::string_view> as_text() const;
};

struct Entry {
  Node key;
  Node value;
};

/// "a string", "a mapping", "true or false": for messages about a wrong type.
std::string_view describe(const Node& node);

/// How many nodes the tree has, keys included, and how many levels (a scalar is one).
std::size_t count_nodes(const Node& node);
int height(const Node& node);

/// Overwrites all texts and empties the tree: for trees that held secrets.
void wipe(Node& node);

}  // namespace ichor::yaml
