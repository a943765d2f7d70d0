#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "machineconfig/canonical.h"
#include "machineconfig/patch/patch.h"
#include "yaml/emit.h"

namespace ichor {
namespace {

/// A config with something of everything that a patch can meet.
constexpr std::string_view kConfig =
    "machine:\n  type: worker\n  certSANs: [a]\n  sysctls: {a: '1'}\n"
    "  kubelet: {extraConfig: {a: 1, b: [x], c: {d: e}}}\n"
    "  network:\n    interfaces:\n      - {interface: eth0, vlans: [{vlanId: 5}]}\n"
    "  registries: {mirrors: {docker.io: {endpoints: [https://a]}}}\n"
    "cluster:\n  controlPlane: {endpoint: 'https://a:6443/b'}\n"
    "  apiServer: {admissionControl: [{name: A, configuration: {x: y}}], auditPolicy: {k: v}}\n";
constexpr std::string_view kDocuments =
    "---\napiVersion: v1alpha1\nkind: HostnameConfig\nauto: stable\n"
    "---\napiVersion: v1alpha1\nkind: UserVolumeConfig\nname: data\n"
    "provisioning: {diskSelector: {match: 'true'}, minSize: 1GB, maxSize: 50%}\n";

std::vector<yaml::Node> roots(std::string_view text) {
  std::vector<yaml::Node> result;
  auto documents = yaml::parse(text, "config");
  for (yaml::Document& document : *documents) {
    result.push_back(std::move(document.root));
  }
  return result;
}

/// What comes out of a strategic patch can be read and patched again, and writing it twice gives
/// the same.
void patch_and_read_again(const Patch& patch, const std::string& base) {
  const auto patched = apply_patches(roots(base), "config", {patch});
  if (!patched) return;
  const std::string text = yaml::emit_all(patched->documents);
  const auto again = yaml::parse(text, "again");
  check(again.has_value(), "what is written can be read");
  const auto digest = canonical_digest(text);
  check(digest && *digest == canonical_digest(patched->documents), "it means the same");
  if (!std::holds_alternative<StrategicPatch>(patch.content) || patched->documents.empty()) return;
  // Words that stand for zero, such as Protocol(0), are written by Talos and not read.
  if (text.find("(0)") != std::string::npos) return;
  const auto documents = read_config(text, "again");
  check(documents.has_value(), documents ? "" : documents.error().message);
}

}  // namespace
}  // namespace ichor

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto patch = ichor::load_patch(text, "patch");
  if (!patch) return 0;
  ichor::touches_secrets(*patch);
  ichor::patch_and_read_again(*patch, std::string(ichor::kConfig));
  ichor::patch_and_read_again(*patch, std::string(ichor::kConfig) + std::string(ichor::kDocuments));
  return 0;
}
