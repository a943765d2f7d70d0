#pragma once

#include <string_view>

#include "port/provider.h"
#include "sim/provider/request.h"
#include "sim/provider/vm_host.h"

namespace ichor::sim {

class SimWorld;

/// A run's way to the provider of a seed: with latency, faults and places to die.
class SimProvider final : public Provider {
 public:
  SimProvider(SimWorld& world, int process) : world_(world), process_(process) {}

  Task<ProviderResult<ProviderVersion>> version(Context context) override;
  Task<ProviderResult<Privileges>> privileges(Context context, std::string path) override;
  Task<ProviderResult<Privileges>> known_privileges(Context context) override;
  Task<ProviderResult<std::vector<VmSeen>>> machines(Context context) override;
  Task<ProviderResult<VmSeen>> machine(Context context, VmPlace place) override;
  Task<ProviderResult<VmConfig>> config(Context context, VmPlace place) override;
  Task<ProviderResult<std::vector<std::string>>> volumes(Context context, std::string host,
                                                         std::string storage) override;
  Task<ProviderResult<std::vector<ProviderTask>>> tasks(Context context, VmPlace place) override;
  Task<ProviderResult<ProviderTask>> task(Context context, ProviderTaskId id) override;
  Task<ProviderResult<std::vector<std::string>>> task_log(Context context,
                                                          ProviderTaskId id) override;
  Task<ProviderResult<std::vector<IpAddress>>> guest_addresses(Context context,
                                                               VmPlace place) override;
  Task<ProviderResult<ProviderTaskId>> create(Context context, VmSpec spec) override;
  Task<ProviderResult<ProviderTaskId>> start(Context context, VmPlace place) override;
  Task<ProviderResult<ProviderTaskId>> stop(Context context, VmPlace place) override;
  Task<ProviderResult<ProviderTaskId>> destroy(Context context, VmPlace place) override;

 private:
  VmHost& host();
  Task<ProviderResult<ProviderTaskId>> change(Context context, VmRequest request, VmSpec spec);
  /// There and back for a read. What is in the way is the error.
  Task<std::optional<ProviderError>> ask(Context context);
  /// The way there and back. Nothing: the answer is here.
  Task<std::optional<ProviderError>> travel(Context context, Duration delay);

  SimWorld& world_;
  int process_;
};

}  // namespace ichor::sim
