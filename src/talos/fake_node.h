#pragma once

#include <atomic>
#include <functional>
#include <grpcpp/server.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "cosi_state.grpc.pb.h"
#include "machine.grpc.pb.h"
#include "talos/test_certificates.h"

namespace ichor {

/// A Talos node for the tests of the adapter: a gRPC server with TLS on a loopback port that
/// answers with what the test put in, and remembers what it was asked.
class FakeNode {
 public:
  /// In maintenance mode: no client certificate is asked for.
  static std::unique_ptr<FakeNode> in_maintenance(const TestCertificate& certificate, int port = 0);
  /// Configured: client certificates under `client_ca` are demanded.
  static std::unique_ptr<FakeNode> configured(const TestCertificate& certificate,
                                              const TestCertificate& client_ca, int port = 0);
  ~FakeNode();

  int port() const { return port_; }
  /// As a power cut: open calls are dropped.
  void stop();

  // What it has. Set before the first call.
  using Key = std::tuple<std::string, std::string, std::string>;  // namespace, type, id
  std::map<Key, std::string> resources;                           // proto_spec
  std::map<std::string, std::string> files;                       // what Read gives
  grpc::Status list_status;
  std::vector<machine::FileInfo> listing;  // what List gives
  std::vector<common::Data> kubeconfig;
  grpc::Status apply_status;
  machine::ApplyConfigurationResponse apply_reply;
  grpc::Status bootstrap_status;
  machine::EtcdMemberListResponse etcd_members;
  machine::ServiceListResponse services;
  std::uint64_t memory_kib{0};          // zero: the call is not served
  std::vector<std::string> kernel_log;  // what Dmesg gives
  std::vector<machine::Event> events;   // what Events gives before it waits for more
  grpc::Status reset_status;
  std::string tag{"v1.12.6"};
  std::vector<std::string> kinds_not_served;  // by Watch

  // Hooks, run on a server thread.
  std::function<void(grpc::ServerContext&)> on_apply;
  std::function<void(grpc::ServerContext&)> on_bootstrap;
  std::function<void(grpc::ServerContext&)> on_get;

  // What it saw.
  std::atomic<int> calls{0};
  std::atomic<int> applies{0};
  std::atomic<int> bootstraps{0};
  std::atomic<int> open_watches{0};
  std::string applied;          // the config of the last apply; read it after the reply
  machine::ResetRequest reset;  // the last one; likewise

  /// Tells all watchers that something changed.
  void change();
  /// Blocks until no client watches any more.
  void await_no_watches();

 private:
  struct Machine;
  struct State;
  struct Watcher;
  struct Refusal;
  FakeNode();
  void start(std::shared_ptr<grpc::ServerCredentials> credentials, int port);
  void add(Watcher& watcher);
  void remove(Watcher& watcher);

  std::atomic<bool> ended{false};  // lets go of the calls that wait for it
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<State> state_;
  std::unique_ptr<grpc::Server> server_;
  int port_{0};
  std::mutex mutex_;
  std::vector<Watcher*> watchers_;
};

}  // namespace ichor
