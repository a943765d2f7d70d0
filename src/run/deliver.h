#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/secret.h"
#include "model/finding.h"
#include "model/or_end.h"
#include "model/run_options.h"
#include "port/host.h"

namespace ichor {

/// A text that a command was asked for, and where it goes.
struct TextOutput {
  std::string what;  // "config", for the summary and as the type of a row
  std::string path;  // "-": standard output
  SecretString content;
  bool reproducible{false};  // it can be made again at any time
  bool sealed{false};        // encrypted, so that anybody may see it
};

/// Why a command does not write a file there: it already exists, and `force` is not set.
std::optional<RunResult> refuse_present(const std::string& path, bool force, Host& host);

/// Writes texts, then ends the command: `done` with the findings, or what went wrong. Nothing is
/// written if one of the files already exists and `force` is not set, or if git would see one
/// that is not sealed.
Exit deliver(std::vector<TextOutput> outputs, bool force, std::vector<Finding> findings,
             const CommonOptions& common, Host& host);

}  // namespace ichor
