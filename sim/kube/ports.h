#pragma once

#include <functional>
#include <memory>
#include <string>

#include "port/kube_client.h"
#include "port/pod_ports.h"
#include "port/process.h"
#include "port/web_client.h"
#include "sim/kube/request.h"

namespace ichor::sim {

class SimWorld;

/// One run's way to the simulated Kubernetes API, with latency, faults and places to die on both
/// sides of every call.
class SimKubeClient final : public KubeClient, public PodPorts {
 public:
  SimKubeClient(SimWorld& world, int process) : world_(world), process_(process) {}

  Task<CallResult<void>> ready(Context context) override;
  Task<CallResult<KubeResource>> find_kind(Context context, KubeKind kind) override;
  Task<CallResult<KubeObject>> get(Context context, KubeRef ref) override;
  Task<CallResult<KubeList>> list(Context context, KubeQuery query) override;
  Task<CallResult<std::unique_ptr<KubeStream>>> watch(Context context, KubeQuery query,
                                                      std::string resource_version) override;
  Task<CallResult<KubeObject>> apply(Context context, const KubeObject& object,
                                     KubeApply options) override;
  Task<CallResult<void>> remove(Context context, KubeRef ref, std::string uid) override;
  Task<CallResult<void>> evict(Context context, KubeRef pod, std::string uid) override;
  Task<CallResult<void>> approve_csr(Context context, KubeObject csr, std::string reason) override;
  Task<CallResult<std::string>> exchange(Context context, PodPort where, std::string message,
                                         std::function<bool(std::string_view)> whole) override;

 private:
  template <class T>
  using Execute = std::function<CallResult<T>()>;

  template <class T>
  Task<CallResult<T>> carry(Context context, KubeRequest request, Execute<T> execute);
  template <class T>
  Task<CallResult<T>> read(Context context, KubeRef ref, Execute<T> execute);

  SimWorld& world_;
  int process_;
};

/// The programs on the machine of one run: helm and helmfile as sim/kube/helm.h has them, and what
/// else the phases ask.
class SimPrograms final : public Processes {
 public:
  SimPrograms(SimWorld& world, int process) : world_(world), process_(process) {}

  std::optional<std::string> find(const std::string& name) override;
  bool is_held(const std::string& hold) override;
  Task<Result<ProcessResult>> run(Context context, ProcessCall call) override;

 private:
  Task<Result<ProcessResult>> install(Context context, ProcessCall call);
  Task<Result<ProcessResult>> look(Context context, ProcessCall call);
  ProcessResult helm_says(const ProcessCall& call) const;

  SimWorld& world_;
  int process_;
};

/// 1Password Connect, with the one vault of the seed's profile.
class SimConnect final : public WebClient {
 public:
  SimConnect(SimWorld& world, int process) : world_(world), process_(process) {}
  Task<CallResult<WebAnswer>> get(Context context, std::string url,
                                  const SecretString& token) override;

 private:
  SimWorld& world_;
  int process_;
};

/// The name under which a program is a place to die at: "helm upgrade". Lives for ever.
std::string_view program_name(const ProcessCall& call);

}  // namespace ichor::sim
