#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/fault.h"
#include "model/call.h"

namespace ichor {

/// An error that the user pasted, understood as far as it goes.
struct Match {
  const Fault* fault{nullptr};
  std::string cause;     // of this very error, where more is known than the row says
  std::string evidence;  // the part of the text that matched
};

/// A text that tools and nodes are known to print. All `words` must be in it, whatever their case.
struct ErrorPattern {
  std::vector<std::string_view> words;
  std::string_view fault;
  std::string_view cause;
};

/// In the order in which they are tried; the first that fits counts.
const std::vector<ErrorPattern>& error_patterns();

/// What an error text says about the call: name, code, handshake, and how far it came. For texts of
/// ichor, of talosctl ("rpc error: code = X desc = …") and of other gRPC clients.
CallError read_error(std::string_view text);

/// The fault behind an error text: by its known words, else by the table that judges errors of
/// calls while a run is under way. Nothing if the text says nothing known.
std::optional<Match> match_error(std::string_view text);

}  // namespace ichor
