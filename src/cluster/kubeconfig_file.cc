#include "cluster/kubeconfig_file.h"

#include "machineconfig/kubeconfig.h"

namespace ichor {

SecretString seen_from_outside(const SecretString& kubeconfig, const OutsideView& outside) {
  if (outside.endpoint.empty() || outside.endpoint == outside.reached_under) return kubeconfig;
  std::string text(kubeconfig.reveal());
  const std::size_t at = text.find(outside.endpoint);
  if (at != std::string::npos) text.replace(at, outside.endpoint.size(), outside.reached_under);
  return SecretString(std::move(text));
}

namespace {

Result<SecretString> merged(const std::string& path, const SecretString& added,
                            const MergeOptions& options, Host& host) {
  std::optional<SecretString> present;
  if (host.files.has_file(path)) {
    auto text = host.files.read_input(path);
    if (!text) return forward_error(text);
    present.emplace(*std::move(text));
  }
  return merge_kubeconfig(present, path, added, options);
}

}  // namespace

Result<void> may_merge(const std::string& path, const MergeOptions& options, const Workspace& space,
                       Host& host) {
  const auto own = make_kubeconfig(options.context, "https://unknown:6443", space.secrets.k8s,
                                   host.loop.clock().wall());
  if (!own) return forward_error(own);
  const auto whole = merged(path, *own, options, host);
  if (!whole) return forward_error(whole);
  return {};
}

Result<bool> export_kubeconfig(const std::string& path, const OutsideView& outside,
                               const MergeOptions& options, Workspace& space, Host& host) {
  auto content = space.state->load("kubeconfig");
  if (!content) return forward_error(content);
  if (!*content) return false;
  // Runs of several clusters merge into one file.
  const auto held = host.files.hold(path);
  if (!held) return forward_error(held);
  auto whole = merged(path, seen_from_outside(**content, outside), options, host);
  if (!whole) return forward_error(whole);
  if (auto written = host.files.export_secret(path, *whole); !written) {
    return forward_error(written);
  }
  return true;
}

}  // namespace ichor
