#include "secrets/sops_config.h"

#include <algorithm>
#include <fmt/format.h>

#include "yaml/document.h"

namespace ichor::sops {

namespace {

class Reader {
 public:
  explicit Reader(const yaml::Document& document) : document_(document) {}

  Result<CreationRule> rule(const yaml::Node& node) {
    CreationRule rule;
    for (const Rules::Named& named : Rules::named()) {
      rule.rules.*named.text = text(node, named.name);
    }
    if (const yaml::Node* only = node.find("mac_only_encrypted")) {
      const auto flag = only->as_bool();
      if (!flag) refuse(*only, "mac_only_encrypted must be true or false");
      rule.rules.mac_only_encrypted = flag.value_or(false);
    }
    const yaml::Node* groups = node.find("key_groups");
    if (groups && groups->is_sequence() && !groups->items.empty()) {
      for (const yaml::Node& group : groups->items) keys(group, rule, 0);
      rule.split_key = groups->items.size() > 1;
    } else {
      keys(node, rule, 0);
    }
    if (error_) return tl::unexpected(*error_);
    return rule;
  }

 private:
  void refuse(const yaml::Node& node, const std::string& what) {
    if (!error_) {
      error_ = Error{Errc::invalid, fmt::format("{}: {}", document_.where(node), what)};
    }
  }

  std::string text(const yaml::Node& node, std::string_view key) {
    const yaml::Node* value = node.find(key);
    if (!value || value->is_null()) return {};
    const auto string = value->as_text();
    if (!string) refuse(*value, fmt::format("{} must be a string", key));
    return std::string(string.value_or(""));
  }

  void recipient(std::string_view list, CreationRule& rule) {
    while (!list.empty()) {
      std::string_view one = list.substr(0, list.find(','));
      list.remove_prefix(std::min(list.size(), one.size() + 1));
      constexpr std::string_view blanks = " \t\r\n";
      const std::size_t first = one.find_first_not_of(blanks);
      if (first == std::string_view::npos) continue;
      one = one.substr(first, one.find_last_not_of(blanks) - first + 1);
      if (std::find(rule.recipients.begin(), rule.recipients.end(), one) == rule.recipients.end()) {
        rule.recipients.emplace_back(one);
      }
    }
  }

  void keys(const yaml::Node& node, CreationRule& rule, int depth) {
    constexpr int depth_max = 16;
    if (const yaml::Node* merge = node.find("merge"); merge && depth < depth_max) {
      for (const yaml::Node& group : merge->items) keys(group, rule, depth + 1);
    }
    for (const char* kind :
         {"kms", "gcp_kms", "hckms", "azure_keyvault", "hc_vault", "hc_vault_transit_uri", "pgp"}) {
      const yaml::Node* keys = node.find(kind);
      if (keys && !keys->is_null()) rule.other_keys.emplace_back(kind);
    }
    const yaml::Node* age = node.find("age");
    if (!age || age->is_null()) return;
    if (const auto list = age->as_string()) return recipient(*list, rule);
    if (!age->is_sequence()) return refuse(*age, "age must be a list of recipients");
    for (const yaml::Node& item : age->items) {
      const auto one = item.as_string();
      if (!one) return refuse(item, "a recipient must be a string");
      recipient(*one, rule);
    }
  }

  const yaml::Document& document_;
  std::optional<Error> error_;
};

}  // namespace

Result<std::optional<CreationRule>> creation_rule(std::string_view config,
                                                  const std::string& config_file,
                                                  const std::string& path) {
  const auto document = yaml::parse_single(config, config_file);
  if (!document) return fail(Errc::invalid, document.error().message());
  const yaml::Node* rules = document->root.find("creation_rules");
  if (!rules || rules->is_null()) return std::optional<CreationRule>();
  for (const yaml::Node& node : rules->items) {
    const yaml::Node* regex = node.find("path_regex");
    const auto text = regex ? regex->as_text().value_or("") : std::string_view();
    if (!text.empty()) {
      const auto pattern = secrets::Pattern::compile(std::string(text));
      if (!pattern) {
        return fail(Errc::invalid,
                    fmt::format("{}: {}", document->where(*regex), pattern.error().message));
      }
      if (!pattern->is_in(path)) continue;
    }
    auto rule = Reader(*document).rule(node);
    if (!rule) return forward_error(rule);
    return std::optional<CreationRule>(*std::move(rule));
  }
  return fail(Errc::invalid,
              fmt::format("{}: no creation rule fits {}; add one, or name recipients with --age",
                          config_file, path));
}

}  // namespace ichor::sops
