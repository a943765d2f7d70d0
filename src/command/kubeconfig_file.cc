#include "command/kubeconfig_file.h"

namespace ichor {

namespace {

SecretString seen_from_outside(const SecretString& kubeconfig, const OutsideView& outside) {
  if (outside.endpoint.empty() || outside.endpoint == outside.reached_under) return kubeconfig;
  std::string text(kubeconfig.reveal());
  const std::size_t at = text.find(outside.endpoint);
  if (at != std::string::npos) text.replace(at, outside.endpoint.size(), outside.reached_under);
  return SecretString(std::move(text));
}

}  // namespace

Result<bool> export_kubeconfig(const std::string& path, const OutsideView& outside,
                               Workspace& space, Desk& desk) {
  auto content = space.state->load("kubeconfig");
  if (!content) return tl::unexpected(std::move(content).error());
  if (!*content) return false;
  if (auto written = desk.export_secret(path, seen_from_outside(**content, outside)); !written) {
    return tl::unexpected(std::move(written).error());
  }
  return true;
}

}  // namespace ichor
