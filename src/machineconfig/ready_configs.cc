#include "machineconfig/ready_configs.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "base/nearest_name.h"
#include "machineconfig/canonical.h"
#include "machineconfig/generate.h"
#include "machineconfig/secrets_from_config.h"
#include "machineconfig/typed_config.h"
#include "machineconfig/validate/validate.h"
#include "profile/profile_layout.h"
#include "secrets/base64.h"
#include "secrets/digest.h"

namespace ichor {

namespace {

std::string text_at(const yaml::Node& root, std::initializer_list<std::string_view> keys) {
  const yaml::Node* node = root.find_path(keys);
  return node ? node->text : std::string();
}

/// Without the line ends after it: PEM is the same with and without them.
std::string trimmed(std::string_view text) {
  return std::string(text.substr(0, text.find_last_not_of(" \r\n") + 1));
}

std::string bare_address(const std::string& address_with_prefix) {
  return address_with_prefix.substr(0, address_with_prefix.find('/'));
}

/// What a config says about the node that it is for.
class ConfigFacts {
 public:
  explicit ConfigFacts(const ConfigDocuments& documents) {
    for (const ConfigDocument& document : documents) {
      const yaml::Node& root = document.value;
      if (document.kind == nullptr) {
        read_main(root);
      } else if (document.kind->kind == "HostnameConfig") {
        hostname = text_at(root, {"hostname"});
      } else {
        read_typed(document.kind->kind, root);
        add_addresses(root.find("addresses"));
      }
    }
  }

  std::string type, hostname;
  std::vector<std::string> addresses;         // without their prefix lengths
  std::map<std::string, SecretString> marks;  // what all configs of one cluster share
  std::vector<std::string> accepted_cas;      // while a CA is replaced there are two

 private:
  void read_main(const yaml::Node& root) {
    type = text_at(root, {"machine", "type"});
    if (hostname.empty()) hostname = text_at(root, {"machine", "network", "hostname"});
    if (const yaml::Node* links = root.find_path({"machine", "network", "interfaces"})) {
      for (const yaml::Node& link : links->items) {
        add_addresses(link.find("addresses"));
        if (const yaml::Node* vlans = link.find("vlans")) {
          for (const yaml::Node& vlan : vlans->items) add_addresses(vlan.find("addresses"));
        }
      }
    }
    mark("machine.token", text_at(root, {"machine", "token"}));
    mark("machine.ca", pki::from_base64(text_at(root, {"machine", "ca", "crt"})).value_or(""));
    mark("cluster.id", text_at(root, {"cluster", "id"}));
    mark("cluster.secret", text_at(root, {"cluster", "secret"}));
    mark("cluster.token", text_at(root, {"cluster", "token"}));
    mark("cluster.ca", pki::from_base64(text_at(root, {"cluster", "ca", "crt"})).value_or(""));
  }

  /// What Talos 1.14 has in documents of their own.
  void read_typed(std::string_view kind, const yaml::Node& root) {
    if (kind == "DiscoveryIdentityConfig") {
      mark("cluster.id", text_at(root, {"clusterID"}));
      mark("cluster.secret", text_at(root, {"clusterSecret"}));
    }
    if (kind != "KubeAPIServerCAConfig") return;
    mark("cluster.ca", text_at(root, {"issuingCA", "cert"}));
    // Workers have no key of it.
    const yaml::Node* accepted = root.find("acceptedCAs");
    const bool of_worker = accepted && !root.find("issuingCA") && !accepted->items.empty();
    if (!of_worker) return;
    mark("cluster.ca", accepted->items.front().text);
    for (const yaml::Node& item : accepted->items) accepted_cas.push_back(trimmed(item.text));
  }

  /// Both forms of a mark can be in one config; the one that says something counts.
  void mark(const char* name, std::string value) {
    SecretString& known = marks[name];
    if (!value.empty()) known = SecretString(std::move(value));
  }

  /// Addresses are texts in the old form and objects in that of the typed documents.
  void add_addresses(const yaml::Node* list) {
    if (!list) return;
    for (const yaml::Node& item : list->items) {
      const yaml::Node* text = item.is_mapping() ? item.find("address") : &item;
      if (text && text->is_scalar()) addresses.push_back(bare_address(text->text));
    }
  }
};

std::map<std::string, SecretString> marks_of(const pki::SecretsBundle& secrets) {
  return {{"machine.token", secrets.trustd_token},
          {"machine.ca", SecretString(secrets.os.certificate)},
          {"cluster.id", SecretString(secrets.cluster_id)},
          {"cluster.secret", secrets.cluster_secret},
          {"cluster.token", secrets.bootstrap_token},
          {"cluster.ca", SecretString(secrets.k8s.certificate)}};
}

/// Takes the config of one node.
class Taker {
 public:
  Taker(const ReadyConfigs& ready, const ClusterProfile& profile, const NodePlan& node,
        std::vector<Finding>& findings)
      : ready_(ready), profile_(profile), node_(node), findings_(findings) {}

