#include "sim/node/config_validation.h"

#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <optional>

#include "sim/node/disk_selector.h"

namespace ichor::sim {

namespace {

using yaml::Node;

/// The text of hashicorp's multierror with these errors.
std::string multierror(const std::vector<std::string>& errors) {
  if (errors.empty()) return "";
  std::string text = std::to_string(errors.size()) +
                     (errors.size() == 1 ? " error occurred:\n\t" : " errors occurred:\n\t");
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (i > 0) text += "\n\t";
    text += "* " + errors[i];
  }
  return text + "\n\n";
}

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

bool present(const Node* node) { return node != nullptr && !node->is_null(); }

std::string text_of(const Node* node) {
  return node == nullptr ? std::string() : std::string(node->as_text().value_or(""));
}

bool truth_of(const Node* node) { return node != nullptr && node->as_bool().value_or(false); }

bool is_ip(const std::string& text) {
  std::array<unsigned char, 16> bytes{};
  return inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1;
}

/// What is wrong with a control plane endpoint; empty if nothing is.
std::string endpoint_trouble(std::string_view url) {
  if (const std::size_t scheme = url.find("://"); scheme != std::string_view::npos) {
    url.remove_prefix(scheme + 3);
  }
  std::string_view authority = url.substr(0, url.find('/'));
  std::string_view port;
  const std::size_t bracket = authority.rfind(']');
  const std::size_t colon = authority.rfind(':');
  if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
    port = authority.substr(colon + 1);
    authority = authority.substr(0, colon);
  }
  if (authority.empty()) return "hostname must not be blank";
  if (port.empty()) return "";
  int number = 0;
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  if (error != std::errc{} || end != port.data() + port.size())
    return "port number must be numeric";
  if (number < 1 || number > 65535) return "port number must be between 1 and 65535";
  return "";
}

class V1Alpha1Validator {
 public:
  V1Alpha1Validator(const Node& root, Platform platform, bool must_install)
      : root_(root), machine_(root.find("machine")), platform_(platform), installs_(must_install) {}

  void run() {
    if (!present(machine_)) {
      add("machine instructions are required");
      return;
    }
    role_ = role_of(*machine_);
    check_cluster();
    check_install();
    check_container();
    check_role();
    if (const Node* persist = root_.find("persist");
        persist && !persist->as_bool().value_or(true)) {
      add(".persist should be enabled");
    }
  }

  std::vector<std::string> errors;
  std::vector<std::string> warnings;

 private:
  void add(std::string error) { errors.push_back(std::move(error)); }
  bool control_plane() const { return role_ == Role::control_plane; }

  void check_cluster() {
    const Node* cluster = root_.find("cluster");
    if (!present(cluster)) return add("cluster instructions are required");
    const Node* endpoint = cluster->find_path({"controlPlane", "endpoint"});
    if (!present(endpoint)) return add("cluster controlplane endpoint is required");
    if (const std::string trouble = endpoint_trouble(text_of(endpoint)); !trouble.empty()) {
      add("invalid controlplane endpoint: " + trouble);
    }
    if (const Node* etcd = cluster->find("etcd"); present(etcd)) {
      if (!control_plane()) {
        add("etcd config is only allowed on control plane machines");
      } else if (!present(etcd->find("ca"))) {
        add("key/cert combination should not be empty");
      }
    }
    if (!control_plane() && !text_of(cluster->find_path({"ca", "key"})).empty()) {
      add("cluster CA key is not allowed on non-controlplane nodes (.cluster.ca)");
    }
  }

  void check_install() {
    if (!installs_) return;
    const Node* install = machine_->find("install");
    if (!present(install)) return add("install instructions are required in \"metal\" mode");
    bool selects = false;
    if (const Node* selector = install->find("diskSelector"); present(selector)) {
      const auto read = DiskSelector::read(*selector);
      selects = read.has_value();
      if (!read) add("install disk selector is invalid: " + read.error());
    }
    if (!selects && text_of(install->find("disk")).empty()) {
      add("either install disk or diskSelector should be defined");
    }
    const Node* arguments = install->find("extraKernelArgs");
    if (present(arguments) && !arguments->items.empty() &&
        truth_of(install->find("grubUseUKICmdline"))) {
      add("install.extraKernelArgs and install.grubUseUKICmdline can't be used together");
    }
  }

  void check_container() {
    if (platform_ != Platform::container) return;
    if (!truth_of(machine_->find_path({"features", "hostDNS", "enabled"}))) {
      add("feature HostDNS should be enabled in container mode "
          "(.machine.features.hostDNS.enabled)");
    }
    if (!truth_of(machine_->find_path({"features", "hostDNS", "forwardKubeDNSToHost"}))) {
      add("feature HostDNS should forward kube-dns to host in container mode "
          "(.machine.features.hostDNS.forwardKubeDNSToHost)");
    }
  }

