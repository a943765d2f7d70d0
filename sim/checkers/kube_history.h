#pragma once

#include <memory>
#include <string>
#include <utility>

#include "secrets/base64.h"
#include "sim/checkers/history.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"

namespace ichor::sim {

/// A history that goes on to Kubernetes: the cluster that the nodes make, with a network of Talos'
/// own, and what ichor, helm and others do to it.
class KubeHistory : public History {
 public:
  explicit KubeHistory(std::string_view invariant) : History(invariant) {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      nodes_[i]->subscribe([this, i] { kube.node_changed(i); });
    }
    truth.kube = &kube;
    kube.helm().on_install = [this](const ReleaseInstall& install) {
      checker->on_install(install);
    };
    comes_up();
  }

  // --- ichor
  KubeRequest kube_request(Call call, KubeRef ref) {
    KubeRequest request;
    request.process = process;
    request.call = call;
    request.ref = std::move(ref);
    request.number = ++numbers_;
    return request;
  }
  void applies(const KubeObject& object, KubeApply options = {}) {
    KubeRequest request = kube_request(Call::kube_apply, ref_of(object));
    request.object = &object;
    request.options = options;
    checker->on_kube_request(request);
    const auto applied = kube.api().apply(object, options, "ichor");
    if (applied && !options.dry_run) checker->on_kube_effect(request);
  }
  void applies_phase_0() {
    for (const KubeObject& one : stack_.material.namespaces) applies(one);
    for (const KubeObject& one : stack_.material.secrets) applies(one);
    KubeObject vault{{"apiVersion", "v1"}, {"kind", "Secret"}};
    vault["metadata"] = {{"name", "onepassword-secret"}, {"namespace", "external-secrets"}};
    vault["data"]["token"] = pki::base64(stack_.onepassword_value);
    applies(vault);
  }
  void applies_crds() {
    applies(stack_.material.crds.front());
    applies(KubeObject::parse(stack_.crds_text));
  }
  void approves(const std::string& csr) {
    const KubeRequest request = kube_request(
        Call::approve_csr, {{"certificates.k8s.io", "v1", "CertificateSigningRequest"}, "", csr});
    checker->on_kube_request(request);
    checker->on_kube_effect(request);
  }
  void removes(const std::string& name_space, const std::string& name) {
    const KubeRequest request =
        kube_request(Call::kube_delete, {{"", "v1", "Secret"}, name_space, name});
    checker->on_kube_request(request);
    checker->on_kube_effect(request);
    kube.api().erase(request.ref);
  }
  /// The install begins; it goes on as time passes.
  void installs(const std::string& release) {
    const WantedRelease& wanted = *stack_.wants(release);
    const KubeRequest request =
        kube_request(Call::install_release, {{"", "", "Release"}, wanted.name_space, release});
    checker->on_kube_request(request);
    kube.helm().upgrade(process, release, wanted.version, wanted.values, [this, request](auto end) {
      if (end.exit == 0) checker->on_kube_effect(request);
    });
  }
  /// Everything, in its order, to the handover.
  void is_handed_over() {
    applies_phase_0();
    applies_crds();
    passes(std::chrono::seconds(5));
    for (const WantedRelease& release : stack_.wanted) {
      installs(release.name);
      passes(std::chrono::minutes(1));
    }
    passes(std::chrono::minutes(2));
  }

  const KubeStack& stack() const { return stack_; }

 private:
  KubeStack stack_ = make_stack({});
  std::uint64_t numbers_{0};

 public:
  SimKubernetes kube{clock, fabric(), nodes_, stack_, SeededRandom(3)};
};

}  // namespace ichor::sim
