#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "machineconfig/migrate/mover.h"
#include "machineconfig/migrate/selectors.h"

namespace ichor::migrate {

namespace {

constexpr std::string_view kControlPlaneRole = "node-role.kubernetes.io/control-plane";

// What Talos decides itself about the kubelet, and refuses in KubeletConfig.config.
constexpr std::array<std::string_view, 13> kReservedKubeletConfig{
    "apiVersion",         "kind",          "authentication",        "authorization",
    "cgroupRoot",         "port",          "kubeletCgroups",        "resolvConf",
    "rotateCertificates", "systemCgroups", "protectKernelDefaults", "staticPodPath",
    "seccompDefault"};

bool filled(const yaml::Node* node) {
  return node && (!node->items.empty() || !node->entries.empty() || !node->text.empty());
}

/// Whether machine.install keeps its old form.
bool install_stays(Mover& mover) {
  bool stays = false;
  const auto refuse = [&](Keys keys, std::string what, std::string fix) {
    mover.refuse(keys, std::move(what), std::move(fix));
    stays = true;
  };
  if (filled(mover.peek({"machine", "install", "extraKernelArgs"}))) {
    refuse({"machine", "install", "extraKernelArgs"},
           "kernel arguments have no typed form in Talos 1.14",
           "put them into the schematic (customization.extraKernelArgs), use its installer image, "
           "and delete this key; `ichor schematic id FILE` prints the ID");
  }
  if (filled(mover.peek({"machine", "install", "extensions"}))) {
    refuse({"machine", "install", "extensions"}, "extensions have no typed form in Talos 1.14",
           "put them into the schematic (customization.systemExtensions) and delete this key");
  }
  if (mover.flag({"machine", "install", "legacyBIOSSupport"})) {
    refuse({"machine", "install", "legacyBIOSSupport"},
           "legacyBIOSSupport has no typed form in Talos 1.14",
           "delete it if the machine boots by UEFI");
  }
  if (mover.text({"machine", "install", "bootloader"}) == "false") {
    refuse({"machine", "install", "bootloader"},
           "an installation without a boot loader has no typed form in Talos 1.14",
           "delete it: Talos installs its boot loader");
  }
  if (filled(mover.peek({"machine", "install", "diskSelector", "name"}))) {
    refuse({"machine", "install", "diskSelector", "name"},
           "a disk cannot be selected by this name in Talos 1.14",
           "select it by serial, wwid or busPath");
  }
  return stays;
}

}  // namespace

void move_install(Mover& mover) {
  const yaml::Node* install = mover.peek({"machine", "install"});
  if (!install || install_stays(mover)) return;
  const std::string match = disk_match(*install);
  const bool selects = !match.empty();
  if (!mover.patch() && !selects) {
    mover.warn({"machine", "install"}, "no disk is selected, so this section keeps its old form",
               "set machine.install.disk or diskSelector, then run this command again");
    return;
  }
  if (mover.has({"machine", "install", "grubUseUKICmdline"})) {
    mover.warn({"machine", "install", "grubUseUKICmdline"},
               "Talos 1.14 always takes the kernel arguments of the image, so this key is dropped",
               "check that the schematic has every kernel argument that the node needs");
    mover.take({"machine", "install", "grubUseUKICmdline"});
  }
  yaml::Node& document = mover.document("UnattendedInstallConfig");
  yaml::Map installer;
  if (auto image = mover.take({"machine", "install", "image"})) {
    if (image->text.find("factory.talos.dev/") == std::string::npos) {
      mover.warn({"machine", "install", "image"},
                 "installer images of Talos 1.14 exist only in the Image Factory, and " +
                     image->text + " is not one of them",
                 "use factory.talos.dev/metal-installer/SCHEMATIC:VERSION, or its copy in your "
                 "registry; `ichor schematic id FILE` prints SCHEMATIC");
    }
    installer.set("image", *image);
  }
  if (!mover.patch() || !installer.empty()) put(document, "installer", installer);
  yaml::Map provisioning;
  if (selects) {
    provisioning.set("diskSelector", yaml::map().set("match", match));
  } else {
    mover.warn_of_file({"machine", "install"},
                       "a patch of UnattendedInstallConfig deletes the disk selector of the config",
                       "repeat provisioning.diskSelector.match in this patch");
  }
  if (auto wipe = mover.take({"machine", "install", "wipe"})) {
    provisioning.set("wipe", *wipe);
  } else if (!mover.patch()) {
    provisioning.set("wipe", false);
  }
  if (!provisioning.empty()) put(document, "provisioning", provisioning);
  mover.take({"machine", "install"});
}

namespace {

bool kubelet_stays(Mover& mover) {
  bool stays = false;
  if (filled(mover.peek({"machine", "kubelet", "extraMounts"}))) {
    mover.refuse({"machine", "kubelet", "extraMounts"},
                 "mounts of the kubelet have no typed form in Talos 1.14",
                 "delete them if a UserVolumeConfig (mounted below /var/mnt) serves as well; until "
                 "then machine.kubelet keeps its old form");
    stays = true;
  }
  if (mover.text({"machine", "kubelet", "disableManifestsDirectory"}) == "false") {
    mover.refuse({"machine", "kubelet", "disableManifestsDirectory"},
                 "the manifests directory has no typed form in Talos 1.14",
                 "move its pods to KubeStaticPodConfig documents, then delete this key");
    stays = true;
  }
  if (const yaml::Node* config = mover.peek({"machine", "kubelet", "extraConfig"})) {
    for (const yaml::Entry& entry : config->entries) {
      const std::string& key = entry.key.text;
      if (std::ranges::count(kReservedKubeletConfig, key) == 0) continue;
      mover.refuse({"machine", "kubelet", "extraConfig", key},
                   "Talos 1.14 does not let KubeletConfig set " + key,
                   "delete the key; until then machine.kubelet keeps its old form");
      stays = true;
    }
  }
  if (!mover.patch() && !stays && mover.text({"machine", "kubelet", "image"}).empty() &&
      mover.kubernetes_version().empty()) {
    mover.warn(
        {"machine", "kubelet"},
        "no image is set, so this section keeps its old form: Talos would choose the version",
        "run this command with --kubernetes-version");
    stays = true;
  }
  return stays;
}

void move_kubelet(Mover& mover) {
  const bool present = mover.has({"machine", "kubelet"});
  if ((!present && mover.patch()) || kubelet_stays(mover)) return;
  if (!present && mover.find_document("KubeletConfig")) return;
  if (!present && mover.kubernetes_version().empty()) return;
  if (auto providers = mover.take({"machine", "kubelet", "credentialProviderConfig"})) {
    put(mover.document("KubeCredentialProviderConfig"), "configuration", *std::move(providers));
  }
  mover.take({"machine", "kubelet", "disableManifestsDirectory"});
  const yaml::Node* left = mover.peek({"machine", "kubelet"});
  if (mover.patch() && (!left || left->entries.empty())) {
    mover.take({"machine", "kubelet"});
    return;
  }
  yaml::Node& document = mover.document("KubeletConfig");
  if (!mover.patch() && mover.text({"machine", "kubelet", "image"}).empty()) {
    put(document, "image",
        yaml::make_string("ghcr.io/siderolabs/kubelet:" + mover.kubernetes_version()));
  }
  mover.move({"machine", "kubelet", "image"}, document, "image");
  if (!mover.patch()) put(document, "config", yaml::map());
  mover.move({"machine", "kubelet", "extraConfig"}, document, "config");
  mover.move({"machine", "kubelet", "extraArgs"}, document, "extraArgs");
  mover.move({"machine", "kubelet", "clusterDNS"}, document, "clusterDNS");
  // The old form is off unless it says otherwise, and the document says so.
  if (!mover.patch()) put(document, "defaultRuntimeSeccompProfileEnabled", yaml::make_bool(false));
  mover.move({"machine", "kubelet", "defaultRuntimeSeccompProfileEnabled"}, document,
             "defaultRuntimeSeccompProfileEnabled");
  mover.take({"machine", "kubelet"});
}

/// Taints: Talos adds that of control planes to the old form by itself.
void move_taints(Mover& mover, yaml::Node& document) {
  yaml::Map taints;
  if (auto own = mover.take({"machine", "nodeTaints"})) {
    for (const yaml::Entry& entry : own->entries) taints.set(entry.key.text, entry.value);
  }
  const auto masters = mover.take({"cluster", "allowSchedulingOnMasters"});
  auto allowed = mover.take({"cluster", "allowSchedulingOnControlPlanes"});
  if (!allowed) allowed = masters;
  const bool schedulable = allowed && allowed->text == "true";
  if (mover.control_plane() && !schedulable) taints.set(kControlPlaneRole, "NoSchedule");
  if (mover.patch() && allowed) {
    if (schedulable) {
      taints.set(kControlPlaneRole, yaml::map().set("$patch", "delete"));
      mover.warn_of_file(
          {"cluster", "allowSchedulingOnControlPlanes"},
          "the patch now deletes the taint that a config of Talos 1.14 has, and Talos "
          "refuses to delete a taint that is missing",
          "apply this patch to control planes only");
    } else {
      taints.set(kControlPlaneRole, "NoSchedule");
      mover.warn_of_file({"cluster", "allowSchedulingOnControlPlanes"},
                         "the patch now adds the taint to every node that it is applied to",
                         "apply this patch to control planes only");
    }
  }
  if (!taints.empty()) put(document, "taints", taints);
}

}  // namespace

void move_node(Mover& mover) {
  const bool says_something =
      mover.has({"machine", "nodeLabels"}) || mover.has({"machine", "nodeAnnotations"}) ||
      mover.has({"machine", "nodeTaints"}) || mover.has({"machine", "kubelet", "nodeIP"}) ||
      mover.has({"machine", "kubelet", "registerWithFQDN"}) ||
      mover.has({"machine", "kubelet", "skipNodeRegistration"}) ||
      mover.has({"cluster", "allowSchedulingOnControlPlanes"}) ||
      mover.has({"cluster", "allowSchedulingOnMasters"});
  const bool old_config = !mover.patch() && !mover.find_document("KubeNodeConfig") &&
                          (mover.has({"machine", "kubelet"}) || mover.has({"cluster", "ca"}));
  if (says_something || old_config) {
    yaml::Node& document = mover.document("KubeNodeConfig");
    mover.move({"machine", "kubelet", "skipNodeRegistration"}, document, "skipNodeRegistration");
    mover.move({"machine", "kubelet", "registerWithFQDN"}, document, "registerWithFQDN");
    if (!mover.patch()) put(document, "nodeIP", yaml::map());
    mover.move({"machine", "kubelet", "nodeIP"}, document, "nodeIP");
    yaml::Map labels;
    if (auto own = mover.take({"machine", "nodeLabels"})) {
      for (const yaml::Entry& entry : own->entries) labels.set(entry.key.text, entry.value);
    }
    if (mover.control_plane()) labels.set(kControlPlaneRole, "");
    if (!labels.empty()) put(document, "labels", labels);
    mover.move({"machine", "nodeAnnotations"}, document, "annotations");
    move_taints(mover, document);
  }
  move_kubelet(mover);
}

void move_features(Mover& mover) {
  if (auto prism = mover.take({"machine", "features", "kubePrism"})) {
    const yaml::Node* enabled = prism->find("enabled");
    const yaml::Node* port = prism->find("port");
    if (enabled && enabled->text == "true") {
      put(mover.document("KubePrismConfig"), "port", port ? *port : yaml::make_int(7445));
    } else if (enabled && mover.patch()) {
      mover.delete_document("KubePrismConfig");
    } else if (port && mover.patch()) {
      put(mover.document("KubePrismConfig"), "port", *port);
    }
  }
  if (auto access = mover.take({"machine", "features", "kubernetesTalosAPIAccess"})) {
    const yaml::Node* enabled = access->find("enabled");
    const bool off = enabled && enabled->text == "false";
    if (off && mover.patch()) {
      mover.delete_document("KubeTalosAPIAccessConfig");
    } else if (!off && !mover.worker()) {
      yaml::Node& document = mover.document("KubeTalosAPIAccessConfig");
      for (const char* key : {"allowedRoles", "allowedKubernetesNamespaces"}) {
        if (const yaml::Node* value = access->find(key)) put(document, key, *value);
      }
    }
  }
  if (auto cache = mover.take({"machine", "features", "imageCache", "localEnabled"})) {
    put(mover.document("ImageCacheConfig"), "local", yaml::map().set("enabled", *cache));
  }
  if (auto dns = mover.take({"machine", "features", "hostDNS"})) {
    put(mover.document("ResolverConfig"), "hostDNS", *std::move(dns));
  }
}

}  // namespace ichor::migrate
