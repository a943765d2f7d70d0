#pragma once

#include <map>
#include <string>

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
  Digest
      secrets_fingerprint;  // of the secrets all of them were made with; empty: they are not kept
  std::string contract;     // "1.12", by which they were generated; empty: they were ready-made
  Digest plan;  // over profile and configs: tells that an operator edited between runs; empty: of
                // some nodes only
};

}  // namespace ichor
