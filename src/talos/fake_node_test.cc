#include "talos/fake_node.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace ichor {

namespace {

using Call = grpc::Http2Server::Call;
using FakeStatus = FakeNode::Status;

template <class Message>
Message request_of(const Call& call) {
  Message message;
  check(message.ParseFromString(call->take_message()), "a request of ours can be decoded");
  return message;
}

void reply(const Call& call, const google::protobuf::MessageLite& message,
           const FakeStatus& status = {}) {
  if (status.code == Code::ok) call->write(message.SerializeAsString());
  call->finish(status.code, status.text);
}

template <class Message>
void stream(const Call& call, const std::vector<Message>& messages, const FakeStatus& status = {}) {
  for (const Message& message : messages) call->write(message.SerializeAsString());
  call->finish(status.code, status.text);
}

void fill(cosi::resource::Resource& resource, const FakeNode::Key& key, const std::string& spec) {
  auto& metadata = *resource.mutable_metadata();
  std::tie(*metadata.mutable_namespace_(), *metadata.mutable_type(), *metadata.mutable_id()) = key;
  resource.mutable_spec()->set_proto_spec(spec);
}

grpc::TestServer::TlsContext server_context(const TestCertificate& certificate) {
  grpc::TestServer::TlsContext context(SSL_CTX_new(TLS_server_method()));
  check(context != nullptr, "OpenSSL has memory");
  SSL_CTX_use_certificate(context.get(), certificate.certificate.get());
  SSL_CTX_use_PrivateKey(context.get(), certificate.key.get());
  return context;
}

}  // namespace

std::unique_ptr<FakeNode> FakeNode::in_maintenance(boost::asio::io_context& io,
                                                   const TestCertificate& certificate, int port) {
  std::unique_ptr<FakeNode> node(new FakeNode());
  node->start(io, server_context(certificate), port);
  return node;
}

std::unique_ptr<FakeNode> FakeNode::configured(boost::asio::io_context& io,
                                               const TestCertificate& certificate,
                                               const TestCertificate& client_ca, int port) {
  std::unique_ptr<FakeNode> node(new FakeNode());
  TlsContext context = server_context(certificate);
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context.get()), client_ca.certificate.get());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  node->start(io, std::move(context), port);
  return node;
}

FakeNode::~FakeNode() { stop(); }

void FakeNode::start(boost::asio::io_context& io, TlsContext tls, int port) {
  grpc::Http2Server::Events events;
  events.on_message = [this](const Call& call) { serve(call); };
  events.on_half_close = [this](const Call& call) {
    if (call->path() != method::kEtcdRecover.path) return;
    machine::EtcdRecoverResponse response;
    response.add_messages();
    reply(call, response, etcd_status);
  };
  events.on_end = [this](const Call& call) {
    ++ended_calls;
    std::erase(watchers_, call);
    open_watches = static_cast<int>(watchers_.size());
  };
  server_ = std::make_unique<grpc::TestServer>(io, std::move(tls), std::move(events), port);
  port_ = server_->port();
}

void FakeNode::serve(const Call& call) {
  static const std::map<std::string_view, Serve> served{
      {method::kApplyConfiguration.path, &FakeNode::serve_apply},
      {method::kBootstrap.path, &FakeNode::serve_bootstrap},
      {method::kVersion.path, &FakeNode::serve_version},
      {method::kMemory.path, &FakeNode::serve_memory},
      {method::kDmesg.path, &FakeNode::serve_dmesg},
      {method::kEvents.path, &FakeNode::serve_events},
      {method::kReset.path, &FakeNode::serve_reset},
      {method::kServiceList.path, &FakeNode::serve_services},
      {method::kEtcdMemberList.path, &FakeNode::serve_members},
      {method::kRead.path, &FakeNode::serve_read},
      {method::kList.path, &FakeNode::serve_list},
      {method::kKubeconfig.path, &FakeNode::serve_kubeconfig},
      {method::kEtcdSnapshot.path, &FakeNode::serve_snapshot},
      {method::kEtcdDefragment.path, &FakeNode::serve_etcd_change},
      {method::kEtcdLeaveCluster.path, &FakeNode::serve_etcd_change},
      {method::kEtcdForfeitLeadership.path, &FakeNode::serve_etcd_change},
      {method::kEtcdRemoveMember.path, &FakeNode::serve_etcd_change},
      {method::kEtcdRecover.path, &FakeNode::serve_recover},
      {method::kGet.path, &FakeNode::serve_get},
      {method::kListResources.path, &FakeNode::serve_list_resources},
      {method::kWatch.path, &FakeNode::serve_watch},
  };
  const auto found = served.find(call->path());
  if (found == served.end()) {
    call->finish(Code::unimplemented, "unknown method for service machine.MachineService");
    return;
  }
  ++calls;
  (this->*found->second)(call);
}

void FakeNode::serve_apply(const Call& call) {
  ++applies;
  const auto request = request_of<machine::ApplyConfigurationRequest>(call);
  applied = request.data();
  apply_mode = request.mode();
  if (on_apply) on_apply();
  reply(call, apply_reply, apply_status);
}

