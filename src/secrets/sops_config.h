#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "secrets/sops_rules.h"

namespace ichor::sops {

/// How .sops.yaml wants a new file to be encrypted.
struct CreationRule {
  std::vector<std::string> recipients;  // of age, each once
  std::vector<std::string> other_keys;  // kinds such as pgp and kms
  bool split_key{false};                // several groups of keys
  Rules rules;
};

/// The first creation rule whose path_regex is found in `path`, which is relative to the folder of
/// the config file, or absolute if it lies elsewhere. Nothing if the file has no creation rules;
/// Errc::invalid if none of them fits or the file is wrong.
Result<std::optional<CreationRule>> creation_rule(std::string_view config,
                                                  const std::string& config_file,
                                                  const std::string& path);

}  // namespace ichor::sops
