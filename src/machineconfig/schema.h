#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/node.h"
#include "model/talos_release.h"

namespace ichor::schema {

/// What a value is, and so how its text is read, compared and written.
enum class Shape {
  text,
  flag,
  int64,
  int32,
  uint8,
  uint16,
  uint32,
  uint64,
  duration,  // "90s" of Go
  url,       // merged part by part
  base64,
  address,  // IPv4 or IPv6
  prefix,   // address and length
  address_port,
  hex_bytes,       // "2e:3c:4d": MAC addresses and DUIDs
  byte_size,       // "10GiB", kept as written
  size,            // byte_size or percents
  disk_size,       // bytes, written as "10 GB" where that is exact
  file_mode,       // written in octal
  size_condition,  // ">= 10GB"
  cel,             // an expression, kept as written
  port_range,      // 80 or "1200-1299"
  argument,        // a text or a list of texts
  routing_table,   // a number or a name
  choice,          // one of a few words
  free,            // a mapping that Talos does not look into
  object,
};

/// A value, a list of such values, or a mapping with any keys to such values.
enum class Form { one, list, map };

/// The minor versions of Talos 1.x in which something holds; none by default.
struct Span {
  int since_minor{99};
  int before_minor{99};

  bool holds(int minor) const { return since_minor <= minor && minor < before_minor; }
};

/// The words of a choice. The first is that of zero, which counts as not set.
struct Choice {
  struct Word {
    std::string text;
    Span span{0};
  };
  std::string name;
  std::vector<Word> words;

  /// The words that Talos 1.`minor` takes.
  std::vector<std::string> words_of(int minor) const;
};

struct Object;

/// One key of an object.
struct Field {
  std::string key;
  Shape shape{Shape::text};
  Form form{Form::one};
  const Object* object{nullptr};  // of Shape::object
  const Choice* choice{nullptr};  // of Shape::choice
  /// Not set and zero are two things; otherwise zero, "", false and {} mean not set.
  bool pointer{false};
  /// Written even when it is not set.
  Span keep;
  /// Written when it is set, even if it is empty.
  Span shown_empty;
  /// A patch replaces the whole instead of adding to it.
  Span replace;
  /// A patch adds to the item of a list that has the same value under this key, or replaces it if
  /// `replace` says so.
  std::string merge_key;
  /// An item without a value is a mistake, by the versions whose rules refuse it.
  bool no_empty_items{false};
  /// Of the cluster's secrets: whoever changes it alone is locked out.
  bool identity{false};
  /// Never shown.
  bool secret{false};
  /// The first minor version of Talos that has it, of those that we know key by key.
  int since_minor{0};
};

struct Object {
  std::string name;
  std::vector<Field> fields;  // in the order in which Talos writes them

  const Field* find(std::string_view key) const;
};

/// A typed document: its apiVersion is v1alpha1, and `kind` tells its object.
struct DocumentKind {
  std::string kind;
  Object object;
  bool named{false};   // `name` is part of its identity
  int since_minor{0};  // of Talos 1.x
  /// Two documents of one name must not claim the same: "link", "vip", "volume".
  std::string claims;
};

/// Everything that a machine config may hold, by the newest Talos that we know.
class Schema {
 public:
  /// The minor versions of Talos that it knows key by key.
  static constexpr int kOldestMinor = 12;
  static constexpr int kNewestMinor = kTalosReleases.back().version.minor;
  /// Whose rules hold for a config that shows nothing younger.
  static constexpr int kUsualMinor = 13;

  static const Schema& get();

  /// The v1alpha1 document: version, debug, persist, machine, cluster.
  const Object& config() const { return *config_; }
  /// All typed documents, by kind.
  const std::vector<DocumentKind>& documents() const { return documents_; }
  const DocumentKind* find(std::string_view kind) const;

 private:
  friend class TableReader;
  std::vector<DocumentKind> documents_;
  std::vector<Object> objects_;
  std::vector<Choice> choices_;
  const Object* config_{nullptr};
};

}  // namespace ichor::schema
