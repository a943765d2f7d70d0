#include "profile/mapping_reader.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/duration.h"
#include "base/nearest_name.h"

namespace ichor {

namespace {

const yaml::Node& empty_mapping() {
  static const yaml::Node node = [] {
    yaml::Node mapping;
    mapping.kind = yaml::Kind::mapping;
    return mapping;
  }();
  return node;
}

/// A value as it may be shown: short, on one line, without control characters.
std::string shown(std::string_view text) {
  constexpr std::size_t length_max = 60;
  std::string result(text.substr(0, length_max));
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  if (text.size() > length_max) result += "...";
  return result;
}

}  // namespace

void ReadingLog::add(yaml::Position at, std::string id, std::string what, std::string fix) {
  Finding finding;
  finding.id = std::move(id);
  finding.where = yaml::to_text(source.file(), at);
  finding.what = std::move(what);
  finding.fix = std::move(fix);
  findings.emplace_back(at, std::move(finding));
}

std::vector<Finding> ReadingLog::take() {
  std::stable_sort(findings.begin(), findings.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first.line, a.first.column) < std::pair(b.first.line, b.first.column);
  });
  std::vector<Finding> result;
  for (auto& [at, finding] : findings) result.push_back(std::move(finding));
  return result;
}

MappingReader::MappingReader(ReadingLog& log, const yaml::Node& node, std::string path)
    : log_(&log), node_(&node), path_(std::move(path)) {
  if (node.is_mapping()) return;
  if (!node.is_null()) {
    log.add(node.at, "profile.type",
            fmt::format("{} must be a mapping, not {}", path_.empty() ? "the profile" : path_,
                        describe(node)),
            "write `key: value` lines here");
  }
  node_ = &empty_mapping();
  there_ = false;
}

std::string MappingReader::path_of(std::string_view key) const {
  return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
}

void MappingReader::report(std::string_view key, std::string id, std::string what,
                           std::string fix) {
  const yaml::Node* value = node_->find(key);
  const yaml::Position at = value != nullptr ? value->at : log_->source.position(path_);
  log_->add(at, std::move(id), std::move(what), std::move(fix));
}

void MappingReader::warn(std::string_view key, std::string id, std::string what, std::string fix) {
  report(key, std::move(id), std::move(what), std::move(fix));
  log_->findings.back().second.severity = Severity::warning;
}

const yaml::Node* MappingReader::take(std::string_view key, Need need) {
  known_.push_back(key);
  const yaml::Node* value = node_->find(key);
  if (value == nullptr) {
    if (need == Need::required && there_) {
      report(key, "profile.missing", fmt::format("{} is missing", path_of(key)),
             fmt::format("add `{}:`", key));
    }
    return nullptr;
  }
  log_->source.remember(path_of(key), value->at);
  if (!value->is_null()) return value;
  report(key, "profile.missing", fmt::format("{} has no value", path_of(key)),
         "give it a value or remove the line");
  return nullptr;
}

void MappingReader::wrong_type(std::string_view key, const yaml::Node& value,
                               std::string_view wanted) {
  const auto text = value.as_text();
  const std::string got =
      text ? fmt::format("{} (`{}`)", describe(value), shown(*text)) : std::string(describe(value));
  log_->add(value.at, "profile.type",
            fmt::format("{} must be {}, not {}", path_of(key), wanted, got),
            fmt::format("write {} here", wanted));
}

void MappingReader::wrong_value(const yaml::Node& value, const std::string& path,
                                std::string_view wanted) {
  log_->add(value.at, "profile.value",
            fmt::format("{} is `{}`, which is not {}", path, shown(value.text), wanted),
            fmt::format("write {} here", wanted));
}

bool MappingReader::accepted(const yaml::Node& value, const std::string& path, std::string& text,
                             std::string_view meaning, const Accepts& accepts) {
  if (!accepts || accepts(text)) return true;
  wrong_value(value, path, meaning);
  return false;
}

void MappingReader::note(std::string_view key, KeyNote::Type type, Need need,
                         std::string_view meaning) {
  if (log_->notes == nullptr) return;
  log_->notes->push_back({path_of(key), type, need, std::string(meaning), {}, 0, 0});
}

