#pragma once

#include <openssl/types.h>
#include <string>

#include "web/byte_stream.h"

namespace ichor {

/// From now on the handshake fails unless the peer's certificate is of an authority that is
/// believed and carries the peer's host; with a pin, unless it is valid by its dates. Who pins
/// compares the certificate_digest() before anything is sent.
void expect_peer(SSL* tls, const HttpPeer& peer);

/// SHA-256 of the certificate that the peer showed, in lower-case hex.
std::string certificate_digest(SSL* tls);

/// Takes what the chain check of a failed handshake said into `trouble`: from the library's own
/// verdict and not from a text.
void judge_handshake(SSL* tls, StreamTrouble& trouble);

/// "HOST:PORT", with an address of IPv6 in brackets.
std::string host_header(const HttpPeer& peer);

}  // namespace ichor
