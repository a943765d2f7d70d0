#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "port/talos_api.h"
#include "talos/credentials.h"
#include "talos/endpoint.h"
#include "talos/mailbox.h"
#include "talos/session.h"

namespace ichor {

/// Talos over gRPC. Opening a session is two handshakes: a plain one that tells who answers (see
/// talos/probe.h), and that of the session's own channel, which must show the same key (see
/// talos/handshake_guard.h).
///
/// Everything but `post` is called on the loop. The loop must outlive this object; sessions may
/// outlive it, but then their calls do not end.
class GrpcTalosApi final : public TalosApi {
 public:
  struct Options {
    std::optional<TalosCredentials> credentials;  // none: only maintenance mode can be reached
    Route route{direct_route};
    /// Control planes that pass calls on to the node that is meant; empty: nodes are dialled. Only
    /// for reading: what lies behind an endpoint may change without a sign.
    std::vector<IpAddress> endpoints;
    CanonicalDigest canonical_digest;
    Mailbox::Post post;  // runs work on the loop; thread-safe
  };

  /// Errc::invalid if the credentials cannot be read or do not belong together.
  static Result<std::unique_ptr<GrpcTalosApi>> make(Options options);
  ~GrpcTalosApi() override;
  GrpcTalosApi(const GrpcTalosApi&) = delete;
  GrpcTalosApi& operator=(const GrpcTalosApi&) = delete;

  Task<CallResult<std::unique_ptr<TalosSession>>> open(Context context, IpAddress address,
                                                       PeerDemand demand) override;

 private:
  struct Impl;
  explicit GrpcTalosApi(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ichor
