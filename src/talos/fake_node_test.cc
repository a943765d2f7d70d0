#include "talos/fake_node.h"

#include <algorithm>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/server_builder.h>
#include <utility>

#include "base/check.h"

namespace ichor {

namespace {

namespace tls = grpc::experimental;

std::shared_ptr<tls::StaticDataCertificateProvider> provider(const TestCertificate& certificate,
                                                             const std::string& root) {
  const tls::IdentityKeyCertPair identity{certificate.key_pem(), certificate.pem()};
  return std::make_shared<tls::StaticDataCertificateProvider>(
      root, std::vector<tls::IdentityKeyCertPair>{identity});
}

}  // namespace

struct FakeNode::Machine final : machine::MachineService::Service {
  explicit Machine(FakeNode& node) : node(node) {}

  grpc::Status ApplyConfiguration(grpc::ServerContext* context,
                                  const machine::ApplyConfigurationRequest* request,
                                  machine::ApplyConfigurationResponse* reply) override {
    ++node.calls;
    ++node.applies;
    node.applied = request->data();
    if (node.on_apply) node.on_apply(*context);
    *reply = node.apply_reply;
    return node.apply_status;
  }
  grpc::Status Bootstrap(grpc::ServerContext* context, const machine::BootstrapRequest*,
                         machine::BootstrapResponse* reply) override {
    ++node.calls;
    ++node.bootstraps;
    if (node.on_bootstrap) node.on_bootstrap(*context);
    reply->add_messages();
    return node.bootstrap_status;
  }
  grpc::Status Version(grpc::ServerContext*, const google::protobuf::Empty*,
                       machine::VersionResponse* reply) override {
    ++node.calls;
    reply->add_messages()->mutable_version()->set_tag(node.tag);
    return {};
  }
  grpc::Status Memory(grpc::ServerContext*, const google::protobuf::Empty*,
                      machine::MemoryResponse* reply) override {
    ++node.calls;
    if (node.memory_kib == 0) {
      return {grpc::StatusCode::UNIMPLEMENTED, "method Memory not implemented"};
    }
    reply->add_messages()->mutable_meminfo()->set_memtotal(node.memory_kib);
    return {};
  }
  grpc::Status Dmesg(grpc::ServerContext*, const machine::DmesgRequest*,
                     grpc::ServerWriter<common::Data>* writer) override {
    ++node.calls;
    for (const std::string& line : node.kernel_log) {
      common::Data data;
      data.set_bytes(line + "\n");
      writer->Write(data);
    }
    return {};
  }
  grpc::Status Events(grpc::ServerContext*, const machine::EventsRequest* request,
                      grpc::ServerWriter<machine::Event>* writer) override {
    ++node.calls;
    writer->Write(machine::Event());  // the greeting
    const auto wanted = static_cast<std::size_t>(request->tail_events());
    const std::size_t skipped = node.events.size() - std::min(node.events.size(), wanted);
    for (std::size_t i = skipped; i < node.events.size(); ++i) writer->Write(node.events[i]);
    // As on a real node the stream does not end by itself.
    node.ended.wait(false);
    return grpc::Status::CANCELLED;
  }
  grpc::Status Reset(grpc::ServerContext*, const machine::ResetRequest* request,
                     machine::ResetResponse* reply) override {
    ++node.calls;
    node.reset = *request;
    reply->add_messages();
    return node.reset_status;
  }
  grpc::Status ServiceList(grpc::ServerContext*, const google::protobuf::Empty*,
                           machine::ServiceListResponse* reply) override {
    ++node.calls;
    *reply = node.services;
    return {};
  }
  grpc::Status EtcdMemberList(grpc::ServerContext*, const machine::EtcdMemberListRequest*,
                              machine::EtcdMemberListResponse* reply) override {
    ++node.calls;
    *reply = node.etcd_members;
    return {};
  }
  grpc::Status Read(grpc::ServerContext*, const machine::ReadRequest* request,
                    grpc::ServerWriter<common::Data>* writer) override {
    ++node.calls;
    const auto found = node.files.find(request->path());
    if (found == node.files.end()) return {grpc::StatusCode::NOT_FOUND, "no such file"};
    common::Data data;
    data.set_bytes(found->second);
    writer->Write(data);
    return {};
  }
  grpc::Status List(grpc::ServerContext*, const machine::ListRequest*,
                    grpc::ServerWriter<machine::FileInfo>* writer) override {
    ++node.calls;
    for (const auto& file : node.listing) writer->Write(file);
    return node.list_status;
  }
  grpc::Status Kubeconfig(grpc::ServerContext*, const google::protobuf::Empty*,
                          grpc::ServerWriter<common::Data>* writer) override {
    ++node.calls;
    for (const auto& data : node.kubeconfig) writer->Write(data);
    return {};
  }

