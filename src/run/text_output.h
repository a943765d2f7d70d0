#pragma once

#include <string>

#include "base/result.h"
#include "base/secret.h"
#include "model/run_options.h"
#include "model/run_result.h"
#include "port/host.h"

namespace ichor {

/// For commands whose data is a text: what they made and nothing else goes to standard output,
/// which may be a file; what went wrong goes to standard error.

/// Hands out the text: to the file at `path`, or to standard output if it is empty.
Exit hand_out(const SecretString& text, const std::string& path, const CommonOptions& common,
              Host& host);

/// Ends the command without its text.
Exit give_up(const Error& error, const CommonOptions& common, Host& host);

}  // namespace ichor
