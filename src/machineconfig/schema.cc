#include "machineconfig/schema.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "base/check.h"

namespace ichor::schema {

namespace {

// One line per key, as `key type words`. A type is a shape, an object or an enum by name; `type?`
// tells unset from zero, `[type]` is a list and `{type}` a mapping. apiVersion, kind and, if the
// document is named, name are not written out. A word, of an enum or behind a key, that came or
// went with a version is `word>=1.13` or `word<1.13`.
constexpr std::string_view kTables[] = {
#include "machineconfig/schema/enums.inc"
    ,
#include "machineconfig/schema/machine.inc"
    ,
#include "machineconfig/schema/cluster.inc"
    ,
#include "machineconfig/schema/network.inc"
    ,
#include "machineconfig/schema/block.inc"
    ,
#include "machineconfig/schema/other.inc"
};

constexpr std::pair<std::string_view, Shape> kShapes[] = {
    {"text", Shape::text},
    {"flag", Shape::flag},
    {"int64", Shape::int64},
    {"int32", Shape::int32},
    {"uint8", Shape::uint8},
    {"uint16", Shape::uint16},
    {"uint32", Shape::uint32},
    {"uint64", Shape::uint64},
    {"duration", Shape::duration},
    {"url", Shape::url},
    {"base64", Shape::base64},
    {"address", Shape::address},
    {"prefix", Shape::prefix},
    {"address_port", Shape::address_port},
    {"hex_bytes", Shape::hex_bytes},
    {"byte_size", Shape::byte_size},
    {"size", Shape::size},
    {"disk_size", Shape::disk_size},
    {"file_mode", Shape::file_mode},
    {"size_condition", Shape::size_condition},
    {"cel", Shape::cel},
    {"port_range", Shape::port_range},
    {"argument", Shape::argument},
    {"routing_table", Shape::routing_table},
    {"free", Shape::free},
};

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

/// The part behind `prefix`; nothing if the word begins otherwise.
std::optional<std::string_view> value_of(std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return std::nullopt;
  return word.substr(prefix.size());
}

int minor_of(std::string_view version) {
  check(version.starts_with("1."), "a version of Talos 1");
  version.remove_prefix(2);
  int minor = 0;
  std::from_chars(version.data(), version.data() + version.size(), minor);
  return minor;
}

/// A word and the versions in which it holds.
std::pair<std::string_view, Span> split_span(std::string_view word) {
  Span span{0};
  const std::size_t sign = word.find_first_of("<>");
  if (sign == std::string_view::npos) return {word, span};
  const bool came = word[sign] == '>';
  (came ? span.since_minor : span.before_minor) = minor_of(word.substr(sign + (came ? 2 : 1)));
  return {word.substr(0, sign), span};
}

}  // namespace

/// Makes the schema of the tables. Objects name each other in any order, so that names are kept
/// until all are there.
class TableReader {
 public:
  Schema read() {
    for (const std::string_view table : kTables) read_table(table);
    for (Object& object : schema_.objects_) resolve(object);
    for (DocumentKind& document : schema_.documents_) {
      resolve(document.object);
      document.object.name = document.kind;
    }
    std::sort(schema_.documents_.begin(), schema_.documents_.end(),
              [](const DocumentKind& a, const DocumentKind& b) { return a.kind < b.kind; });
    schema_.config_ = find_object("Config");
    check(schema_.config_ != nullptr, "the tables have the v1alpha1 document");
    return std::move(schema_);
  }