void MappingReader::text(std::string_view key, std::string& target, Need need,
                         std::string_view meaning, const Accepts& accepts) {
  note(key, KeyNote::Type::text, need, meaning);
  const yaml::Node* value = take(key, need);
  if (value == nullptr) return;
  const auto text = value->as_text();
  if (!text) return wrong_type(key, *value, meaning.empty() ? "a string" : meaning);
  std::string candidate(*text);
  if (candidate.empty()) {
    report(key, "profile.missing", fmt::format("{} is empty", path_of(key)),
           "give it a value or remove the line");
  } else if (accepted(*value, path_of(key), candidate, meaning, accepts)) {
    target = std::move(candidate);
  }
}

void MappingReader::texts(std::string_view key, std::vector<std::string>& target,
                          std::string_view meaning, const Accepts& accepts) {
  note(key, KeyNote::Type::texts, Need::optional, meaning);
  const yaml::Node* value = take(key, Need::optional);
  if (value == nullptr) return;
  if (!value->is_sequence()) return wrong_type(key, *value, "a list");
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    const yaml::Node& item = value->items[i];
    const std::string path = fmt::format("{}[{}]", path_of(key), i);
    log_->source.remember(path, item.at);
    const auto text = item.as_text();
    std::string candidate(text.value_or(""));
    if (!text || candidate.empty()) {
      log_->add(item.at, "profile.type",
                fmt::format("{} must be a string, not {}", path, describe(item)),
                "write a string here or remove the line");
    } else if (accepted(item, path, candidate, meaning, accepts)) {
      target.push_back(std::move(candidate));
    }
  }
}

void MappingReader::text_map(std::string_view key, std::map<std::string, std::string>& target) {
  note(key, KeyNote::Type::text_map);
  const yaml::Node* value = take(key, Need::optional);
  if (value == nullptr) return;
  if (!value->is_mapping()) return wrong_type(key, *value, "a mapping");
  for (const yaml::Entry& entry : value->entries) {
    const std::string path = fmt::format("{}.{}", path_of(key), entry.key.text);
    log_->source.remember(path, entry.value.at);
    if (entry.value.is_null()) {
      target[entry.key.text] = "";
    } else if (const auto text = entry.value.as_text()) {
      target[entry.key.text] = std::string(*text);
    } else {
      log_->add(entry.value.at, "profile.type",
                fmt::format("{} must be a string, not {}", path, describe(entry.value)),
                "write a string here");
    }
  }
}

void MappingReader::flag(std::string_view key, bool& target) {
  note(key, KeyNote::Type::flag);
  const yaml::Node* value = take(key, Need::optional);
  if (value == nullptr) return;
  const auto flag = value->as_bool();
  if (!flag) return wrong_type(key, *value, "true or false");
  target = *flag;
}

std::optional<std::int64_t> MappingReader::whole(std::string_view key, std::int64_t min,
                                                 std::int64_t max) {
  note(key, KeyNote::Type::whole);
  if (log_->notes != nullptr) {
    log_->notes->back().min = static_cast<double>(min);
    log_->notes->back().max = static_cast<double>(max);
  }
  const yaml::Node* value = take(key, Need::optional);
  if (value == nullptr) return std::nullopt;
  const std::string wanted = fmt::format("an integer from {} to {}", min, max);
  const auto number = value->as_int();
  if (number && *number >= min && *number <= max) return number;
  if (value->scalar_type() == yaml::ScalarType::integer) {
    wrong_value(*value, path_of(key), wanted);
  } else {
    wrong_type(key, *value, wanted);
  }
  return std::nullopt;
}

void MappingReader::number(std::string_view key, double min, double max, double& target) {
  note(key, KeyNote::Type::number);
  if (log_->notes != nullptr) {
    log_->notes->back().min = min;
    log_->notes->back().max = max;
  }
  const yaml::Node* value = take(key, Need::optional);
  if (value == nullptr) return;
  const auto number = value->as_double();
  const std::string wanted = fmt::format("a number from {} to {}", min, max);
  if (!number) return wrong_type(key, *value, wanted);
  // Written so that a NaN fails.
  if (!(*number >= min && *number <= max)) return wrong_value(*value, path_of(key), wanted);
  target = *number;
}

