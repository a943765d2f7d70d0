#include "lab/cosi/kinds.h"

#include <algorithm>
#include <array>

#include "lab/rpc/wire.h"
#include "yaml/build.h"
#include "yaml/emit.h"

namespace ichor::lab {

namespace {

constexpr std::array kSpaces = {"runtime",      "cluster",  "cluster-raw", "config",
                                "etcd",         "files",    "hardware",    "k8s",
                                "controlplane", "kubespan", "network",     "network-config",
                                "cri",          "secrets",  "perf",        "meta"};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) { return lower(c); });
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// "disks", "disks.block", "disks.block.talos" for "Disks.block.talos.dev", then its own aliases.
std::vector<std::string> all_aliases(const ResourceKind& kind) {
  std::vector<std::string> aliases;
  const std::string type = lower(kind.type);
  for (std::size_t at = type.find('.'); kind.aliases_of_type && at != std::string::npos;
       at = type.find('.', at + 1)) {
    aliases.push_back(type.substr(0, at));
  }
  for (std::string& alias : split(kind.aliases, ',')) aliases.push_back(std::move(alias));
  return aliases;
}

Resource definition(const ResourceKind& kind) {
  std::string proto;
  append_bytes(proto, 1, kind.type);
  append_bytes(proto, 2, kind.display);
  append_bytes(proto, 3, kind.space);
  for (const std::string& alias : split(kind.aliases, ',')) append_bytes(proto, 4, alias);
  for (const std::string& alias : all_aliases(kind)) append_bytes(proto, 5, alias);
  std::vector<yaml::Node> columns;
  for (const std::string& column : split(kind.columns, ';')) {
    const std::size_t at = column.find('=');
    const std::string name = column.substr(0, at);
    const std::string path = column.substr(at + 1);
    std::string message;
    append_bytes(message, 1, name);
    append_bytes(message, 2, path);
    append_bytes(proto, 6, message);
    columns.push_back(yaml::map().set("name", name).set("jsonPath", path));
  }
  if (kind.sensitive) append_number(proto, 7, 1);

  yaml::Map text;
  text.set("type", kind.type).set("displayType", kind.display).set("defaultNamespace", kind.space);
  text.set("aliases", yaml::list(split(kind.aliases, ',')));
  text.set("allAliases", yaml::list(all_aliases(kind)));
  text.set("printColumns", yaml::list(std::move(columns)));
  if (kind.sensitive) text.set("sensitivity", "sensitive");
  return {"meta", lower(kind.type), std::move(proto), yaml::emit(text), {}};
}

}  // namespace

const ResourceKind* find_kind(std::string_view type) {
  const std::string wanted = lower(type);
  for (const ResourceKind& kind : resource_kinds()) {
    if (lower(kind.type) == wanted) return &kind;
  }
  return nullptr;
}

bool is_space(std::string_view name) {
  return std::find(kSpaces.begin(), kSpaces.end(), name) != kSpaces.end();
}

Resources make_all(const ResourceKind& kind, const Sight& sight) {
  Resources resources;
  if (kind.make != nullptr) kind.make(sight, resources);
  std::sort(resources.begin(), resources.end(),
            [](const Resource& a, const Resource& b) { return a.id < b.id; });
  return resources;
}

void makers::resource_definitions(const Sight&, Resources& out) {
  for (const ResourceKind& kind : resource_kinds()) out.push_back(definition(kind));
}

void makers::namespaces(const Sight&, Resources& out) {
  for (const char* space : kSpaces) {
    std::string proto;
    append_bytes(proto, 1, space);
    out.push_back(
        {"meta", space, std::move(proto), yaml::emit(yaml::map().set("description", space)), {}});
  }
}

}  // namespace ichor::lab
