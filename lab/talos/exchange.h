#pragma once

#include <cstdint>
#include <google/protobuf/message_lite.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lab/site.h"
#include "model/call.h"
#include "sim/node/node.h"

namespace ichor::lab {

/// Roles of a client certificate, as bits.
using Roles = std::uint8_t;
inline constexpr Roles kAdmin = 1, kOperator = 2, kReader = 4, kEtcdBackup = 8, kMetaWriter = 16,
                       kImageVerifier = 32, kImpersonator = 64;
Roles roles_from(const std::vector<std::string>& organizations);

/// Something that goes on while a call is open: a watch, a followed log. Its end is the call's end.
class Stream {
 public:
  virtual ~Stream() = default;
};

/// One call to one machine, as the function that serves it sees it. Messages and the end go to
/// whoever asked: a client, or another node's apid that gathers the answers of many.
class Exchange {
 public:
  Exchange(Site& site, Machine& machine, Roles roles, std::string request)
      : site_(site), machine_(machine), roles_(roles), request_(std::move(request)) {}
  virtual ~Exchange() = default;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  Site& site() { return site_; }
  Machine& machine() { return machine_; }
  sim::Node& node() { return machine_.node(); }
  /// No role at all: maintenance mode, where no caller is known.
  Roles roles() const { return roles_; }
  /// How the node model sees the caller. Whether its roles suffice for the method was settled
  /// before, so whoever is known may do everything.
  sim::Caller caller() const {
    const bool known = roles_ != 0;
    return {.anonymous = !known, .admin = known, .reader = known};
  }
  const std::string& request() const { return request_; }
  /// Reads the request. What is no such message is refused as grpc-go does it, and nothing more is
  /// to be done then. Fields that are not known here are of a newer client.
  bool read(google::protobuf::MessageLite& message) {
    if (message.ParseFromString(request_)) return true;
    refuse_request();
    return false;
  }
  /// With the words of the codec, which differ for a method that streams.
  void refuse_request() {
    end(Code::internal, std::string(streams_ ? "grpc: failed to unmarshal the received message: "
                                             : "grpc: error unmarshalling request: ") +
                            "proto: cannot parse invalid wire-format data");
  }
  void set_streams(bool streams) { streams_ = streams; }

  virtual void send(std::string message) = 0;
  virtual void end(Code code, const std::string& text) = 0;

  void send(const google::protobuf::MessageLite& message) { send(message.SerializeAsString()); }
  void done() { end(Code::ok, ""); }
  void reply(const google::protobuf::MessageLite& message) {
    send(message);
    done();
  }
  void refuse(const sim::Refusal& refusal) { end(refusal.code, refusal.text); }

  /// Keeps the call open; the stream dies with it.
  void keep(std::unique_ptr<Stream> stream) { stream_ = std::move(stream); }
  bool kept() const { return stream_ != nullptr; }

 protected:
  void drop_stream() { stream_.reset(); }

 private:
  Site& site_;
  Machine& machine_;
  Roles roles_;
  std::string request_;
  bool streams_{false};
  std::unique_ptr<Stream> stream_;
};

/// A method of Talos' API.
struct Method {
  std::string_view service;  // "machine.MachineService"
  std::string_view name;     // "Version"
  Roles roles;               // any of them suffices
  enum class Kind { reads, mutates, streams } kind;
  void (*serve)(Exchange& exchange);
};

/// All that the lab serves; nullptr for others.
const Method* find_method(std::string_view service, std::string_view name);
/// Whether any method of that service is served.
bool knows_service(std::string_view service);

}  // namespace ichor::lab
