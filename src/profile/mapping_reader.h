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

/// Findings in the making, and the positions of all that was read.
struct ReadingLog {
  ProfileSource source;
  std::vector<std::pair<yaml::Position, Finding>> findings;

  void add(yaml::Position at, std::string id, std::string what, std::string fix);
  /// In the order of the file.
  std::vector<Finding> take();
};

/// Whether a key may be left out.
enum class Need { optional, required };

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

  /// A mapping that is taken as it is; nullptr if it is not there or no mapping.
  const yaml::Node* mapping(std::string_view key);

  /// Reports the keys that nobody asked for. Call once, last.
  void finish();

  /// Whether there is a mapping at all.
  bool there() const { return there_; }
  bool has(std::string_view key) const { return node_->find(key) != nullptr; }
  const std::string& path() const { return path_; }
  std::string path_of(std::string_view key) const;
  /// Reports something about a key, or about the mapping if the key is not there.
  void report(std::string_view key, std::string id, std::string what, std::string fix);

 private:
  /// The value of a key, remembered as known; nullptr if it is not there or empty, which is
  /// reported where it matters.
  const yaml::Node* take(std::string_view key, Need need);
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
