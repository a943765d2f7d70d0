#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/secret.h"
#include "kube/pod_forward.h"
#include "model/ids.h"
#include "port/kube_client.h"
#include "web/http_pool.h"

namespace ichor {

/// The Kubernetes API over HTTPS, on the process's socket loop. Connections are kept between calls;
/// a watch has one of its own. Only the kubeconfig's own CA is believed, and the server must carry
/// the kubeconfig's host in its certificate also where another address is dialled.
class HttpsKubeClient final : public KubeClient, public PodPorts {
 public:
  /// From an address of the kubeconfig to the one that is dialled; empty: they are the same.
  using Dial = std::function<IpAddress(const IpAddress&)>;

  /// Refuses a kubeconfig that cannot be used; see read_kubeconfig(). The loop must outlive the
  /// client and run while a call is under way.
  static Result<std::unique_ptr<HttpsKubeClient>> make(boost::asio::io_context& io,
                                                       const SecretString& kubeconfig, Dial dial);

  Task<CallResult<void>> ready(Context context) override;
  Task<CallResult<KubeResource>> find_kind(Context context, KubeKind kind) override;
  Task<CallResult<KubeObject>> get(Context context, KubeRef ref) override;
  Task<CallResult<KubeList>> list(Context context, KubeQuery query) override;
  Task<CallResult<std::unique_ptr<KubeStream>>> watch(Context context, KubeQuery query,
                                                      std::string resource_version) override;
  Task<CallResult<KubeObject>> apply(Context context, const KubeObject& object,
                                     KubeApply options) override;
  Task<CallResult<void>> remove(Context context, KubeRef ref, std::string uid) override;
  Task<CallResult<void>> evict(Context context, KubeRef pod, std::string uid) override;
  Task<CallResult<void>> approve_csr(Context context, KubeObject csr, std::string reason) override;

  Task<CallResult<std::string>> exchange(Context context, PodPort where, std::string message,
                                         std::function<bool(std::string_view)> whole) override {
    return exchange_with_pod(context, pool_.io(), pool_.peer(), std::move(where),
                             std::move(message), std::move(whole));
  }

 private:
  HttpsKubeClient(boost::asio::io_context& io, HttpPeer peer) : pool_(io, std::move(peer)) {}

  /// One request; an answer other than 2xx is an error, and what is not JSON too.
  Task<CallResult<KubeObject>> call(Context context, Call call, HttpRequest request);
  Task<CallResult<KubeObject>> read(Context context, std::string target);
  /// A kind in one group and version, from the cache if it is there.
  Task<CallResult<KubeResource>> find_in(Context context, std::string group, std::string version,
                                         std::string name);
  Task<CallResult<KubeResource>> find_in_group(Context context, KubeKind kind);
  Task<CallResult<KubeResource>> find_anywhere(Context context, KubeKind kind);

  HttpPool pool_;
  std::map<std::string, KubeObject> resource_lists_;  // by path
};

}  // namespace ichor
