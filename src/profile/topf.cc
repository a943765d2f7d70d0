#include "profile/topf.h"

#include <algorithm>
#include <fmt/format.h>

#include "model/talos_release.h"
#include "profile/envsubst.h"
#include "profile/formats.h"
#include "profile/mapping_reader.h"
#include "yaml/document.h"

namespace ichor {

namespace {

void refuse_provider(MappingReader& reader, std::string_view key) {
  if (reader.raw(key) == nullptr) return;
  reader.report(key, "profile.value",
                fmt::format("{} names a program, which ichor does not run", key),
                "write out what the program gives");
}

/// A schematic: its ID, or a file with an @ before its name.
void read_schematic(MappingReader& reader, std::string& id, std::string* file) {
  std::string text;
  reader.text("schematicId", text, Need::optional,
              file != nullptr ? "a schematic ID of 64 hex digits, or @FILE"
                              : "a schematic ID of 64 hex digits",
              [file](std::string& written) {
                return is_schematic(written) ||
                       (file != nullptr && written.starts_with('@') && !written.ends_with(".tpl"));
              });
  if (text.starts_with('@')) {
    *file = text.substr(1);
  } else {
    id = std::move(text);
  }
}

NodePlan read_node(MappingReader reader) {
  NodePlan node;
  std::string text;
  reader.text("host", text, Need::required, "a name of lower-case letters, digits, - and .",
              [](std::string& name) { return is_name(name); });
  node.name = NodeName(text);
  if (const auto role = reader.choice("role", {"control-plane", "worker"})) {
    node.role = *role == 0 ? Role::control_plane : Role::worker;
  } else if (!reader.has("role")) {
    reader.report("role", "profile.missing", fmt::format("{}.role is missing", reader.path()),
                  "add `role: control-plane` or `role: worker`");
  }
  text.clear();
  // topf resolves the host's name where no address is set; ichor does not ask a resolver.
  reader.text("ip", text, Need::required, "an IP address such as 192.168.22.101", is_ip);
  node.address = node.maintenance_address = IpAddress(text);
  read_schematic(reader, node.schematic, nullptr);
  for (const std::string_view key : {"data", "talosVersion", "factory", "platform"}) {
    reader.raw(key);
  }
  bool ignored = false;
  reader.flag("secureboot", ignored);
  reader.finish();
  return node;
}

void read_root(const yaml::Node& root, ReadingLog& log, ClusterProfile& profile) {
  MappingReader reader(log, root, "");
  reader.text("clusterName", profile.name, Need::required, "a name",
              [](std::string& name) { return is_name(name); });
  reader.text("clusterEndpoint", profile.network.api_endpoint, Need::required,
              "an endpoint such as https://192.168.22.100:6443", is_endpoint);
  const auto is_version = [](std::string& text) { return parse_version(text).has_value(); };
  reader.text("kubernetesVersion", profile.talos.kubernetes_version, Need::required,
              "a version such as v1.35.2", is_version);
  std::string version;
  reader.text("talosVersion", version, Need::required, "a version such as v1.12.6", is_version);
  if (const auto talos = parse_version(version)) profile.talos.version = *talos;
  profile.talos.contract = usual_contract(profile.talos.version);
  read_schematic(reader, profile.talos.schematic_id, &profile.talos.schematic_file);
  reader.flag("secureboot", profile.talos.secure_boot);
  profile.talos.secrets_file = "secrets.yaml";
  reader.text("secretsPath", profile.talos.secrets_file);
  profile.talos.patches_dir = ".";
  reader.text("patchesDir", profile.talos.patches_dir);
  for (const std::string_view key : {"secretsProvider", "nodesProvider"}) {
    refuse_provider(reader, key);
  }
  for (const std::string_view key : {"factory", "platform", "data"}) reader.raw(key);
  for (MappingReader& node : reader.sections("nodes", Need::required)) {
    profile.nodes.push_back(read_node(std::move(node)));
  }
  std::stable_sort(profile.nodes.begin(), profile.nodes.end(),
                   [](const NodePlan& a, const NodePlan& b) {
                     return a.role == Role::control_plane && b.role == Role::worker;
                   });
  reader.finish();
}

}  // namespace

ProfileReading read_topf(std::string_view text, const std::string& file_name,
                         const ReaderInputs& inputs) {
  ProfileReading reading;
  ReadingLog log;
  log.source = ProfileSource(file_name);
  if (auto document = yaml::parse_single(text, file_name)) {
    substitute(document->root, inputs.variable, log);
    if (log.findings.empty()) read_root(document->root, log, reading.profile);
  } else {
    log.add(document.error().at, "profile.syntax", document.error().what, "write it as YAML");
  }
  reading.findings = log.take();
  reading.source = std::move(log.source);
  return reading;
}

}  // namespace ichor
