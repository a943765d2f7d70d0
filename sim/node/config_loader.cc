#include "sim/node/config_loader.h"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <optional>

#include "sim/node/config_schema.h"
#include "sim/node/disk_selector.h"
#include "yaml/document.h"
#include "yaml/emit.h"

namespace ichor::sim {

namespace {

using Trouble = std::optional<std::string>;

std::string text_at(const yaml::Node& mapping, std::string_view key) {
  const yaml::Node* node = mapping.find(key);
  return node == nullptr ? std::string() : std::string(node->as_text().value_or(""));
}

bool is_v1alpha1(const yaml::Node& root) {
  for (const std::string_view key : {"machine", "cluster", "debug", "persist"}) {
    if (root.find(key) != nullptr) return true;
  }
  return false;
}

/// What Go says about a value that does not fit its field.
std::string misfit(std::string_view kind, std::string_view go_type, int line,
                   const std::string& what) {
  return "error decoding " + std::string(kind) + " to *" + std::string(go_type) +
         ": yaml: unmarshal errors:\n  line " + std::to_string(line) + ": " + what;
}

Trouble check_v1alpha1(const yaml::Node& root) {
  constexpr std::string_view go_type = "v1alpha1.Config";
  for (const auto& [key, section] : {std::pair("machine", "v1alpha1.MachineConfig"),
                                     std::pair("cluster", "v1alpha1.ClusterConfig")}) {
    const yaml::Node* value = root.find(key);
    if (value == nullptr || value->is_mapping() || value->is_null()) continue;
    const std::string found = value->is_sequence() ? "!!seq" : "!!str `" + value->text + "`";
    return misfit("", go_type, value->at.line, "cannot unmarshal " + found + " into " + section);
  }
  const yaml::Node* size = root.find_path({"machine", "install", "diskSelector", "size"});
  if (size == nullptr) return std::nullopt;
  const auto selector = DiskSelector::read(*root.find_path({"machine", "install", "diskSelector"}));
  if (selector || !selector.error().starts_with("failed to parse")) return std::nullopt;
  return misfit("", go_type, size->at.line, selector.error());
}

Trouble check_hostname(const yaml::Node& root) {
  const yaml::Node* automatic = root.find("auto");
  if (automatic == nullptr || automatic->is_null()) return std::nullopt;
  // The name `off` is a boolean to older readers, so it may come without quotes or with them.
  for (const std::string_view known : {"off", "stable", "talos-addr", "addr"}) {
    if (automatic->text == known) return std::nullopt;
  }
  return misfit("HostnameConfig", "network.HostnameConfigV1Alpha1", automatic->at.line,
                automatic->text + " does not belong to AutoHostnameKind values");
}

Trouble check_link(const yaml::Node& root) {
  const yaml::Node* addresses = root.find("addresses");
  if (addresses == nullptr) return std::nullopt;
  for (const yaml::Node& item : addresses->items) {
    const yaml::Node* address = item.find("address");
    if (address == nullptr || address->text.empty()) continue;
    const std::size_t slash = address->text.find('/');
    const std::string host = address->text.substr(0, slash);
    std::array<unsigned char, 16> bytes{};
    const std::string parse = "netip.ParsePrefix(\"" + address->text + "\"): ";
    if (slash == std::string::npos) {
      return misfit("LinkConfig", "network.LinkConfigV1Alpha1", address->at.line, parse + "no '/'");
    }
    if (inet_pton(AF_INET, host.c_str(), bytes.data()) != 1 &&
        inet_pton(AF_INET6, host.c_str(), bytes.data()) != 1) {
      return misfit("LinkConfig", "network.LinkConfigV1Alpha1", address->at.line,
                    parse + "ParseAddr(\"" + host + "\"): unable to parse IP");
    }
  }
  return std::nullopt;
}

Trouble check_values(const ConfigDocument& document) {
  if (document.kind == "v1alpha1") return check_v1alpha1(document.root);
  if (document.kind == "HostnameConfig") return check_hostname(document.root);
  if (document.kind == "LinkConfig") return check_link(document.root);
  return std::nullopt;
}

/// Finds kind and schema, and checks the document against them.
Trouble decode(ConfigDocument& document, const std::string& api_version, Personality personality) {
  const std::string kind = text_at(document.root, "kind");
  const std::string version = is_v1alpha1(document.root) ? "v1alpha1" : api_version;
  if (kind.empty() && version != "v1alpha1") return "missing kind";
  if (!kind.empty() && version.empty()) return "missing apiVersion";
  document.kind = kind.empty() ? "v1alpha1" : kind;
  const ConfigSchema* schema =
      version == "v1alpha1" ? schema_of(document.kind, personality) : nullptr;
  if (schema == nullptr) return "\"" + kind + "\" \"" + version + "\": not registered";
  if (Trouble trouble = check_values(document)) return trouble;
  if (const auto unknown = schema->unknown_part(document.root)) {
    return "unknown keys found during decoding:\n" + yaml::emit(*unknown);
  }
  return std::nullopt;
}

}  // namespace

const yaml::Node* LoadedConfig::v1alpha1() const {
  const auto found = std::find_if(documents.begin(), documents.end(),
                                  [](const auto& document) { return document.kind == "v1alpha1"; });
  return found == documents.end() ? nullptr : &found->root;
}

tl::expected<LoadedConfig, std::string> load_config(std::string_view text,
                                                    Personality personality) {
  auto parsed = yaml::parse_or_explain(text, "config");
  if (!parsed) {
    return tl::unexpected("decode error: yaml: line " + std::to_string(parsed.error().at.line) +
                          ": " + parsed.error().what);
  }
  LoadedConfig config;
  std::vector<std::string> ids;
  for (yaml::Document& read : *parsed) {
    if (read.root.is_null()) continue;
    const std::string line = std::to_string(read.root.at.line);
    if (!read.root.is_mapping()) {
      return tl::unexpected("expected a YAML document at line " + line);
    }
    const std::string api_version = text_at(read.root, "apiVersion");
    const std::string kind = text_at(read.root, "kind");
    ConfigDocument document{kind, text_at(read.root, "name"), std::move(read.root)};
    const std::string id =
        api_version + "/" + (kind.empty() ? "v1alpha1" : kind) + "/" + document.name;
    if (std::find(ids.begin(), ids.end(), id) != ids.end()) {
      return tl::unexpected("duplicate document " + id + " is not allowed (line " + line + ")");
    }
    ids.push_back(id);
    if (const Trouble trouble = decode(document, api_version, personality)) {
      return tl::unexpected("error decoding document " + id + " (line " + line + "): " + *trouble);
    }
    config.documents.push_back(std::move(document));
  }
  if (config.documents.empty()) return tl::unexpected(std::string("config not found"));
  return config;
}

}  // namespace ichor::sim
