#pragma once

#include <map>
#include <string>
#include <vector>

#include "port/local_ports.h"
#include "secrets/age_key.h"

namespace ichor {

/// The age keys of this user, and where they were looked for.
struct AgeKeys {
  age::Identities identities;
  std::vector<std::string> places;    // "SOPS_AGE_KEY: not set", "~/keys.txt: 2 keys"
  std::vector<std::string> troubles;  // keys that are there and cannot be used

  /// Both lists, for a person who wonders why a file cannot be read.
  std::string text() const;
};

/// What the sops program and SOPS_AGE_KEY_CMD see of our environment, besides HOME and PATH: the
/// variables of key services and password managers.
std::map<std::string, std::string> variables_for_keys(LocalPorts& local);

/// Looks where sops does: SOPS_AGE_KEY, SOPS_AGE_KEY_FILE, SOPS_AGE_KEY_CMD (asked for each of
/// `recipients`), and keys.txt in the user's configuration folder. All of them count.
AgeKeys find_age_keys(const std::vector<std::string>& recipients, LocalPorts& local);

}  // namespace ichor
