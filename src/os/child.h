#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace ichor {

/// A program to be run, found by PATH.
struct ChildCall {
  std::vector<std::string> arguments;            // the first one is its name
  std::map<std::string, std::string> variables;  // on top of our own environment
  SecretString input;
};

struct ChildResult {
  int exit{0};  // 128 and the signal that ended it
  SecretString output;
};

/// Runs it to its end: no shell, its errors on our standard error, at most 16 MiB of output.
/// SIGPIPE must be ignored (harden_process), because a program need not read its input.
/// Errc::invalid if there is no such program, Errc::io if it cannot be run or says too much.
Result<ChildResult> run_child(const ChildCall& call);

}  // namespace ichor
