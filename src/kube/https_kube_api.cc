#include "kube/https_kube_api.h"

#include "kube/kube_peer.h"
#include "kube/kube_status.h"
#include "web/http_pool.h"

namespace ichor {

namespace {

constexpr Duration kLimit = std::chrono::seconds(10);

CallError not_sent(std::string text) {
  return {Call::kube_ready, Progress::not_sent, TlsVerdict::fine, Code::invalid_argument,
          std::move(text)};
}

}  // namespace

Task<CallResult<void>> HttpsKubeApi::ready(Context context, const SecretString& kubeconfig) {
  const auto access = read_kubeconfig(kubeconfig);
  if (!access) co_return tl::unexpected(not_sent(access.error().message));
  auto peer = peer_of(*access, dial_ ? dial_(IpAddress(access->host)).value() : access->host);
  if (!peer) co_return tl::unexpected(not_sent(peer.error().message));
  HttpPool pool(io_, *std::move(peer));
  HttpRequest request;
  request.target = "/readyz";
  const auto answer =
      co_await pool.ask(context.within(kLimit), Call::kube_ready, std::move(request));
  if (!answer) co_return forward_error(answer);
  if (answer->status == 200) co_return CallResult<void>();
  co_return tl::unexpected(error_of(Call::kube_ready, *answer));
}

}  // namespace ichor
