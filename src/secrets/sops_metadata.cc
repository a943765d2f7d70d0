#include "secrets/sops_metadata.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <map>
#include <optional>

#include "base/check.h"
#include "yaml/go_scalar.h"

namespace ichor::sops {

namespace {

constexpr std::string_view kKey = "sops";
constexpr std::string_view kFlatPrefix = "sops_";
constexpr std::string_view kMapSign = "__map_";
constexpr std::string_view kListSign = "__list_";
/// The version of sops whose format is written.
constexpr const char* kVersion = "3.13.3";
constexpr std::size_t kRecipientsMax = 1'000;
constexpr std::size_t kFlatEntriesMax = 10'000;

bool is_flat(Format format) { return format == Format::dotenv; }

bool is_metadata(const Item& item, Format format) {
  if (item.value.is_comment()) return false;
  return is_flat(format) ? item.key.starts_with(kFlatPrefix) : item.key == kKey;
}

/// The part of a flat key up to the next sign.
std::string_view take_name(std::string_view& key) {
  const std::size_t end = std::min(key.find(kMapSign), key.find(kListSign));
  const std::string_view name = key.substr(0, end);
  key.remove_prefix(name.size());
  return name;
}

/// Puts a value where `age__list_0__map_enc` says. Lists grow one by one, so that a large number
/// costs nothing.
bool unflatten(std::string_view key, const Value& leaf, Value& root) {
  constexpr int depth_max = 8;
  Value* at = &root;
  std::string_view name = take_name(key);
  for (int depth = 0; depth < depth_max; ++depth) {
    if (at->type != Type::branch) return false;
    Item* found = nullptr;
    for (Item& item : at->items) {
      if (item.key == name) found = &item;
    }
    if (!found) found = &at->items.emplace_back(Item{std::string(name), {}});
    at = &found->value;
    while (key.starts_with(kListSign)) {
      key.remove_prefix(kListSign.size());
      const std::string_view number = take_name(key);
      std::size_t index = 0;
      const auto [stop, error] =
          std::from_chars(number.data(), number.data() + number.size(), index);
      if (error != std::errc{} || stop != number.data() + number.size()) return false;
      if (at->type == Type::null) at->type = Type::list;
      if (at->type != Type::list || index > at->list.size() || index > kRecipientsMax) return false;
      if (index == at->list.size()) at->list.emplace_back();
      at = &at->list[index];
    }
    if (key.empty()) break;
    key.remove_prefix(kMapSign.size());
    name = take_name(key);
    if (at->type == Type::null) at->type = Type::branch;
  }
  if (!key.empty() || at->type != Type::null) return false;
  *at = leaf;
  return true;
}

void flatten(const Value& value, const std::string& key, std::vector<Item>& into) {
  if (value.type == Type::branch) {
    for (const Item& item : value.items) {
      flatten(item.value, fmt::format("{}{}{}", key, kMapSign, item.key), into);
    }
  } else if (value.type == Type::list) {
    for (std::size_t i = 0; i < value.list.size(); ++i) {
      flatten(value.list[i], fmt::format("{}{}{}", key, kListSign, i), into);
    }
  } else {
    into.push_back({key, value});
  }
}

std::string text_at(const Value& branch, std::string_view key) {
  const Value* value = find(branch, key);
  return value && value->type == Type::string ? value->text : std::string();
}

/// The keys of one group. Sops allows the keys of a file to be in several groups, each of which
/// then holds a part of the data key.
Result<void> read_keys(const Value& group, std::size_t number, Metadata& metadata) {
  for (const char* kind : {"kms", "gcp_kms", "hckms", "azure_kv", "hc_vault", "pgp"}) {
    const Value* keys = find(group, kind);
    if (keys && keys->type == Type::list && !keys->list.empty()) {
      metadata.other_keys.emplace_back(kind);
    }
  }
  const Value* age = find(group, "age");
  if (!age || age->type != Type::list) return {};
  if (age->list.size() > kRecipientsMax) {
    return fail(Errc::invalid, fmt::format("more than {} age recipients", kRecipientsMax));
  }
  for (const Value& entry : age->list) {
    if (entry.is_comment()) continue;
    metadata.age.push_back({text_at(entry, "recipient"), text_at(entry, "enc"), number});
  }
  return {};
}

/// Of a split key; all of them unless the file says fewer.
std::size_t parts_needed(const Value& root, std::size_t groups) {
  const Value* threshold = find(root, "shamir_threshold");
  std::size_t needed = 0;
  if (threshold != nullptr) {
    const char* const end = threshold->text.data() + threshold->text.size();
    std::from_chars(threshold->text.data(), end, needed);
  }
  return needed == 0 || needed > groups ? groups : needed;
}

Result<Metadata> read_metadata(const Value& root) {
  Metadata metadata;
  if (auto read = read_keys(root, 0, metadata); !read) return forward_error(read);
  const Value* groups = find(root, "key_groups");
  if (metadata.age.empty() && metadata.other_keys.empty() && groups && groups->type == Type::list) {
    std::size_t number = 0;
    for (const Value& group : groups->list) {
      if (group.is_comment()) continue;
      if (auto read = read_keys(group, number++, metadata); !read) {
        return forward_error(read);
      }
    }
    metadata.split_key = number > 1;
    metadata.parts_needed = parts_needed(root, number);
  }
  if (metadata.age.empty() && metadata.other_keys.empty()) {
    return fail(Errc::invalid, "it names no key that it was encrypted with");
  }
  auto modified = yaml::go_time(text_at(root, "lastmodified"));
  if (!modified) return fail(Errc::invalid, "its lastmodified is no time");
  // Sops hashes it without a fraction.
  if (const std::size_t dot = modified->find('.'); dot != std::string::npos) {
    modified->erase(dot, modified->find_first_not_of("0123456789", dot + 1) - dot);
  }
  metadata.last_modified = *std::move(modified);
  metadata.mac = text_at(root, "mac");
  for (const Rules::Named& rule : Rules::named()) {
    metadata.rules.*rule.text = text_at(root, rule.name);
  }
  if (const Value* only = find(root, "mac_only_encrypted")) {
    metadata.rules.mac_only_encrypted = yaml::go_bool(only->text) == "True";
  }
  return metadata;
}

Value write_metadata(const Metadata& metadata) {
  Value age = make_value(Type::list, {});
  for (const AgeEntry& entry : metadata.age) {
    Value one = make_branch();
    one.items.push_back({"enc", make_value(Type::string, entry.sealed)});
    one.items.push_back({"recipient", make_value(Type::string, entry.recipient)});
    age.list.push_back(std::move(one));
  }
  std::map<std::string, Value> sorted;  // as sops writes them
  sorted.emplace("age", std::move(age));
  sorted.emplace("lastmodified", make_value(Type::string, metadata.last_modified));
  sorted.emplace("mac", make_value(Type::string, metadata.mac));
  sorted.emplace("version", make_value(Type::string, kVersion));
  for (const Rules::Named& rule : Rules::named()) {
    const std::string& text = metadata.rules.*rule.text;
    if (!text.empty()) sorted.emplace(rule.name, make_value(Type::string, text));
  }
  if (metadata.rules.mac_only_encrypted) {
    sorted.emplace("mac_only_encrypted", make_value(Type::boolean, "True"));
  }
  Value root = make_branch();
  for (auto& [key, value] : sorted) root.items.push_back({key, std::move(value)});
  return root;
}

/// Removes what belongs to sops from the document, and gives it as one branch; nothing if there is
/// none.
Result<std::optional<Value>> cut(Value& document, Format format) {
  std::optional<Value> root;
  std::vector<Item> kept;
  std::size_t count = 0;
  for (Item& item : document.items) {
    if (!is_metadata(item, format)) {
      kept.push_back(std::move(item));
      continue;
    }
    if (!is_flat(format)) {
      if (item.value.type != Type::branch)
        return fail(Errc::invalid, "its sops entry is not a mapping");
      root = std::move(item.value);
      continue;
    }
    if (++count > kFlatEntriesMax) {
      return fail(Errc::invalid, fmt::format("more than {} entries of sops", kFlatEntriesMax));
    }
    if (!root) root = make_branch();
    const std::string_view key = std::string_view(item.key).substr(kFlatPrefix.size());
    if (!unflatten(key, item.value, *root)) {
      return fail(Errc::invalid, fmt::format("{} fits nothing", item.key));
    }
  }
  document.items = std::move(kept);
  return root;
}

}  // namespace

bool has_metadata(const Tree& tree, Format format) {
  return std::any_of(tree.documents.begin(), tree.documents.end(), [&](const Value& document) {
    return std::any_of(document.items.begin(), document.items.end(),
                       [&](const Item& item) { return is_metadata(item, format); });
  });
}

Result<Metadata> take_metadata(Tree& tree, Format format, const std::string& file) {
  std::optional<Value> first;
  for (Value& document : tree.documents) {
    auto root = cut(document, format);
    if (!root) {
      return fail(Errc::invalid,
                  fmt::format("{}: damaged by hand or by a merge: {}", file, root.error().message));
    }
    if (&document == &tree.documents.front()) first = *std::move(root);
  }
  if (!first) {
    return fail(Errc::invalid, fmt::format("{}: this file is not encrypted with sops", file));
  }
  auto metadata = read_metadata(*first);
  if (!metadata) {
    return fail(Errc::invalid,
                fmt::format("{}: its sops entry is damaged: {}", file, metadata.error().message));
  }
  return metadata;
}

void put_metadata(Tree& tree, Format format, const Metadata& metadata) {
  const Value root = write_metadata(metadata);
  for (Value& document : tree.documents) {
    if (!is_flat(format)) {
      document.items.push_back({std::string(kKey), root});
      continue;
    }
    for (const Item& item : root.items) {
      flatten(item.value, std::string(kFlatPrefix) + item.key, document.items);
    }
  }
}

std::string rfc3339(WallTime time) {
  using namespace std::chrono;
  const sys_seconds second = floor<seconds>(sys_time<milliseconds>(milliseconds(time.unix_ms)));
  const sys_days day = floor<days>(second);
  const year_month_day date(day);
  const hh_mm_ss clock(second - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace ichor::sops
