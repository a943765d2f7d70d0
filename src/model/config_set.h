#pragma once

#include <map>

#include "base/secret.h"
#include "model/ids.h"
#include "model/node.h"

namespace ichor {

/// One node's machine config, ready to be sent.
struct MachineConfig {
  SecretString bytes;
  Digest digest;     // SHA-256 of `bytes`: what was sent
  Digest canonical;  // SHA-256 of the parsed documents: what a node's read-back is compared with
  Role role{Role::worker};
};

/// What generate made of the profile: same inputs, same bytes.
struct ConfigSet {
  std::map<NodeName, MachineConfig> nodes;
  Digest secrets_fingerprint;  // of the secrets bundle all of them were made with
  Digest plan;  // over profile and configs: tells that an operator edited between runs
};

}  // namespace ichor
