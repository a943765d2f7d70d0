#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <grpcpp/grpcpp.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "cluster.grpc.pb.h"
#include "cosi_state.grpc.pb.h"
#include "lab/lab.h"
#include "machine.grpc.pb.h"
#include "machineconfig/generate.h"
#include "os/temp_dir.h"
#include "pki/certificate.h"
#include "pki/issue.h"
#include "pki/secrets_bundle.h"
#include "spec_runtime.pb.h"

namespace ichor::lab {

/// A few hundred times faster than the world: a bring-up takes about a second.
inline constexpr double kTestScale = 200;

inline std::string file_text(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline const pki::SecretsBundle& test_secrets() {
  static const pki::SecretsBundle bundle =
      *pki::read_secrets(file_text("tests/golden/gen-config/secrets.yaml"), "secrets.yaml");
  return bundle;
}

/// Takes whatever certificate a server shows and remembers it.
class CertificateWitness final : public grpc::experimental::ExternalCertificateVerifier {
 public:
  explicit CertificateWitness(std::shared_ptr<std::string> seen) : seen_(std::move(seen)) {}
  bool Verify(grpc::experimental::TlsCustomVerificationCheckRequest* request,
              std::function<void(grpc::Status)>, grpc::Status*) override {
    const grpc::string_ref pem = request->peer_cert();
    *seen_ = std::string(pem.data(), pem.size());
    return true;
  }
  void Cancel(grpc::experimental::TlsCustomVerificationCheckRequest*) override {}

 private:
  std::shared_ptr<std::string> seen_;
};

/// A client of one node.
struct TestClient {
  explicit TestClient(std::shared_ptr<grpc::Channel> to, std::string through = {})
      : channel(std::move(to)),
        machine(machine::MachineService::NewStub(channel)),
        state(cosi::resource::State::NewStub(channel)),
        cluster(cluster::ClusterService::NewStub(channel)),
        node(std::move(through)) {}

  std::unique_ptr<grpc::ClientContext> context() const {
    auto made = std::make_unique<grpc::ClientContext>();
    made->set_deadline(
        gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), gpr_time_from_seconds(20, GPR_TIMESPAN)));
    made->set_wait_for_ready(true);
    if (!node.empty()) made->AddMetadata("node", node);
    return made;
  }

  std::shared_ptr<grpc::Channel> channel;
  std::unique_ptr<machine::MachineService::Stub> machine;
  std::unique_ptr<cosi::resource::State::Stub> state;
  std::unique_ptr<cluster::ClusterService::Stub> cluster;
  std::string node;  // reached through the endpoint's apid; empty: the endpoint itself
};

/// A lab of its own with a profile, secrets and configs that fit.
class TestLab {
 public:
  TestLab(int control_planes, int workers) {
    profile.name = "demo";
    profile.network.api_endpoint = "https://10.5.0.100:6443";
    profile.network.node_cidr = "10.5.0.0/24";
    profile.network.gateway = "10.5.0.1";
    profile.network.vip = "10.5.0.100";
    profile.talos.kubernetes_version = "1.35.2";
    for (int i = 0; i < control_planes + workers; ++i) {
      NodePlan node;
      const bool control_plane = i < control_planes;
      node.role = control_plane ? Role::control_plane : Role::worker;
      node.name = NodeName((control_plane ? "cp" : "w") +
                           std::to_string(control_plane ? i + 1 : i - control_planes + 1));
      node.address = IpAddress("10.5.0." + std::to_string(i + 2));
      node.maintenance_address = node.address;
      node.interface = "eth0";
      node.disk = "/dev/sda";
      profile.nodes.push_back(std::move(node));
    }
    folder = *make_temp_dir("ichor-lab-test");
    options.state_dir = folder + "/state";
    options.time_scale = kTestScale;
  }
  ~TestLab() {
    lab.reset();
    std::filesystem::remove_all(folder);
  }

  void start() {
    auto started = Lab::start(profile, options);
    ASSERT_TRUE(started) << started.error().message;
    lab = std::move(*started);
  }
  void restart() {
    lab.reset();
    start();
  }

  std::string address(const std::string& name) const {
    return lab->addresses().loopback(profile.find(NodeName(name))->address).value();
  }
  std::string config(const std::string& name) const {
    const auto made = generate(profile, test_secrets(), *profile.find(NodeName(name)));
    EXPECT_TRUE(made) << made.error().message;
    return made ? std::string(made->bytes.reveal()) : "";
  }

