#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "port/provider.h"
#include "port/web_api.h"

namespace ichor {

/// The API of Proxmox VE 8 and 9 (api2/json), with an API token. It keeps nothing of what it saw.
class ProxmoxProvider final : public Provider {
 public:
  explicit ProxmoxProvider(std::unique_ptr<WebApi> web) : web_(std::move(web)) {}

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
  /// The member `data` of the answer.
  Task<ProviderResult<nlohmann::json>> ask(Context context, WebAsk ask);
  Task<ProviderResult<nlohmann::json>> get(Context context, std::string path);
  Task<ProviderResult<ProviderTaskId>> change(Context context, WebAsk ask);

  std::unique_ptr<WebApi> web_;
};

/// What the Authorization header has before the token.
inline constexpr std::string_view kProxmoxScheme = "PVEAPIToken=";

}  // namespace ichor
