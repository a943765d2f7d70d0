#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ichor::sim {

/// A secret that a run handles, with a value that occurs nowhere else.
struct Canary {
  std::string_view name;   // "machine.ca.key"
  std::string_view value;  // as it stands in configs and files
};

/// One of every kind: CA keys, tokens, encryption keys, client keys, credentials.
const std::vector<Canary>& canaries();

/// One of every kind that the Kubernetes phases handle.
const std::vector<Canary>& kube_canaries();
std::string kube_canary(std::string_view name);

/// All canaries of a machine config, as its text; and the one of a kubeconfig.
std::string config_canaries();
std::string kubeconfig_canary();

/// The name of the first canary that `text` gives away: plainly, as URL, in hex of either case, or
/// in base64 at any of its three places. Empty: none.
std::string_view canary_in(std::string_view text);

}  // namespace ichor::sim