  FakeNode& node;
};

/// One watch that a client holds open.
struct FakeNode::Watcher final : grpc::ServerWriteReactor<cosi::resource::WatchResponse> {
  explicit Watcher(FakeNode& node) : node(node) {
    node.add(*this);
    StartWrite(&reply);  // empty: the watch stands
  }
  void tell() {
    const std::lock_guard lock(mutex);
    if (std::exchange(writing, true)) {
      again = true;
    } else {
      write_event();
    }
  }
  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex);
    writing = ok && std::exchange(again, false);
    if (writing) write_event();
  }
  void OnCancel() override { Finish(grpc::Status::CANCELLED); }
  void OnDone() override {
    node.remove(*this);
    delete this;
  }
  void write_event() {
    reply.clear_event();
    reply.add_event()->set_event_type(cosi::resource::Event::UPDATED);
    StartWrite(&reply);
  }

  FakeNode& node;
  std::mutex mutex;
  bool writing{true};
  bool again{false};
  cosi::resource::WatchResponse reply;
};

/// A watch that the node refuses.
struct FakeNode::Refusal final : grpc::ServerWriteReactor<cosi::resource::WatchResponse> {
  Refusal() { Finish({grpc::StatusCode::PERMISSION_DENIED, "resource type is not supported"}); }
  void OnDone() override { delete this; }
};

struct FakeNode::State final
    : cosi::resource::State::WithCallbackMethod_Watch<cosi::resource::State::Service> {
  explicit State(FakeNode& node) : node(node) {}

  static void fill(cosi::resource::Resource& resource, const Key& key, const std::string& spec) {
    auto& metadata = *resource.mutable_metadata();
    std::tie(*metadata.mutable_namespace_(), *metadata.mutable_type(), *metadata.mutable_id()) =
        key;
    resource.mutable_spec()->set_proto_spec(spec);
  }

  grpc::Status Get(grpc::ServerContext* context, const cosi::resource::GetRequest* request,
                   cosi::resource::GetResponse* reply) override {
    ++node.calls;
    if (node.on_get) node.on_get(*context);
    const Key key{request->namespace_(), request->type(), request->id()};
    const auto found = node.resources.find(key);
    if (found == node.resources.end()) return {grpc::StatusCode::NOT_FOUND, "doesn't exist"};
    fill(*reply->mutable_resource(), key, found->second);
    return {};
  }
  grpc::Status List(grpc::ServerContext*, const cosi::resource::ListRequest* request,
                    grpc::ServerWriter<cosi::resource::ListResponse>* writer) override {
    ++node.calls;
    for (const auto& [key, spec] : node.resources) {
      if (std::get<1>(key) != request->type()) continue;
      cosi::resource::ListResponse reply;
      fill(*reply.mutable_resource(), key, spec);
      writer->Write(reply);
    }
    return {};
  }
  grpc::ServerWriteReactor<cosi::resource::WatchResponse>* Watch(
      grpc::CallbackServerContext*, const cosi::resource::WatchRequest* request) override {
    ++node.calls;
    const auto& missing = node.kinds_not_served;
    if (std::find(missing.begin(), missing.end(), request->type()) != missing.end()) {
      return new Refusal();
    }
    return new Watcher(node);
  }

  FakeNode& node;
};

FakeNode::FakeNode()
    : machine_(std::make_unique<Machine>(*this)), state_(std::make_unique<State>(*this)) {}

std::unique_ptr<FakeNode> FakeNode::in_maintenance(const TestCertificate& certificate, int port) {
  std::unique_ptr<FakeNode> node(new FakeNode());
  tls::TlsServerCredentialsOptions options(provider(certificate, ""));
  options.watch_identity_key_cert_pairs();
  node->start(tls::TlsServerCredentials(options), port);
  return node;
}

std::unique_ptr<FakeNode> FakeNode::configured(const TestCertificate& certificate,
                                               const TestCertificate& client_ca, int port) {
  std::unique_ptr<FakeNode> node(new FakeNode());
  tls::TlsServerCredentialsOptions options(provider(certificate, client_ca.pem()));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  node->start(tls::TlsServerCredentials(options), port);
  return node;
}

void FakeNode::start(std::shared_ptr<grpc::ServerCredentials> credentials, int port) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:" + std::to_string(port), std::move(credentials), &port_);
  builder.RegisterService(machine_.get());
  builder.RegisterService(state_.get());
  server_ = builder.BuildAndStart();
  check(server_ != nullptr, "a loopback port can be served");
}

FakeNode::~FakeNode() { stop(); }

void FakeNode::stop() {
  if (!server_) return;
  ended = true;
  ended.notify_all();
  server_->Shutdown(gpr_inf_past(GPR_CLOCK_REALTIME));
  server_->Wait();
  server_.reset();
}

void FakeNode::add(Watcher& watcher) {
  const std::lock_guard lock(mutex_);
  watchers_.push_back(&watcher);
  open_watches = static_cast<int>(watchers_.size());
}

void FakeNode::remove(Watcher& watcher) {
  const std::lock_guard lock(mutex_);
  std::erase(watchers_, &watcher);
  open_watches = static_cast<int>(watchers_.size());
  open_watches.notify_all();
}

void FakeNode::change() {
  const std::lock_guard lock(mutex_);
  for (Watcher* watcher : watchers_) watcher->tell();
}

void FakeNode::await_no_watches() {
  for (int open = open_watches; open != 0; open = open_watches) open_watches.wait(open);
}

}  // namespace ichor
