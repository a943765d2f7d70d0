#pragma once

#include <cstdint>
#include <string>

#include "model/call.h"
#include "model/ids.h"
#include "talos/certificate.h"

namespace ichor {

/// What a TLS handshake showed, before anything above TLS was sent.
struct HandshakeReport {
  Fingerprint fingerprint;          // of the leaf
  std::string issuer;               // of the leaf
  bool wants_client{false};         // the server asked for a client certificate: a configured node
  std::int64_t seconds_outside{0};  // of its validity, by our clock: see talos/certificate.h
  ChainFault chain{ChainFault::none};  // only if wants_client and we have credentials
  bool client_offered{false};          // we had one, and the server had proved itself
  bool client_accepted{false};         // the server spoke after seeing it
  int alert{-1};                       // the last TLS alert from the server
};

}  // namespace ichor
