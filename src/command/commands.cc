#include "command/commands.h"

#include "base/words.h"
#include "cluster/cluster_list.h"
#include "run/each_cluster.h"
#include "run/finish.h"

namespace ichor {

namespace {

Exit run_one(const Invocation& invocation, Host& host) {
  return std::visit([&](const auto& request) { return run(request, invocation.common, host); },
                    invocation.request);
}

/// --cluster NAME without --profile, in the root of a repository with several clusters: the list
/// says which profile is meant. All contexts go into one kubeconfig there.
Exit run_listed(Invocation invocation, const ListedCluster& cluster, Host& host) {
  invocation.common.profile = cluster.profile;
  UpRequest* up = std::get_if<UpRequest>(&invocation.request);
  const bool on_lab = up && (up->lab.wanted || !invocation.common.lab_state.empty());
  if (up && !on_lab && up->kubeconfig.empty()) up->kubeconfig = "kubernetes/kubeconfig";
  return run_one(invocation, host);
}

}  // namespace

Exit run_command(const Invocation& invocation, Host& host) {
  const CommonOptions& common = invocation.common;
  const bool by_name =
      !common.cluster.empty() && !invocation.names_profile && !host.files.has_file(common.profile);
  if (!common.several() && !by_name) return run_one(invocation, host);
  const auto list = list_clusters(host.files);
  const auto chosen = list ? select_clusters(*list, split_list(common.cluster)) : list;
  if (!chosen) {
    return finish(end_with(Exit::usage, chosen.error().message).value(), host.terminal);
  }
  if (!common.several()) return run_listed(invocation, chosen->front(), host);
  return run_on_each(*chosen, invocation.words, common, host);
}

}  // namespace ichor
