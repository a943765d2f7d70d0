#include "profile/detect.h"

#include <array>
#include <utility>

#include "profile/cluster_toml.h"
#include "profile/cluster_yaml.h"
#include "profile/mapping_reader.h"
#include "profile/talconfig.h"
#include "profile/topf.h"

namespace ichor {

namespace {

/// Whether a line of the text begins with the key.
bool has_key(std::string_view text, std::string_view key) {
  std::size_t at = text.find(key);
  while (at != std::string_view::npos) {
    const bool starts = at == 0 || text[at - 1] == '\n';
    const std::size_t end = at + key.size();
    if (starts && end < text.size() && text[end] == ':') return true;
    at = text.find(key, end);
  }
  return false;
}

}  // namespace

std::string_view name_of(ProfileFormat format) {
  switch (format) {
    case ProfileFormat::ichor: return "ichor.yaml";
    case ProfileFormat::talconfig: return "talhelper's talconfig.yaml";
    case ProfileFormat::cluster_toml: return "cluster-template's cluster.toml";
    case ProfileFormat::cluster_yaml: return "cluster-template's cluster.yaml";
    case ProfileFormat::topf: return "topf.yaml";
  }
  return "";
}

std::optional<ProfileFormat> detect_format(std::string_view text, const std::string& file_name) {
  const std::string name = file_name.substr(file_name.rfind('/') + 1);
  constexpr std::array<std::pair<std::string_view, ProfileFormat>, 9> names = {
      {{"ichor.yaml", ProfileFormat::ichor},
       {"ichor.yml", ProfileFormat::ichor},
       {"talconfig.yaml", ProfileFormat::talconfig},
       {"talconfig.yml", ProfileFormat::talconfig},
       {"cluster.toml", ProfileFormat::cluster_toml},
       {"cluster.yaml", ProfileFormat::cluster_yaml},
       {"cluster.yml", ProfileFormat::cluster_yaml},
       {"topf.yaml", ProfileFormat::topf},
       {"topf.yml", ProfileFormat::topf}}};
  for (const auto& [known, format] : names) {
    if (name == known) return format;
  }
  if (name.ends_with(".toml")) return ProfileFormat::cluster_toml;
  if (has_key(text, "clusterEndpoint")) return ProfileFormat::topf;
  if (has_key(text, "clusterName")) return ProfileFormat::talconfig;
  if (has_key(text, "node_cidr") || has_key(text, "cluster_api_addr")) {
    return ProfileFormat::cluster_yaml;
  }
  const bool yaml = name.ends_with(".yaml") || name.ends_with(".yml");
  const bool keys = has_key(text, "network") || has_key(text, "talos") || has_key(text, "name");
  return yaml || keys ? std::optional(ProfileFormat::ichor) : std::nullopt;
}

ProfileReading read_any_profile(std::string_view text, const std::string& file_name,
                                const ReaderInputs& inputs) {
  const auto format = detect_format(text, file_name);
  if (!format) {
    ProfileReading reading;
    ReadingLog log;
    log.source = ProfileSource(file_name);
    log.add({1, 1}, "profile.syntax", "this is not a profile that ichor knows",
            "name it ichor.yaml, talconfig.yaml, cluster.toml, cluster.yaml or topf.yaml");
    reading.findings = log.take();
    reading.source = std::move(log.source);
    return reading;
  }
  switch (*format) {
    case ProfileFormat::ichor: return read_profile(text, file_name);
    case ProfileFormat::talconfig: return read_talconfig(text, file_name, inputs);
    case ProfileFormat::cluster_toml: return read_cluster_toml(text, file_name, inputs);
    case ProfileFormat::cluster_yaml: return read_cluster_yaml(text, file_name, inputs);
    case ProfileFormat::topf: return read_topf(text, file_name, inputs);
  }
  return {};
}

}  // namespace ichor
