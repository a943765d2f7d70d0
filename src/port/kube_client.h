#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "async/context.h"
#include "async/task.h"
#include "model/call.h"
#include "model/kube_object.h"

namespace ichor {

struct KubeList {
  SeenObjects items;
  std::string resource_version;  // from which a watch goes on
};

/// How a kind is served.
struct KubeResource {
  KubeKind kind;       // with its version
  std::string plural;  // "deployments"
  bool namespaced{false};
};

struct KubeEvent {
  enum class Kind { added, modified, deleted, bookmark };
  Kind kind{Kind::bookmark};
  SeenObject object;  // never null; of a bookmark only metadata.resourceVersion
};

/// An open watch. Destroying it closes the stream.
class KubeStream {
 public:
  virtual ~KubeStream() = default;
  /// The next event, or nothing where the server ended the stream in order. Code::out_of_range says
  /// that the version is too old to go on from: list again.
  virtual Task<CallResult<std::optional<KubeEvent>>> next(Context context) = 0;
};

struct KubeApply {
  bool dry_run{false};  // the server computes the result and keeps nothing
  bool force{false};    // take over fields of other managers
};

/// One cluster's Kubernetes API, reached with one kubeconfig. Calls that change something are made
/// from engine/kube_act.cc only, after the intent is durable; all of them may be repeated. A
/// server that asks for patience (429 with Retry-After) is given it within the context.
///
/// Errors: Code::not_found for a kind or an object that is not there, aborted for a conflict (the
/// text names managers and fields), invalid_argument and permission_denied for what the server or a
/// webhook refuses, unavailable for what may pass.
///
/// Bodies: kube/https_kube_client.h, sim/kube/cluster.h, sim/kube/ports.h.
class KubeClient {
 public:
  virtual ~KubeClient() = default;

  /// /readyz; the error's text names the checks that failed.
  virtual Task<CallResult<void>> ready(Context context) = 0;

  /// How a kind is served, by its kind, plural, singular or short name; without a group, any. Asked
  /// again for what was not there the last time, because a CRD may have come.
  virtual Task<CallResult<KubeResource>> find_kind(Context context, KubeKind kind) = 0;

  virtual Task<CallResult<KubeObject>> get(Context context, KubeRef ref) = 0;
  /// All pages.
  virtual Task<CallResult<KubeList>> list(Context context, KubeQuery query) = 0;
  /// Changes after `resource_version`, with bookmarks.
  virtual Task<CallResult<std::unique_ptr<KubeStream>>> watch(Context context, KubeQuery query,
                                                              std::string resource_version) = 0;

  /// Server-side apply as the field manager `ichor`; gives what the object then is.
  virtual Task<CallResult<KubeObject>> apply(Context context, const KubeObject& object,
                                             KubeApply options) = 0;
  /// Deletes the object that has this uid; Code::not_found if it is gone.
  virtual Task<CallResult<void>> remove(Context context, KubeRef ref, std::string uid) = 0;
  /// Asks the pod that has this uid to leave its node. Code::resource_exhausted where a
  /// PodDisruptionBudget forbids it now, Code::not_found if it is gone.
  virtual Task<CallResult<void>> evict(Context context, KubeRef pod, std::string uid) = 0;
  /// Puts the condition Approved on a CertificateSigningRequest as it was seen.
  virtual Task<CallResult<void>> approve_csr(Context context, KubeObject csr,
                                             std::string reason) = 0;
};

}  // namespace ichor