  void check_role() {
    const std::string type = text_of(machine_->find("type"));
    if (role_ == Role::worker && type != "worker") {
      warnings.push_back("use \"worker\" instead of " + quoted(type) + " for machine type");
    }
    const Node* ca = machine_->find("ca");
    const Node* accepted = machine_->find("acceptedCAs");
    const bool accepts = present(accepted) && !accepted->items.empty();
    if (!present(ca) && !accepts) {
      add("issuing CA or some accepted CAs are required (.machine.ca, machine.acceptedCAs)");
    }
    if (!role_) {
      add("unknown machine type " + quoted(type));
    } else if (control_plane()) {
      check_cni();
      if (!present(ca)) {
        add("issuing CA is required (.machine.ca)");
      } else if (text_of(ca->find("key")).empty()) {
        add("issuing CA key is required for controlplane nodes (.machine.ca.key)");
      }
    } else {
      check_worker(ca, accepts);
    }
  }

  void check_cni() {
    const Node* cni = root_.find_path({"cluster", "network", "cni"});
    const std::string name = present(cni) ? text_of(cni->find("name")) : "";
    if (name.empty() || name == "flannel" || name == "none") return;
    if (name != "custom") return add(R"(cni name should be one of ["flannel", "custom", "none"])");
    const Node* urls = cni->find("urls");
    if (!present(urls) || urls->items.empty()) {
      warnings.push_back("\"urls\" field should not be empty for \"custom\" CNI");
    }
  }

  void check_worker(const Node* ca, bool accepts) {
    if (const Node* links = machine_->find_path({"network", "interfaces"}); present(links)) {
      for (const Node& link : links->items) {
        if (present(link.find("vip"))) {
          add("virtual (shared) IP is not allowed on non-controlplane nodes");
        }
      }
    }
    if (present(ca)) {
      if (!text_of(ca->find("key")).empty()) {
        add("issuing Talos API CA key is not allowed on non-controlplane nodes (.machine.ca)");
      }
      if (text_of(ca->find("crt")).empty() && !accepts) {
        add("trusted CA certificates are required on non-controlplane nodes (.machine.ca.crt, "
            ".machine.acceptedCAs)");
      }
    }
    if (!text_of(root_.find_path({"cluster", "ca", "key"})).empty()) {
      add("issuing Kubernetes API CA key is not allowed on non-controlplane nodes (.cluster.ca)");
    }
  }

  const Node& root_;
  const Node* machine_;
  Platform platform_;
  bool installs_;
  std::optional<Role> role_;
};

/// The errors of one document, joined as Go's errors.Join does.
std::string document_trouble(const ConfigDocument& document) {
  std::string trouble;
  const auto add = [&](const std::string& text) {
    if (!trouble.empty()) trouble += "\n";
    trouble += text;
  };
  const Node& root = document.root;
  if (document.kind == "HostnameConfig") {
    const std::string hostname = text_of(root.find("hostname"));
    const std::string automatic = text_of(root.find("auto"));
    const bool off = automatic.empty() || automatic == "off";
    if (off && hostname.empty()) add("either 'auto' or 'hostname' must be set");
    if (!off && !hostname.empty()) add("'auto' and 'hostname' cannot be set at the same time");
    const std::string host = hostname.substr(0, hostname.find('.'));
    if (hostname.size() > 253) add("fqdn is too long: " + std::to_string(hostname.size()));
    if (!hostname.empty() && (host.empty() || host.size() > 63)) {
      add("invalid hostname " + quoted(host));
    }
  } else if (document.kind == "LinkConfig") {
    if (document.name.empty()) add("name must be specified");
    if (const Node* addresses = root.find("addresses"); present(addresses)) {
      for (std::size_t i = 0; i < addresses->items.size(); ++i) {
        if (text_of(addresses->items[i].find("address")).empty()) {
          add("address " + std::to_string(i) + " must be specified");
        }
      }
    }
  } else if (document.kind == "Layer2VIPConfig") {
    if (document.name.empty()) {
      add("name must be specified");
    } else if (!is_ip(document.name)) {
      add("name must be a valid IP address: ParseAddr(" + quoted(document.name) +
          "): unable to parse IP");
    }
    if (text_of(root.find("link")).empty()) add("link must be specified");
  }
  return trouble;
}

