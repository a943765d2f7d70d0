#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "base/time.h"
#include "port/local_ports.h"
#include "secrets/sops_rules.h"

namespace ichor {

/// Whether a file of this name is expected to be encrypted: "talsecret.sops.yaml".
bool has_sops_name(const std::string& path);

/// What a text is encrypted to, and what of it.
struct SealOptions {
  std::string file;                     // whose text it is; its name selects a creation rule
  std::vector<std::string> recipients;  // empty: those of .sops.yaml
  std::string input_type;               // empty: by the ending of the name
  std::string output_type;
  sops::Rules rules;
};

/// Encrypts a text as `ichor secrets encrypt` does: to the recipients of the request, of
/// SOPS_AGE_RECIPIENTS, or of the creation rule in .sops.yaml that fits `request.file`.
Result<SecretString> seal_text(const SealOptions& request, const SecretString& plain, WallTime now,
                               LocalPorts& local);

/// The same for a new file with has_sops_name(). The error says that nothing is written in plain.
Result<SecretString> seal_for_name(const std::string& path, const SecretString& plain, WallTime now,
                                   LocalPorts& local);

}  // namespace ichor