  std::optional<MachineConfig> take(const pki::SecretsBundle& secrets) {
    const SecretString* text = find_file();
    if (!text || !validated(*text)) return std::nullopt;
    auto documents = read_config(text->reveal(), path_, schema_minor(profile_));
    const auto canonical = canonical_digest(text->reveal());
    if (!documents || !canonical) {
      refuse(documents ? canonical.error().message : documents.error().message, "correct the file");
      return std::nullopt;
    }
    compare(ConfigFacts(*documents), secrets);
    wipe(*documents);
    MachineConfig config;
    config.bytes = *text;
    config.digest = pki::sha256(config.bytes.reveal());
    config.canonical = *canonical;
    config.role = node_.role;
    return config;
  }

 private:
  const SecretString* find_file() {
    const std::string& name = node_.name.value();
    for (const std::string& stem : {name, profile_.name + "-" + name}) {
      for (const std::string_view ending : kReadyConfigEndings) {
        const auto found = ready_.files.find(stem + std::string(ending));
        if (found == ready_.files.end()) continue;
        path_ = ready_.folder + "/" + found->first;
        return &found->second;
      }
    }
    std::vector<std::string_view> names;
    for (const auto& [file, text] : ready_.files) names.push_back(file);
    const std::string wanted = fmt::format("{}-{}.yaml", profile_.name, name);
    path_ = ready_.folder;
    refuse(fmt::format("there is no config for {}: neither {}.yaml nor {}", name, name, wanted),
           names.empty() ? "generate the configs first" : name_hint(wanted, names));
    return nullptr;
  }

  bool validated(const SecretString& text) {
    ValidateOptions options;
    options.minor = schema_minor(profile_);
    bool good = true;
    for (const ConfigFinding& found : validate_config(text.reveal(), options)) {
      const std::string where = fmt::format("{}:{}:{}", path_, found.at.line, found.at.column);
      findings_.push_back(
          {found.severity, "config.invalid", node_.name, where, found.what, found.fix});
      good = good && found.severity != Severity::error;
    }
    return good;
  }

  void compare(const ConfigFacts& facts, const pki::SecretsBundle& secrets) {
    const bool for_control_plane = facts.type != "worker";
    if (for_control_plane != (node_.role == Role::control_plane)) {
      refuse(fmt::format("the config is for a {}, and in the profile {} is a {}", facts.type,
                         node_.name.value(), name_of(node_.role)),
             "correct the role in the profile, or take the other config");
    }
    if (!facts.hostname.empty() && facts.hostname != node_.name.value()) {
      refuse(fmt::format("the config is for {}", facts.hostname),
             fmt::format("name the file after its node, or call the node {} in the profile",
                         facts.hostname));
    }
    const auto& addresses = facts.addresses;
    const bool at_home = addresses.empty() || std::find(addresses.begin(), addresses.end(),
                                                        node_.address.value()) != addresses.end();
    if (!at_home) {
      refuse(fmt::format("the config moves {} to {}, and the profile says {}", node_.name.value(),
                         fmt::join(addresses, ", "), node_.address.value()),
             "let both say the same address");
    }
    const auto wanted = marks_of(secrets);
    for (const auto& [key, value] : facts.marks) {
      const std::string own = trimmed(wanted.at(key).reveal());
      const bool accepted = key == "cluster.ca" && std::ranges::count(facts.accepted_cas, own) > 0;
      if (accepted || trimmed(value.reveal()) == own) continue;
      refuse(
          fmt::format("the config is of another cluster: its {} is not that of the secrets", key),
          "take configs and secrets that were made together");
      return;
    }
  }

  void refuse(std::string what, std::string fix) {
    findings_.push_back(
        {Severity::error, "config.mismatch", node_.name, path_, std::move(what), std::move(fix)});
  }

  const ReadyConfigs& ready_;
  const ClusterProfile& profile_;
  const NodePlan& node_;
  std::vector<Finding>& findings_;
  std::string path_;
};

}  // namespace

Result<pki::SecretsBundle> secrets_of(const ReadyConfigs& ready) {
  for (const auto& [file, text] : ready.files) {
    const std::string path = ready.folder + "/" + file;
    auto bundle = secrets_from_config(text.reveal(), path);
    if (!bundle) continue;
    // What was taken must be whole: keys that belong to their certificates.
    return pki::read_secrets(pki::write_secrets(*bundle).reveal(), path);
  }
  return fail(Errc::invalid,
              fmt::format("{} holds no config of a control plane, and only such a one has the "
                          "cluster's secrets",
                          ready.folder));
}

ConfigSet take_ready_configs(const ReadyConfigs& ready, const ClusterProfile& profile,
                             const pki::SecretsBundle& secrets, std::vector<Finding>& findings) {
  ConfigSet set;
  const std::size_t before = findings.size();
  for (const NodePlan& node : profile.nodes) {
    auto config = Taker(ready, profile, node, findings).take(secrets);
    if (config) set.nodes.emplace(node.name, std::move(*config));
  }
  const bool refused =
      std::any_of(findings.begin() + static_cast<std::ptrdiff_t>(before), findings.end(),
                  [](const Finding& finding) { return finding.severity == Severity::error; });
  if (refused) return {};
  set.secrets_fingerprint = pki::fingerprint_of(secrets);
  set.plan = plan_digest(profile, set);
  return set;
}

}  // namespace ichor
