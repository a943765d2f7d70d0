#include "kube/kube_peer.h"

namespace ichor {

Result<HttpPeer> peer_of(const KubeAccess& access, const std::string& dial_host) {
  // A resolver takes an empty host for this machine.
  if (dial_host.empty()) {
    return fail(Errc::invalid, access.host + " is not part of the lab, so it is not dialled");
  }
  auto tls = tls_with(access.ca_pem, access.client_cert_pem, access.client_key_pem);
  if (!tls) return forward_error(tls);
  return HttpPeer{access.host, dial_host, access.port, *std::move(tls), access.token};
}

}  // namespace ichor
