#include "lint/typed_traps.h"

#include <fmt/format.h>
#include <string>

#include "lint/settings.h"
#include "model/reporter.h"
#include "yaml/document.h"

namespace ichor {

namespace {

std::string text_at(const yaml::Node& node, std::string_view key) {
  const yaml::Node* found = node.find(key);
  return found == nullptr ? std::string() : found->text;
}

class Traps {
 public:
  Traps(const LintPatch& patch, std::vector<Finding>& findings)
      : patch_(patch), report_(findings) {}

  void run() {
    for (const yaml::Node& document : patch_.documents) {
      if (is_v1alpha1(document) || !document.is_mapping()) continue;
      const std::string kind = text_at(document, "kind");
      const bool deletes = document.find("$patch") != nullptr;
      if (kind == "KubeAuthorizerConfig" && deletes) check_authorizer(document);
      if (kind == "KubeEtcdEncryptionConfig") check_keys(document);
      if (kind == "KubeNodeConfig") check_labels(document);
      check_pem(document, kind);
    }
  }

 private:
  std::string where(const yaml::Node& node) const { return yaml::to_text(patch_.file, node.at); }

  /// An API server has those authorizers that have a document, and no others.
  void check_authorizer(const yaml::Node& document) {
    const std::string name = text_at(document, "name");
    if (name != "node" && name != "rbac") return;
    report_.error("patch.authorizer", where(document),
                  fmt::format("without the authorizer `{}` the API server refuses {}", name,
                              name == "node" ? "kubelets" : "Talos, controllers and people"),
                  "remove this deletion");
  }

  /// The names of keys are written beside every secret in etcd.
  void check_keys(const yaml::Node& document) {
    const yaml::Node* resources = document.find_path({"config", "resources"});
    if (resources == nullptr) return;
    for (const yaml::Node& resource : resources->items) {
      const yaml::Node* providers = resource.find("providers");
      if (providers == nullptr) continue;
      for (const yaml::Node& provider : providers->items) {
        const yaml::Node* keys = provider.find_path({"secretbox", "keys"});
        if (keys == nullptr) continue;
        for (const yaml::Node& key : keys->items) check_key(key);
      }
    }
  }

  void check_key(const yaml::Node& key) {
    const std::string name = text_at(key, "name");
    if (name == "key2") return;
    report_.warning("patch.encryption-key", where(key),
                    fmt::format("the encryption key is called `{}`, and that of a cluster that "
                                "Talos made is `key2`",
                                name),
                    "call it key2, unless you added it by hand: a secret that was written with "
                    "another name cannot be read");
  }

  /// What Talos added by itself to the old form stands in the document now.
  void check_labels(const yaml::Node& document) {
    constexpr std::string_view kLabel = "node-role.kubernetes.io/control-plane";
    const yaml::Node* labels = document.find("labels");
    const yaml::Node* label = labels != nullptr ? labels->find(kLabel) : nullptr;
    const bool all_deleted = labels != nullptr && labels->find("$patch") != nullptr;
    if (!all_deleted && (label == nullptr || label->find("$patch") == nullptr)) return;
    report_.warning("patch.label", where(all_deleted ? *labels : *label),
                    fmt::format("control planes lose the label {}, which Talos 1.14 does not add "
                                "by itself any more",
                                kLabel),
                    "remove this deletion");
  }

  /// Typed documents hold PEM as it is, where the old form has base64 of it.
  void check_pem(const yaml::Node& node, const std::string& path) {
    for (const yaml::Node& item : node.items) check_pem(item, path);
    for (const yaml::Entry& entry : node.entries) {
      check_pem(entry.value, path + "." + entry.key.text);
    }
    if (!node.text.starts_with("LS0tLS1CRUdJTi")) return;
    report_.error("patch.pem", where(node),
                  fmt::format("{} is base64; a typed document holds the PEM text itself", path),
                  "decode it with `base64 -d`, and write it as a block: `|` and the text below");
  }

  const LintPatch& patch_;
  Reporter report_;
};

}  // namespace

void lint_typed_traps(const LintInput& input, std::vector<Finding>& findings) {
  for (const LintPatch& patch : input.material.patches) Traps(patch, findings).run();
}

}  // namespace ichor
