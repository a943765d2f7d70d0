#include <fmt/format.h>

#include "machineconfig/migrate/mover.h"

namespace ichor::migrate {

namespace {

constexpr std::string_view kCriCustomization = "/etc/cri/conf.d/20-customization.part";

void move_kernel_modules(Mover& mover) {
  auto modules = mover.take({"machine", "kernel", "modules"});
  if (!modules) return;
  for (const yaml::Node& module : modules->items) {
    const yaml::Node* name = module.find("name");
    if (!name) continue;
    yaml::Node& document = mover.document("KernelModuleConfig", name->text);
    if (const yaml::Node* parameters = module.find("parameters")) {
      put(document, "parameters", *parameters);
    }
  }
}

void move_encryption(Mover& mover, std::string_view key, std::string_view volume) {
  auto encryption = mover.take({"machine", "systemDiskEncryption", key});
  if (encryption) put(mover.document("VolumeConfig", volume), "encryption", *std::move(encryption));
}

/// Of the files only the customization of containerd has a document of its own.
void move_files(Mover& mover) {
  auto files = mover.take({"machine", "files"});
  if (!files) return;
  std::erase_if(files->items, [&](const yaml::Node& file) {
    const yaml::Node* path = file.find("path");
    const yaml::Node* content = file.find("content");
    const std::string where = path ? path->text : "";
    if (where == kCriCustomization && content) {
      put(mover.document("CRICustomizationConfig", "from-machine-files"), "content", *content);
      return true;
    }
    if (where.starts_with("/etc/kubernetes/")) {
      mover.warn({"machine", "files"},
                 fmt::format("{}: files below /etc/kubernetes have no typed form", where),
                 "Talos 1.14 still accepts machine.files and calls it deprecated; say what the "
                 "file says in a Kube... document if there is one");
    } else {
      mover.warn({"machine", "files"},
                 fmt::format("{} stays in machine.files, which Talos 1.14 calls deprecated", where),
                 "use EtcFileConfig for a file below /etc, or a UserVolumeConfig for data");
    }
    return false;
  });
  if (!files->items.empty()) mover.give_back({"machine", "files"}, *std::move(files));
}

void move_static_pods(Mover& mover) {
  auto pods = mover.take({"machine", "pods"});
  if (!pods) return;
  std::erase_if(pods->items, [&](const yaml::Node& pod) {
    const yaml::Node* name = pod.find_path({"metadata", "name"});
    if (!name) return false;
    put(mover.document("KubeStaticPodConfig", name->text), "pod", pod);
    return true;
  });
  if (!pods->items.empty()) mover.give_back({"machine", "pods"}, *std::move(pods));
}

}  // namespace

void move_system(Mover& mover) {
  if (auto values = mover.take({"machine", "sysctls"})) {
    put(mover.document("SysctlConfig"), "params", *std::move(values));
  }
  if (auto values = mover.take({"machine", "sysfs"})) {
    put(mover.document("SysfsConfig"), "params", *std::move(values));
  }
  if (auto rules = mover.take({"machine", "udev", "rules"})) {
    put(mover.document("UdevRulesConfig"), "rules", *std::move(rules));
  }
  if (auto variables = mover.take({"machine", "env"})) {
    put(mover.document("EnvironmentConfig"), "variables", *std::move(variables));
  }
  if (auto overrides = mover.take({"machine", "baseRuntimeSpecOverrides"})) {
    put(mover.document("CRIBaseRuntimeSpecConfig"), "overrides", *std::move(overrides));
  }
  move_kernel_modules(mover);
  move_encryption(mover, "state", "STATE");
  move_encryption(mover, "ephemeral", "EPHEMERAL");
  move_files(mover);
  move_static_pods(mover);
}

void move_registries(Mover& mover) {
  if (auto mirrors = mover.take({"machine", "registries", "mirrors"})) {
    for (const yaml::Entry& mirror : mirrors->entries) {
      yaml::Node& document = mover.document("RegistryMirrorConfig", mirror.key.text);
      const yaml::Node* override_path = mirror.value.find("overridePath");
      std::vector<yaml::Node> endpoints;
      if (const yaml::Node* urls = mirror.value.find("endpoints")) {
        for (const yaml::Node& url : urls->items) {
          yaml::Map endpoint = yaml::map().set("url", url.text);
          if (override_path) endpoint.set("overridePath", *override_path);
          endpoints.push_back(endpoint);
        }
      }
      if (!endpoints.empty()) put(document, "endpoints", yaml::list(std::move(endpoints)));
      if (const yaml::Node* skip = mirror.value.find("skipFallback")) {
        put(document, "skipFallback", *skip);
      }
    }
  }
  auto configs = mover.take({"machine", "registries", "config"});
  if (!configs) return;
  for (const yaml::Entry& config : configs->entries) {
    if (const yaml::Node* tls = config.value.find("tls")) {
      yaml::Node& document = mover.document("RegistryTLSConfig", config.key.text);
      if (const yaml::Node* identity = tls->find("clientIdentity")) {
        put(document, "clientIdentity", certificate_and_key(*identity));
      }
      if (const yaml::Node* ca = tls->find("ca")) put(document, "ca", decoded_pem(*ca));
      if (const yaml::Node* skip = tls->find("insecureSkipVerify")) {
        put(document, "insecureSkipVerify", *skip);
      }
    }
    if (const yaml::Node* auth = config.value.find("auth")) {
      yaml::Node& document = mover.document("RegistryAuthConfig", config.key.text);
      for (const yaml::Entry& entry : auth->entries) put(document, entry.key.text, entry.value);
    }
  }
}

}  // namespace ichor::migrate