void FakeNode::serve_bootstrap(const Call& call) {
  ++bootstraps;
  recovers = request_of<machine::BootstrapRequest>(call).recover_etcd();
  machine::BootstrapResponse response;
  response.add_messages();
  if (!hangs) reply(call, response, bootstrap_status);
}

void FakeNode::serve_version(const Call& call) {
  machine::VersionResponse response;
  response.add_messages()->mutable_version()->set_tag(tag);
  reply(call, response);
}

void FakeNode::serve_memory(const Call& call) {
  machine::MemoryResponse response;
  response.add_messages()->mutable_meminfo()->set_memtotal(memory_kib);
  const FakeStatus not_served{Code::unimplemented, "method Memory not implemented"};
  reply(call, response, memory_kib == 0 ? not_served : FakeStatus{});
}

void FakeNode::serve_dmesg(const Call& call) {
  std::vector<common::Data> lines;
  for (const std::string& line : kernel_log) lines.emplace_back().set_bytes(line + "\n");
  stream(call, lines);
}

void FakeNode::serve_events(const Call& call) {
  call->write(machine::Event().SerializeAsString());  // the greeting
  const auto wanted =
      static_cast<std::size_t>(request_of<machine::EventsRequest>(call).tail_events());
  const std::size_t skipped = events.size() - std::min(events.size(), wanted);
  for (std::size_t i = skipped; i < events.size(); ++i) {
    call->write(events[i].SerializeAsString());
  }
  // As on a real node the stream does not end by itself.
}

void FakeNode::serve_reset(const Call& call) {
  reset = request_of<machine::ResetRequest>(call);
  machine::ResetResponse response;
  response.add_messages();
  reply(call, response, reset_status);
}

void FakeNode::serve_services(const Call& call) { reply(call, services); }
void FakeNode::serve_members(const Call& call) { reply(call, etcd_members); }

void FakeNode::serve_read(const Call& call) {
  const auto found = files.find(request_of<machine::ReadRequest>(call).path());
  if (found == files.end()) return call->finish(Code::not_found, "no such file");
  common::Data data;
  data.set_bytes(found->second);
  stream<common::Data>(call, {data});
}

void FakeNode::serve_list(const Call& call) { stream(call, listing, list_status); }
void FakeNode::serve_kubeconfig(const Call& call) { stream(call, kubeconfig); }
void FakeNode::serve_snapshot(const Call& call) { stream(call, snapshot, snapshot_status); }

/// The replies of all of them have one empty item.
void FakeNode::serve_etcd_change(const Call& call) {
  etcd_changes.push_back(call->path().substr(call->path().rfind('/') + 1));
  if (call->path() == method::kEtcdRemoveMember.path) {
    removed_member = request_of<machine::EtcdRemoveMemberByIDRequest>(call).member_id();
  }
  machine::EtcdDefragmentResponse response;
  response.add_messages();
  reply(call, response, etcd_status);
}

/// Called for each message that comes in; answered when the client has sent the last one.
void FakeNode::serve_recover(const Call& call) {
  recovered += request_of<common::Data>(call).bytes();
}

void FakeNode::serve_get(const Call& call) {
  const auto request = request_of<cosi::resource::GetRequest>(call);
  if (on_get) on_get();
  if (hangs) return;
  const Key key{request.namespace_(), request.type(), request.id()};
  const auto found = resources.find(key);
  if (found == resources.end()) return call->finish(Code::not_found, "doesn't exist");
  cosi::resource::GetResponse response;
  fill(*response.mutable_resource(), key, found->second);
  reply(call, response);
}

void FakeNode::serve_list_resources(const Call& call) {
  const auto request = request_of<cosi::resource::ListRequest>(call);
  std::vector<cosi::resource::ListResponse> found;
  for (const auto& [key, spec] : resources) {
    const bool meant =
        std::get<0>(key) == request.namespace_() && std::get<1>(key) == request.type();
    if (meant) fill(*found.emplace_back().mutable_resource(), key, spec);
  }
  stream(call, found);
}

void FakeNode::serve_watch(const Call& call) {
  const auto request = request_of<cosi::resource::WatchRequest>(call);
  // As machined: it looks into the options before anything else, and does not ask whether they are
  // there.
  if (!request.has_options()) {
    return call->finish(Code::internal,
                        "runtime error: invalid memory address or nil pointer dereference");
  }
  if (std::find(kinds_not_served.begin(), kinds_not_served.end(), request.type()) !=
      kinds_not_served.end()) {
    return call->finish(Code::permission_denied, "resource type is not supported");
  }
  watchers_.push_back(call);
  open_watches = static_cast<int>(watchers_.size());
  call->write(cosi::resource::WatchResponse().SerializeAsString());  // the watch stands
}

void FakeNode::change() {
  cosi::resource::WatchResponse response;
  response.add_event()->set_event_type(cosi::resource::Event::UPDATED);
  for (const Call& watcher : watchers_) watcher->write(response.SerializeAsString());
}

}  // namespace ichor
