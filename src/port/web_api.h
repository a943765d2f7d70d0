#pragma once

#include <string>

#include "async/context.h"
#include "async/task.h"
#include "base/secret.h"
#include "model/call.h"

namespace ichor {

/// A server of a web API, how it proves itself, and how we do.
struct WebServer {
  std::string url;        // https://HOST[:PORT], without a path
  std::string dial_host;  // where to connect instead of HOST; empty: to HOST
  /// With a pin (SHA-256 of the certificate, 64 lower-case hex digits) this certificate is believed
  /// and no other; else the CA, or without one the authorities that this machine believes.
  std::string pin;
  std::string ca_pem;
  std::string scheme;  // of the Authorization header, with what separates it: "PVEAPIToken="
  SecretString token;
};

struct WebAsk {
  std::string method{"GET"};
  std::string target;        // path and query
  std::string content_type;  // of the body; empty: there is none
  SecretString body;
};

struct WebReply {
  int status{0};
  std::string reason;  // of the status line
  SecretString body;
};

/// One server, spoken to over HTTPS. A request other than GET is never sent a second time.
class WebApi {
 public:
  virtual ~WebApi() = default;
  virtual Task<CallResult<WebReply>> ask(Context context, WebAsk ask) = 0;
};

}  // namespace ichor
