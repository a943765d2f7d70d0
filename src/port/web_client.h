#pragma once

#include <string>

#include "async/context.h"
#include "async/task.h"
#include "base/secret.h"
#include "model/call.h"

namespace ichor {

struct WebAnswer {
  int status{0};
  SecretString body;
};

/// GET of a web API such as that of 1Password Connect.
class WebClient {
 public:
  virtual ~WebClient() = default;

  /// `url` begins with http:// or https://; the certificate is held against the machine's own
  /// authorities. `token` goes into the Authorization header and nowhere else.
  virtual Task<CallResult<WebAnswer>> get(Context context, std::string url,
                                          const SecretString& token) = 0;
};

}  // namespace ichor
