#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "port/scout.h"
#include "port/talos_api.h"
#include "talos/credentials.h"
#include "talos/dial.h"
#include "talos/endpoint.h"
#include "talos/session.h"

namespace ichor {

/// Talos over gRPC: a session is one connection, judged within its own handshake (talos/dial.h).
/// Everything lives on the loop, which must outlive this object and its sessions.
class GrpcTalosApi final : public TalosApi, public Scout {
 public:
  struct Options {
    std::optional<TalosCredentials> credentials;  // none: only maintenance mode can be reached
    Route route{direct_route};
    /// Control planes that pass calls on to the node that is meant; empty: nodes are dialled. Only
    /// for reading: what lies behind an endpoint may change without a sign.
    std::vector<IpAddress> endpoints;
    CanonicalDigest canonical_digest;
    boost::asio::io_context* io{nullptr};  // the loop
  };

  /// Errc::invalid if the credentials cannot be read or do not belong together.
  static Result<std::unique_ptr<GrpcTalosApi>> make(Options options);
  ~GrpcTalosApi() override;
  GrpcTalosApi(const GrpcTalosApi&) = delete;
  GrpcTalosApi& operator=(const GrpcTalosApi&) = delete;

  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context context, IpAddress address,
                                                       PeerDemand demand) override;
  Task<Sighting> probe(Context context, IpAddress address, ProbeOptions options) override;

 private:
  explicit GrpcTalosApi(Options options);
  /// One try to open a session with whoever is at `address`.
  Task<CallResult<std::unique_ptr<TalosSession>>> open_at(Context context, IpAddress address,
                                                          std::string forward_to, Duration limit,
                                                          PeerDemand demand);
  std::unique_ptr<GrpcSession> session_on(Dialer::Dialed dialed, std::string forward_to) const;

  Options options_;
  Dialer dialer_;
  std::size_t answering_{0};  // the endpoint that was asked last
};

}  // namespace ichor
