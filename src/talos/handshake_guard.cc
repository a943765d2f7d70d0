#include "talos/handshake_guard.h"

#include <utility>

#include "talos/certificate.h"

namespace ichor {

HandshakeGuard::HandshakeGuard(HandshakeDemand demand, std::shared_ptr<HandshakeLog> log)
    : demand_(std::move(demand)), log_(std::move(log)) {}

bool HandshakeGuard::accepts(std::string_view leaf_pem) const {
  const X509Ptr leaf = certificate_from_pem(leaf_pem);
  if (!leaf || fingerprint_of(*leaf) != demand_.fingerprint) return false;
  if (demand_.ca_pem.empty()) return true;
  const X509Ptr ca = certificate_from_pem(demand_.ca_pem);
  return ca && judge_chain(*leaf, *ca, demand_.address) == ChainFault::none;
}

bool HandshakeGuard::Verify(grpc::experimental::TlsCustomVerificationCheckRequest* request,
                            std::function<void(grpc::Status)>, grpc::Status* sync_status) {
  const bool first = log_->begun.fetch_add(1) == 0;
  const grpc::string_ref leaf = request->peer_cert();
  const bool good = first && accepts({leaf.data(), leaf.size()});
  if (!good) log_->refused = true;
  *sync_status = good ? grpc::Status::OK
                      : grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "not the proved peer");
  return true;  // decided at once
}

}  // namespace ichor
