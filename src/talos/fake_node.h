#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "grpc/test_server.h"
#include "talos/methods.h"
#include "talos/test_certificates.h"

namespace ichor {

/// A Talos node for the tests of the adapter: a gRPC server with TLS on a loopback port that
/// answers with what the test put in, and remembers what it was asked. It lives on the test's loop
/// and is as strict as machined about requests: see talos/fake_node_test.cc.
class FakeNode {
 public:
  /// In maintenance mode: no client certificate is asked for.
  static std::unique_ptr<FakeNode> in_maintenance(boost::asio::io_context& io,
                                                  const TestCertificate& certificate, int port = 0);
  /// Configured: client certificates under `client_ca` are demanded.
  static std::unique_ptr<FakeNode> configured(boost::asio::io_context& io,
                                              const TestCertificate& certificate,
                                              const TestCertificate& client_ca, int port = 0);
  ~FakeNode();

  int port() const { return port_; }
  /// As a power cut: open calls are dropped.
  void stop() { server_->stop(); }

  struct Status {
    Code code{Code::ok};
    std::string text;
  };

  // What it has. Set before the first call.
  using Key = std::tuple<std::string, std::string, std::string>;  // namespace, type, id
  std::map<Key, std::string> resources;                           // proto_spec
  std::map<std::string, std::string> files;                       // what Read gives
  Status list_status;
  std::vector<machine::FileInfo> listing;  // what List gives
  std::vector<common::Data> kubeconfig;
  Status apply_status;
  machine::ApplyConfigurationResponse apply_reply;
  Status bootstrap_status;
  machine::EtcdMemberListResponse etcd_members;
  machine::ServiceListResponse services;
  std::uint64_t memory_kib{0};          // zero: the call is not served
  std::vector<std::string> kernel_log;  // what Dmesg gives
  std::vector<machine::Event> events;   // what Events gives before it waits for more
  Status reset_status;
  std::vector<common::Data> snapshot;  // what EtcdSnapshot gives
  Status snapshot_status;
  Status etcd_status;  // of every change of etcd
  std::string tag{"v1.12.6"};
  std::vector<std::string> kinds_not_served;  // by Watch
  bool hangs{false};                          // takes calls and never answers

  // Hooks, run on the loop when the call arrives.
  std::function<void()> on_apply;
  std::function<void()> on_get;

  // What it saw.
  int calls{0};
  int applies{0};
  int bootstraps{0};
  int open_watches{0};
  int ended_calls{0};                     // whoever ended them
  std::string applied;                    // the config of the last apply
  int apply_mode{0};                      // of the last apply
  machine::ResetRequest reset;            // the last one
  std::vector<std::string> etcd_changes;  // by method
  std::uint64_t removed_member{0};
  bool recovers{false};   // the last bootstrap
  std::string recovered;  // what EtcdRecover took

  /// Tells all watchers that something changed.
  void change();

 private:
  using Call = grpc::Http2Server::Call;
  using TlsContext = grpc::TestServer::TlsContext;
  using Serve = void (FakeNode::*)(const Call& call);

  FakeNode() = default;
  void start(boost::asio::io_context& io, TlsContext tls, int port);
  void serve(const Call& call);

  void serve_apply(const Call& call);
  void serve_bootstrap(const Call& call);
  void serve_version(const Call& call);
  void serve_memory(const Call& call);
  void serve_dmesg(const Call& call);
  void serve_events(const Call& call);
  void serve_reset(const Call& call);
  void serve_services(const Call& call);
  void serve_members(const Call& call);
  void serve_read(const Call& call);
  void serve_list(const Call& call);
  void serve_kubeconfig(const Call& call);
  void serve_snapshot(const Call& call);
  void serve_etcd_change(const Call& call);
  void serve_recover(const Call& call);
  void serve_get(const Call& call);
  void serve_list_resources(const Call& call);
  void serve_watch(const Call& call);

  std::unique_ptr<grpc::TestServer> server_;
  std::vector<Call> watchers_;
  int port_{0};
};

}  // namespace ichor
