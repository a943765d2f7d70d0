#include "lab/proxmox/access.h"

#include "model/json.h"
#include "os/durable_file.h"

namespace ichor::lab {

namespace {
constexpr std::size_t kFileMax = 1u << 20;
}

std::string to_json(const ProxmoxAccess& access) {
  const nlohmann::json json = {{"url", access.url},
                               {"ca", access.ca_pem},
                               {"token", std::string(access.token.reveal())},
                               {"pool", access.pool}};
  return json.dump(2) + "\n";
}

Result<ProxmoxAccess> read_proxmox_access(const std::string& state_dir) {
  const auto text = read_input(state_dir + "/" + kAccessFile, kFileMax);
  const auto json = text ? parse_json(*text) : Result<nlohmann::json>(nlohmann::json());
  if (!text || !json || !json->is_object()) {
    return fail(Errc::invalid, "the lab in " + state_dir +
                                   " has no Proxmox API; `ichor lab start --proxmox` gives a new "
                                   "lab one");
  }
  return ProxmoxAccess{text_in(*json, "url"), text_in(*json, "ca"),
                       SecretString(text_in(*json, "token")), text_in(*json, "pool")};
}

}  // namespace ichor::lab
