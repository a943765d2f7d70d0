#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/finding.h"
#include "profile/source.h"
#include "yaml/node.h"

namespace ichor {

/// Whether a key may be left out.
enum class Need { optional, required };

/// What a reader asked for: the description of one key.
struct KeyNote {
  enum class Type {
    text,
    texts,
    text_map,
    flag,
    whole,
    number,
    duration,
    choice,
    section,
    sections,
    any
  };
  std::string path;  // "nodes.worker.assignments[].ip"
  Type type{Type::text};
  Need need{Need::optional};
  std::string meaning;
  std::vector<std::string> words;  // of a choice
  double min{0}, max{0};           // of a number
};

/// Findings in the making, and the positions of all that was read.
struct ReadingLog {
  ProfileSource source;
  std::vector<std::pair<yaml::Position, Finding>> findings;
  /// If set, every key that is asked for is noted here, and sections and lists of sections are
  /// taken for present, so that a reader of an empty mapping tells all that it knows.
  std::vector<KeyNote>* notes{nullptr};

  void add(yaml::Position at, std::string id, std::string what, std::string fix);
  /// In the order of the file.
  std::vector<Finding> take();
};

/// Reads one mapping key by key. Every read names a key that is known; finish() reports the others.
/// A value that is missing or wrong leaves the target as it was and is reported with its place, so
/// that one reading finds everything.
class MappingReader {
 public:
  MappingReader(ReadingLog& log, const yaml::Node& node, std::string path);

  /// A text, accepted by `accepts` or refused as "must be `meaning`".
  using Accepts = std::function<bool(std::string&)>;
  void text(std::string_view key, std::string& target, Need need = Need::optional,
            std::string_view meaning = {}, const Accepts& accepts = {});
  void texts(std::string_view key, std::vector<std::string>& target, std::string_view meaning = {},
             const Accepts& accepts = {});
  void text_map(std::string_view key, std::map<std::string, std::string>& target);
  void flag(std::string_view key, bool& target);
  std::optional<std::int64_t> whole(std::string_view key, std::int64_t min, std::int64_t max);
  void number(std::string_view key, double min, double max, double& target);
  void duration(std::string_view key, Duration& target);
  /// One of a few words; the index of the word.
  std::optional<std::size_t> choice(std::string_view key,
                                    const std::vector<std::string_view>& words);

  /// A mapping below a key. If it is not there or no mapping, an empty one in which nothing is
  /// missing.
  MappingReader section(std::string_view key, Need need = Need::optional);
  /// The mappings of a list.
  std::vector<MappingReader> sections(std::string_view key, Need need = Need::optional);

  /// A value that is taken as it is; nullptr if it is not there or null.
  const yaml::Node* raw(std::string_view key, Need need = Need::optional);
  /// A mapping that is taken as it is; nullptr if it is not there or no mapping.
  const yaml::Node* mapping(std::string_view key);

  /// Reports the keys that were not asked for. Call once, last.
  void finish();
  /// Instead of finish(), where people keep keys of their own: only a key that is spelled almost
  /// like a known one is reported, as a warning.
  void finish_open();

  /// Whether there is a mapping at all.
  bool there() const { return there_; }
  bool has(std::string_view key) const { return node_->find(key) != nullptr; }
  const std::string& path() const { return path_; }
  std::string path_of(std::string_view key) const;
  /// Reports something about a key, or about the mapping if the key is not there.
  void report(std::string_view key, std::string id, std::string what, std::string fix);
  /// The same for what works and is seldom meant.
  void warn(std::string_view key, std::string id, std::string what, std::string fix);

 private:
  /// The value of a key, remembered as known; nullptr if it is not there or empty, which is
  /// reported where it matters.
  const yaml::Node* take(std::string_view key, Need need);
  void note(std::string_view key, KeyNote::Type type, Need need = Need::optional,
            std::string_view meaning = {});
  void wrong_type(std::string_view key, const yaml::Node& value, std::string_view wanted);
  void wrong_value(const yaml::Node& value, const std::string& path, std::string_view wanted);
  bool accepted(const yaml::Node& value, const std::string& path, std::string& text,
                std::string_view meaning, const Accepts& accepts);

  ReadingLog* log_;
  const yaml::Node* node_;
  std::string path_;
  bool there_{true};
  std::vector<std::string_view> known_;
};

}  // namespace ichor
