#pragma once

#include <cstdint>
#include <string>

#include "model/call.h"
#include "model/ids.h"
#include "talos/certificate.h"

namespace ichor {

/// How far an attempt to connect came.
enum class Contact {
  none,       // no answer, or no way there
  refused,    // no program listens
  connected,  // a program accepted; the TLS handshake was not finished in time
  not_tls,    // and does not speak TLS 1.3, or said no
  shaken,     // the handshake is over
};

/// What a TLS handshake showed, before anything above TLS was sent.
struct HandshakeReport {
  Contact contact{Contact::none};
  std::string why_not;              // with Contact::not_tls: in OpenSSL's words
  bool speaks_h2{false};            // by ALPN
  std::string common_name;          // of the leaf
  std::string issuer_organization;  // of the leaf
  Fingerprint fingerprint;          // of the leaf
  WallTime expires{};               // of the leaf
  std::string issuer;               // of the leaf
  bool wants_client{false};         // the server asked for a client certificate: a configured node
  std::int64_t seconds_outside{0};  // of its validity, by our clock: see talos/certificate.h
  ChainFault chain{ChainFault::none};  // only if wants_client and we have credentials
  bool chain_judged{false};            // which is the case
  bool client_offered{false};          // we had one, and the server had proved itself
  bool client_accepted{false};         // the server spoke after seeing it
  int alert{-1};                       // the last TLS alert from the server
};

}  // namespace ichor
