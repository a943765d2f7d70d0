#pragma once

#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <string>

#include "kube/http_connection.h"
#include "model/call.h"

namespace ichor {

/// Not beast::ssl_stream: its teardown is ambiguous to clang where a websocket is on top.
using TlsStream = boost::asio::ssl::stream<boost::beast::tcp_stream>;

/// From now on the handshake fails unless the peer's certificate is of an authority that is
/// believed and carries the peer's host; with a pin, unless it is valid by its dates. Who pins
/// compares the certificate_digest() before anything is sent.
void expect_peer(TlsStream& stream, const HttpPeer& peer);

/// SHA-256 of the certificate that the peer showed, in lower-case hex.
std::string certificate_digest(TlsStream& stream);

/// Takes what the chain check of a failed handshake said into `error`: from the library's own
/// verdict and not from a text.
void judge_handshake(TlsStream& stream, CallError& error);

/// "HOST:PORT", with an address of IPv6 in brackets.
std::string host_header(const HttpPeer& peer);

}  // namespace ichor
