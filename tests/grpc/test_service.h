#pragma once

#include <map>
#include <memory>
#include <string>

#include "async/clock.h"
#include "grpc/http2_server.h"

namespace ichor {

/// The service of gRPC's interoperability tests on our server, for many connections at once.
class TestService {
 public:
  using Call = grpc::Http2Server::Call;

  /// The clock must outlive the service, and the service every connection that was given events().
  explicit TestService(Clock& clock);
  ~TestService();
  TestService(const TestService&) = delete;
  TestService& operator=(const TestService&) = delete;

  grpc::Http2Server::Events events();

 private:
  struct Serving;
  using ServingPtr = std::shared_ptr<Serving>;

  void begin(const Call& call);
  void receive(Serving& serving);
  void half_close(Serving& serving);
  void forget(const Call& call);

  void answer_unary(Serving& serving, const std::string& message);
  void take_order(Serving& serving, const std::string& message);
  void send_due(const ServingPtr& serving);
  void finish(Serving& serving, Code code, const std::string& text);
  ServingPtr find(const Call& call) const;

  Clock& clock_;
  std::map<const grpc::ServerStream*, ServingPtr> calls_;
};

}  // namespace ichor
