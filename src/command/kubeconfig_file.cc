#include "command/kubeconfig_file.h"

#include "command/kubeconfig_merge.h"

namespace ichor {

namespace {

SecretString seen_from_outside(const SecretString& kubeconfig, const OutsideView& outside) {
  if (outside.endpoint.empty() || outside.endpoint == outside.reached_under) return kubeconfig;
  std::string text(kubeconfig.reveal());
  const std::size_t at = text.find(outside.endpoint);
  if (at != std::string::npos) text.replace(at, outside.endpoint.size(), outside.reached_under);
  return SecretString(std::move(text));
}

Result<SecretString> merged(const std::string& path, const SecretString& added, Placing placing,
                            Desk& desk) {
  std::optional<SecretString> present;
  if (desk.has_file(path)) {
    auto text = desk.read_input(path);
    if (!text) return tl::unexpected(std::move(text).error());
    present.emplace(*std::move(text));
  }
  const bool force = placing == Placing::merge_by_force;
  return merge_kubeconfig(present, path, added, force ? OnConflict::replace : OnConflict::refuse);
}

}  // namespace

Result<bool> export_kubeconfig(const std::string& path, const OutsideView& outside,
                               Workspace& space, Desk& desk, Placing placing) {
  auto content = space.state->load("kubeconfig");
  if (!content) return tl::unexpected(std::move(content).error());
  if (!*content) return false;
  SecretString wanted = seen_from_outside(**content, outside);
  if (placing != Placing::replace) {
    auto whole = merged(path, wanted, placing, desk);
    if (!whole) return tl::unexpected(std::move(whole).error());
    wanted = *std::move(whole);
  }
  if (auto written = desk.export_secret(path, wanted); !written) {
    return tl::unexpected(std::move(written).error());
  }
  return true;
}

}  // namespace ichor
