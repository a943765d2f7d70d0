#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/time.h"
#include "kube/kubeconfig.h"
#include "model/call.h"

namespace boost::asio {
class io_context;
}

namespace ichor {

struct HttpAnswer {
  int status{0};
  std::string body;
};

/// One GET over a connection of its own. Ends by calling `done` once on the loop, at the latest
/// after `limit` of real time; a cancelled one does not call it.
class HttpsGet {
 public:
  struct Request {
    KubeAccess access;
    std::string dial_host;  // where to connect; the certificate is held against access.host
    std::string path;
    Call call{Call::kube_ready};
    Duration limit{};
  };
  using Done = std::function<void(CallResult<HttpAnswer>)>;

  HttpsGet(boost::asio::io_context& io, Request request, Done done);
  /// Cancels.
  ~HttpsGet();
  HttpsGet(const HttpsGet&) = delete;
  HttpsGet& operator=(const HttpsGet&) = delete;

 private:
  class Exchange;
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace ichor
