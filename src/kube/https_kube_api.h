#pragma once

#include <functional>
#include <memory>

#include "model/ids.h"
#include "port/kube_api.h"

namespace boost::asio {
class io_context;
}

namespace ichor {

/// The Kubernetes API over HTTPS, on the process's socket loop. One connection per call; only the
/// kubeconfig's own CA is believed, and the server must carry the kubeconfig's host in its
/// certificate also where another address is dialled. Limits are kept in real time, whatever the
/// loop's clock does.
class HttpsKubeApi final : public KubeApi {
 public:
  /// From an address of the plan to the one that is dialled; empty: they are the same.
  using Dial = std::function<IpAddress(const IpAddress&)>;

  /// The loop must outlive this object and run while a call is under way.
  HttpsKubeApi(boost::asio::io_context& io, Dial dial) : io_(io), dial_(std::move(dial)) {}

  Task<CallResult<void>> ready(Context context, const SecretString& kubeconfig) override;

 private:
  boost::asio::io_context& io_;
  Dial dial_;
};

}  // namespace ichor
