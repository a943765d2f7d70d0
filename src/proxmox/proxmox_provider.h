#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/secret.h"
#include "port/provider.h"
#include "port/web_api.h"

namespace ichor {

/// The API of Proxmox VE 8 and 9 (api2/json), with an API token. It keeps nothing of what it saw.
class ProxmoxProvider final : public Provider {
 public:
  /// `user`: of our token, as user_of_token() has it. Tasks of all others are marked.
  ProxmoxProvider(std::unique_ptr<WebApi> web, std::string user)
      : web_(std::move(web)), user_(std::move(user)) {}

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
  std::string user_;
};

/// What the Authorization header has before the token.
inline constexpr std::string_view kProxmoxScheme = "PVEAPIToken=";

/// What stands before the secret: USER@REALM!TOKENID, the name under which Proxmox lists our tasks.
std::string user_of_token(const SecretString& token);

}  // namespace ichor