void MappingReader::duration(std::string_view key, Duration& target) {
  note(key, KeyNote::Type::duration, Need::optional, "a duration such as 90s or 5m");
  const yaml::Node* value = take(key, Need::optional);
  if (value == nullptr) return;
  constexpr std::string_view wanted = "a duration such as 90s or 5m";
  const auto text = value->as_text();
  if (!text) return wrong_type(key, *value, wanted);
  const auto duration = parse_duration(*text);
  if (!duration || *duration == Duration::zero()) return wrong_value(*value, path_of(key), wanted);
  target = *duration;
}

std::optional<std::size_t> MappingReader::choice(std::string_view key,
                                                 const std::vector<std::string_view>& words) {
  note(key, KeyNote::Type::choice);
  if (log_->notes != nullptr) log_->notes->back().words.assign(words.begin(), words.end());
  const yaml::Node* value = take(key, Need::optional);
  if (value == nullptr) return std::nullopt;
  const auto text = value->as_text();
  if (!text) {
    wrong_type(key, *value, fmt::format("one of {}", fmt::join(words, ", ")));
    return std::nullopt;
  }
  const auto found = std::find(words.begin(), words.end(), *text);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  log_->add(value->at, "profile.value",
            fmt::format("{} is `{}`, which is none of {}", path_of(key), shown(*text),
                        fmt::join(words, ", ")),
            nearest_name(*text, words).empty() ? fmt::format("write {}", fmt::join(words, " or "))
                                               : name_hint(*text, words));
  return std::nullopt;
}

MappingReader MappingReader::section(std::string_view key, Need need) {
  note(key, KeyNote::Type::section, need);
  if (log_->notes != nullptr) return {*log_, empty_mapping(), path_of(key)};
  static const yaml::Node nothing;
  const yaml::Node* value = take(key, need);
  return {*log_, value != nullptr ? *value : nothing, path_of(key)};
}

std::vector<MappingReader> MappingReader::sections(std::string_view key, Need need) {
  note(key, KeyNote::Type::sections, need);
  if (log_->notes != nullptr) return {MappingReader(*log_, empty_mapping(), path_of(key) + "[]")};
  std::vector<MappingReader> result;
  const yaml::Node* value = take(key, need);
  if (value == nullptr) return result;
  if (!value->is_sequence()) {
    wrong_type(key, *value, "a list");
    return result;
  }
  for (std::size_t i = 0; i < value->items.size(); ++i) {
    const std::string path = fmt::format("{}[{}]", path_of(key), i);
    const yaml::Node& item = value->items[i];
    log_->source.remember(path, item.at);
    if (item.is_null()) {
      log_->add(item.at, "profile.missing", fmt::format("{} has no value", path),
                "describe a node here or remove the line");
    } else {
      result.emplace_back(*log_, item, path);
    }
  }
  return result;
}

const yaml::Node* MappingReader::raw(std::string_view key, Need need) {
  note(key, KeyNote::Type::any, need);
  const yaml::Node* value = node_->find(key);
  if (need == Need::required || (value != nullptr && !value->is_null())) return take(key, need);
  known_.push_back(key);
  return nullptr;
}

const yaml::Node* MappingReader::mapping(std::string_view key) {
  note(key, KeyNote::Type::any, Need::optional, "a mapping");
  const yaml::Node* value = take(key, Need::optional);
  if (value == nullptr) return nullptr;
  if (value->is_mapping()) return value;
  wrong_type(key, *value, "a mapping");
  return nullptr;
}

void MappingReader::finish_open() {
  for (const yaml::Entry& entry : node_->entries) {
    const std::string& name = entry.key.text;
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const std::string_view near = nearest_name(name, known_);
    if (near.empty()) continue;
    log_->add(entry.key.at, "profile.unknown-key",
              fmt::format("\"{}\" is taken for a variable of the templates, although it is spelled "
                          "almost like \"{}\"",
                          shown(name), near),
              fmt::format("write {} if that was meant", near));
    log_->findings.back().second.severity = Severity::warning;
  }
}

void MappingReader::finish() {
  for (const yaml::Entry& entry : node_->entries) {
    const std::string& name = entry.key.text;
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    log_->add(
        entry.key.at, "profile.unknown-key",
        fmt::format("unknown key \"{}\" in {}", shown(name), path_.empty() ? "the profile" : path_),
        name_hint(name, known_));
  }
}

}  // namespace ichor