 private:
  void read_table(std::string_view table) {
    Object* open = nullptr;
    while (!table.empty()) {
      const std::size_t end = std::min(table.find('\n'), table.size());
      std::string_view line = table.substr(0, end);
      table.remove_prefix(std::min(end + 1, table.size()));
      if (line.empty()) continue;
      if (line.starts_with(' ')) {
        check(open != nullptr, "a key belongs to an object");
        read_field(*open, line);
        continue;
      }
      const std::string_view what = next_word(line);
      if (what == "object") {
        open = &schema_.objects_.emplace_back();
        open->name = next_word(line);
      } else if (what == "document") {
        open = &read_document(line);
      } else {
        check(what == "enum", "a line of the tables");
        Choice& choice = schema_.choices_.emplace_back();
        choice.name = next_word(line);
        while (!line.empty()) {
          const auto [text, span] = split_span(next_word(line));
          choice.words.push_back({std::string(text), span});
        }
      }
    }
  }

  Object& read_document(std::string_view line) {
    DocumentKind& document = schema_.documents_.emplace_back();
    document.kind = next_word(line);
    // An object of the v1alpha1 document may have the same name.
    document.object.name = "document " + document.kind;
    while (!line.empty()) {
      const std::string_view word = next_word(line);
      if (word == "named") document.named = true;
      if (const auto since = value_of(word, "since=")) document.since_minor = minor_of(*since);
      if (const auto claims = value_of(word, "claims=")) document.claims = *claims;
    }
    read_field(document.object, "apiVersion text");
    read_field(document.object, "kind text keep");
    if (document.named) read_field(document.object, "name text keep");
    return document.object;
  }

  void read_field(Object& object, std::string_view line) {
    Field& field = object.fields.emplace_back();
    field.key = next_word(line);
    std::string_view type = next_word(line);
    field.pointer = type.ends_with('?');
    if (field.pointer) type.remove_suffix(1);
    if (type.starts_with('[') || type.starts_with('{')) {
      field.form = type.front() == '[' ? Form::list : Form::map;
      type = type.substr(1, type.size() - 2);
    }
    types_[{object.name, field.key}] = type;
    while (!line.empty()) {
      const auto [word, span] = split_span(next_word(line));
      if (word == "keep") field.keep = span;
      if (word == "shown-empty") field.shown_empty = span;
      if (word == "replace") field.replace = span;
      if (word == "no-empty-items") field.no_empty_items = true;
      if (word == "identity") field.identity = true;
      if (word == "secret") field.secret = true;
      if (const auto key = value_of(word, "by=")) field.merge_key = *key;
      if (const auto since = value_of(word, "since=")) field.since_minor = minor_of(*since);
    }
  }

  void resolve(Object& object) const {
    for (Field& field : object.fields) {
      const std::string_view type = types_.at({object.name, field.key});
      const auto shape = std::find_if(std::begin(kShapes), std::end(kShapes),
                                      [&](const auto& known) { return known.first == type; });
      if (shape != std::end(kShapes)) {
        field.shape = shape->second;
        continue;
      }
      field.object = find_object(type);
      for (const Choice& choice : schema_.choices_) {
        if (choice.name == type) field.choice = &choice;
      }
      field.shape = field.object != nullptr ? Shape::object : Shape::choice;
      check(field.object != nullptr || field.choice != nullptr, type);
    }
  }

  const Object* find_object(std::string_view name) const {
    for (const Object& object : schema_.objects_) {
      if (object.name == name) return &object;
    }
    return nullptr;
  }

  Schema schema_;
  std::map<std::pair<std::string, std::string>, std::string_view> types_;
};

std::vector<std::string> Choice::words_of(int minor) const {
  std::vector<std::string> known;
  for (const Word& word : words) {
    if (word.span.holds(minor)) known.push_back(word.text);
  }
  return known;
}

const Field* Object::find(std::string_view key) const {
  for (const Field& field : fields) {
    if (field.key == key) return &field;
  }
  return nullptr;
}

const DocumentKind* Schema::find(std::string_view kind) const {
  for (const DocumentKind& document : documents_) {
    if (document.kind == kind) return &document;
  }
  return nullptr;
}

const Schema& Schema::get() {
  static const Schema schema = TableReader().read();
  return schema;
}

}  // namespace ichor::schema
