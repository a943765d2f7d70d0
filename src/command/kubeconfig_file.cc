#include "command/kubeconfig_file.h"

namespace ichor {

std::string kubeconfig_path(const std::string& wanted, const ProfileInput& input) {
  return wanted.empty() ? input.folder + "kubernetes/kubeconfig" : wanted;
}

Result<bool> export_kubeconfig(const std::string& path, Workspace& space, Desk& desk) {
  auto content = space.state->load("kubeconfig");
  if (!content) return tl::unexpected(std::move(content).error());
  if (!*content) return false;
  if (auto written = desk.export_secret(path, **content); !written) {
    return tl::unexpected(std::move(written).error());
  }
  return true;
}

}  // namespace ichor
