#pragma once

#include <string>
#include <variant>
#include <vector>

#include "cli/hints.h"
#include "cli/request.h"

namespace ichor {

/// A command that can be run.
struct Invocation {
  CommonOptions common;
  Request request;
  Hints hints{};                     // what commands must repeat that are named in what is said
  bool names_profile{false};         // --profile was typed
  std::vector<std::string> words{};  // all that was typed
};

/// A page to print.
struct HelpWanted {
  std::string text;
};

/// Nothing can be done with what was typed: exit 64.
struct Misuse {
  std::string message;
  OutputFormat output{OutputFormat::table};
};

using CommandLine = std::variant<Invocation, HelpWanted, Misuse>;

/// Makes of the words behind the program's name what they ask for. Looks at nothing else: no file,
/// no environment.
CommandLine parse_command_line(const std::vector<std::string>& words);

}  // namespace ichor
