#include "wait/kube_retry.h"

namespace ichor {

KubeVerdict judge_kube(const CallError& error) {
  using enum Reaction;
  if (error.tls != TlsVerdict::fine) {
    return {give_up, "T1",
            "the kubeconfig is not this cluster's: fetch it with `ichor kubeconfig`"};
  }
  // Our own journal failed us: nothing may be sent any more.
  if (error.progress == Progress::not_sent && error.code == Code::internal) {
    return {give_up, "L3", "free the disk, then run it again"};
  }
  // What a helm leaves behind is looked at by the next run, not installed over by this one.
  if (error.call == Call::install_release) {
    return {give_up, "K6", "look at the release: `helm status`"};
  }
  if (error.progress != Progress::answered) {
    return {retry, "K3", "is an API server up and reachable?"};
  }
  switch (error.code) {
    case Code::cancelled: return {give_up, "", ""};
    case Code::aborted:
      return {give_up, "K5",
              "let one owner have the field, or take it over with --force-conflicts"};
    case Code::not_found:
      return {not_yet, "K3", "apply what it belongs to first: its namespace, or its CRD (phase 1)"};
    case Code::unauthenticated:
      return {give_up, "K3", "the API does not know this identity: fetch a new kubeconfig"};
    case Code::permission_denied:
      return {give_up, "K3", "the API or a webhook rejects this: fix what it names"};
    case Code::invalid_argument:
    case Code::already_exists:
      return {give_up, "K3", "the API or a webhook rejects the object: fix what it names"};
    default: return {retry, "K3", "the API is overloaded or restarts: `ichor wait api`"};
  }
}

}  // namespace ichor