/// "HostnameConfig", or with a name for the kinds that have one.
std::string document_id(const ConfigDocument& document) {
  return document.kind == "HostnameConfig" ? document.kind : document.kind + "/" + document.name;
}

/// "1.29.0" of "ghcr.io/siderolabs/kubelet:v1.29.0@sha256:…".
std::string version_of(const std::string& image) {
  const std::size_t tag = image.rfind(":v");
  if (tag == std::string::npos) return "";
  return image.substr(tag + 2, image.find('@', tag) - tag - 2);
}

std::string image_trouble(const std::string& image, Personality personality) {
  if (image.empty()) return "";
  const std::string version = version_of(image);
  if (version.empty()) {
    return "failed to parse Kubernetes version from image reference " + quoted(image) +
           ": invalid image reference: " + quoted(image);
  }
  const TalosRelease& release = release_of(personality);
  int minor = -1;
  if (version.starts_with("1.")) {
    std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  }
  const std::string talos = to_text(release.version).substr(1);
  const std::string subject = "version of Kubernetes " + version;
  if (minor < release.oldest_kubernetes)
    return subject + " is too old to be used with Talos " + talos;
  if (minor > release.newest_kubernetes)
    return subject + " is too new to be used with Talos " + talos;
  return "";
}

}  // namespace

std::optional<Role> role_of(const yaml::Node& machine) {
  const std::string type = text_of(machine.find("type"));
  if (type == "controlplane" || type == "init") return Role::control_plane;
  if (type == "worker" || type == "join" || type.empty()) return Role::worker;
  return std::nullopt;
}

ConfigFindings validate_config(const LoadedConfig& config, Platform platform, bool must_install) {
  ConfigFindings findings;
  std::vector<std::string> errors;
  const Node* root = config.v1alpha1();
  if (root != nullptr) {
    V1Alpha1Validator validator(*root, platform, must_install);
    validator.run();
    findings.warnings = validator.warnings;
    if (!validator.errors.empty()) {
      errors.push_back("v1alpha1.Config: " + multierror(validator.errors));
    }
  }
  for (const ConfigDocument& document : config.documents) {
    if (const std::string trouble = document_trouble(document); !trouble.empty()) {
      errors.push_back(document_id(document) + ": " + trouble);
    }
  }
  for (const ConfigDocument& document : config.documents) {
    if (root == nullptr || document.kind != "HostnameConfig") continue;
    if (!text_of(root->find_path({"machine", "network", "hostname"})).empty()) {
      errors.push_back("static hostname is already set in v1alpha1 config");
    } else if (truth_of(root->find_path({"machine", "features", "stableHostname"}))) {
      errors.push_back("stable hostname is already set in v1alpha1 config");
    }
  }
  findings.error = multierror(errors);
  return findings;
}

ConfigFindings validate_on_node(const LoadedConfig& config, const NodeSpec& node,
                                bool must_install) {
  ConfigFindings findings;
  const Node* root = config.v1alpha1();
  if (root == nullptr) return findings;
  std::vector<std::string> errors;
  const Node* selector = root->find_path({"machine", "install", "diskSelector"});
  if (must_install && present(selector)) {
    const auto read = DiskSelector::read(*selector);
    if (read && read->choose(node.disks) == nullptr) {
      errors.push_back("no disks matched the expression: " + read->expression());
    }
  }
  const auto check_image = [&](std::string_view name, const Node* image) {
    const std::string trouble = image_trouble(text_of(image), node.personality);
    if (!trouble.empty()) errors.push_back(std::string(name) + " image is not valid: " + trouble);
  };
  for (const ConfigDocument& document : config.documents) {
    for (const auto& [kind, component] :
         {std::pair("KubeletConfig", "kubelet"), std::pair("KubeAPIServerConfig", "kube-apiserver"),
          std::pair("KubeControllerManagerConfig", "kube-controller-manager"),
          std::pair("KubeSchedulerConfig", "kube-scheduler")}) {
      if (document.kind == kind) check_image(component, document.root.find("image"));
    }
  }
  check_image("kubelet", root->find_path({"machine", "kubelet", "image"}));
  const Node* machine = root->find("machine");
  if (present(machine) && role_of(*machine) == Role::control_plane) {
    check_image("kube-apiserver", root->find_path({"cluster", "apiServer", "image"}));
    check_image("kube-controller-manager",
                root->find_path({"cluster", "controllerManager", "image"}));
    check_image("kube-scheduler", root->find_path({"cluster", "scheduler", "image"}));
  }
  if (!errors.empty()) findings.error = multierror({"v1alpha1.Config: " + multierror(errors)});
  return findings;
}

}  // namespace ichor::sim
