#include <fmt/format.h>

#include "command/commands.h"
#include "lab/control.h"
#include "lab/listing.h"
#include "run/finish.h"

namespace ichor {

Exit run(const LabStatusRequest& request, const CommonOptions&, Host& host) {
  const auto status = lab::status_of(request.state_dir);
  if (!status) return finish(end_with(status.error()).value(), host.terminal);
  host.terminal.display().show(lab_listing(*status));
  RunResult result;
  result.exit = Exit::done;
  result.verdict = fmt::format(
      "lab of Talos {}, process {}, time scale {}, {} changes, {} etcd {}{}", status->talos_version,
      status->pid, status->time_scale, status->mutations, status->etcd_clusters.size(),
      status->etcd_clusters.size() == 1 ? "cluster" : "clusters",
      status->kubernetes_api.empty() ? "" : ", API at " + status->kubernetes_api);
  return finish(std::move(result), host.terminal);
}

}  // namespace ichor