  /// As talosctl --insecure: no certificate asked for or shown. `seen` gets the server's.
  TestClient stranger(const std::string& name,
                      std::shared_ptr<std::string> seen = std::make_shared<std::string>()) const {
    grpc::experimental::TlsChannelCredentialsOptions tls;
    tls.set_verify_server_certs(false);
    tls.set_check_call_host(false);
    tls.set_certificate_verifier(
        grpc::experimental::ExternalCertificateVerifier::Create<CertificateWitness>(seen));
    return TestClient(channel_to(name, grpc::experimental::TlsCredentials(tls)));
  }

  /// With a client certificate under `os_ca`.
  TestClient client(const std::string& name, const pki::CertificateAndKey& os_ca,
                    const std::string& role = "os:admin", const std::string& through = {}) const {
    const auto issued = pki::issue_talos_client(os_ca, {role}, wall_now());
    grpc::SslCredentialsOptions tls;
    tls.pem_root_certs = os_ca.certificate;
    tls.pem_cert_chain = issued->certificate;
    tls.pem_private_key = std::string(pki::openssl_label(issued->key).reveal());
    return TestClient(channel_to(name, grpc::SslCredentials(tls)), through);
  }
  TestClient admin(const std::string& name, const std::string& through = {}) const {
    return client(name, test_secrets().os, "os:admin", through);
  }

  std::shared_ptr<grpc::Channel> channel_to(
      const std::string& name, const std::shared_ptr<grpc::ChannelCredentials>& credentials) const {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 20);
    arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 20);
    arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 50);
    return grpc::CreateCustomChannel(address(name) + ":50000", credentials, arguments);
  }

  static WallTime wall_now() { return {gpr_now(GPR_CLOCK_REALTIME).tv_sec * 1000}; }

  /// Applies the node's own config in maintenance mode.
  grpc::Status apply(const std::string& name) const {
    const TestClient to = stranger(name);
    machine::ApplyConfigurationRequest request;
    request.set_data(config(name));
    request.set_mode(machine::ApplyConfigurationRequest::AUTO);
    machine::ApplyConfigurationResponse response;
    return to.machine->ApplyConfiguration(to.context().get(), request, &response);
  }

  /// Follows a node's MachineStatus until it has reached the stage. With a client whose calls wait
  /// for the connection this also waits for the port.
  static bool reaches(const TestClient& client, spec::MachineStage stage, bool ready = false) {
    cosi::resource::WatchRequest request;
    request.set_namespace_("runtime");
    request.set_type("MachineStatuses.runtime.talos.dev");
    request.set_id("machine");
    // A reboot breaks the stream; the next one begins with what there is then.
    for (int attempt = 0; attempt < 10; ++attempt) {
      const auto context = client.context();
      const auto stream = client.state->Watch(context.get(), request);
      cosi::resource::WatchResponse response;
      while (stream->Read(&response)) {
        for (const cosi::resource::Event& event : response.event()) {
          spec::MachineStatus status;
          status.ParseFromString(event.resource().spec().proto_spec());
          if (status.stage() == stage && (!ready || status.status().ready())) return true;
        }
      }
      if (stream->Finish().error_code() == grpc::StatusCode::DEADLINE_EXCEEDED) return false;
    }
    return false;
  }

  /// Asks for a bootstrap until the node takes it; FailedPrecondition means not yet.
  static grpc::Status bootstrap(const TestClient& client) {
    grpc::Status status;
    do {
      machine::BootstrapResponse response;
      status = client.machine->Bootstrap(client.context().get(), {}, &response);
    } while (status.error_code() == grpc::StatusCode::FAILED_PRECONDITION);
    return status;
  }

  /// All nodes configured, etcd up on the first control plane, and everybody ready.
  void bring_up() {
    for (const NodePlan& node : profile.nodes) {
      const grpc::Status status = apply(node.name.value());
      ASSERT_TRUE(status.ok()) << status.error_message();
    }
    const grpc::Status bootstrapped = bootstrap(admin("cp1"));
    ASSERT_TRUE(bootstrapped.ok()) << bootstrapped.error_message();
    for (const NodePlan& node : profile.nodes) {
      ASSERT_TRUE(reaches(admin(node.name.value()), spec::STAGE_RUNNING, true))
          << node.name.value();
    }
  }

  ClusterProfile profile;
  LabOptions options;
  std::string folder;
  std::unique_ptr<Lab> lab;
};

}  // namespace ichor::lab
