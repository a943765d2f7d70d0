#pragma once

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <optional>
#include <sstream>
#include <string>

#include "cluster.pb.h"
#include "cosi_state.pb.h"
#include "lab/lab.h"
#include "lab/test_client.h"
#include "machine.pb.h"
#include "machineconfig/generate.h"
#include "os/temp_dir.h"
#include "secrets/certificate.h"
#include "secrets/issue.h"
#include "secrets/secrets_bundle.h"
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

/// The certificate that a server shows to anybody, in PEM; empty if it shows none.
inline std::string shown_certificate(const std::string& address) {
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free);
  constexpr unsigned char h2[] = {2, 'h', '2'};
  SSL_CTX_set_alpn_protos(context.get(), h2, sizeof h2);
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> connection(BIO_new_ssl_connect(context.get()),
                                                                 BIO_free_all);
  BIO_set_conn_hostname(connection.get(), (address + ":50000").c_str());
  if (BIO_do_handshake(connection.get()) != 1) return {};
  SSL* tls = nullptr;
  BIO_get_ssl(connection.get(), &tls);
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> text(BIO_new(BIO_s_mem()), BIO_free_all);
  PEM_write_bio_X509(text.get(), SSL_get0_peer_certificate(tls));
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(text.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

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

  /// As talosctl --insecure: no certificate asked for or shown.
  TestClient stranger(const std::string& name) const { return {address(name), std::nullopt}; }

  /// With a client certificate under `os_ca`.
  TestClient client(const std::string& name, const pki::CertificateAndKey& os_ca,
                    const std::string& role = "os:admin", const std::string& through = {}) const {
    const auto issued = pki::issue_talos_client(os_ca, {role}, wall_now());
    TalosCredentials credentials{os_ca.certificate, issued->certificate, issued->key};
    return {address(name), std::move(credentials), through};
  }
  TestClient admin(const std::string& name, const std::string& through = {}) const {
    return client(name, test_secrets().os, "os:admin", through);
  }

  static WallTime wall_now() { return LoopClock().wall(); }

  /// Applies the node's own config in maintenance mode.
  TestClient::Status apply(const std::string& name) const {
    TestClient to = stranger(name);
    machine::ApplyConfigurationRequest request;
    request.set_data(config(name));
    request.set_mode(machine::ApplyConfigurationRequest::AUTO);
    machine::ApplyConfigurationResponse response;
    return to.call("/machine.MachineService/ApplyConfiguration", request, response);
  }

  /// Follows a node's MachineStatus until it has reached the stage. With a client whose calls wait
  /// for the connection this also waits for the port.
  static bool reaches(TestClient& client, spec::MachineStage stage, bool ready = false) {
    cosi::resource::WatchRequest request;
    request.set_namespace_("runtime");
    request.set_type("MachineStatuses.runtime.talos.dev");
    request.set_id("machine");
    request.mutable_options();
    // A reboot breaks the stream; the next one begins with what there is then.
    for (int attempt = 0; attempt < 10; ++attempt) {
      const auto stream = client.open("/cosi.resource.State/Watch", request);
      if (!stream) return false;
      cosi::resource::WatchResponse response;
      while (stream->read(response)) {
        for (const cosi::resource::Event& event : response.event()) {
          spec::MachineStatus status;
          status.ParseFromString(event.resource().spec().proto_spec());
          if (status.stage() == stage && (!ready || status.status().ready())) return true;
        }
      }
      if (stream->finish().code == Code::deadline_exceeded) return false;
    }
    return false;
  }
  static bool reaches(TestClient&& client, spec::MachineStage stage, bool ready = false) {
    return reaches(client, stage, ready);
  }

  /// Asks for a bootstrap until the node takes it; FailedPrecondition means not yet.
  static TestClient::Status bootstrap(TestClient client) {
    TestClient::Status status;
    do {
      machine::BootstrapResponse response;
      status =
          client.call("/machine.MachineService/Bootstrap", machine::BootstrapRequest(), response);
    } while (status.code == Code::failed_precondition);
    return status;
  }

  /// All nodes configured, etcd up on the first control plane, and everybody ready.
  void bring_up() {
    for (const NodePlan& node : profile.nodes) {
      const TestClient::Status status = apply(node.name.value());
      ASSERT_TRUE(status.ok()) << status.text;
    }
    const TestClient::Status bootstrapped = bootstrap(admin("cp1"));
    ASSERT_TRUE(bootstrapped.ok()) << bootstrapped.text;
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
