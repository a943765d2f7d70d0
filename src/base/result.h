#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "base/fault_id.h"

namespace ichor {

/// Why something of our own could not be done. One value per reaction and no more: what a node
/// answered is a CallError (model/call.h), which carries the wire's own facts.
enum class Errc {
  /// The operator or an enclosing scope asked us to stop; nothing is wrong with the world.
  cancelled,
  /// The budget of this wait is used up; the message says what was still unmet.
  out_of_time,
  /// The input is wrong; doing the same again gives the same answer.
  invalid,
  /// Going on could harm a cluster (split brain, foreign node, damaged journal).
  unsafe,
  /// Another process owns this cluster's state.
  locked,
  /// Our own disk or process failed us (ENOSPC, EIO).
  io,
};

/// The name of an error as people and JSON see it, e.g. "out-of-time".
std::string_view name_of(Errc code);

struct Error {
  Errc code{Errc::invalid};
  std::string message;
  FaultId fault{};
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Errc code, std::string message, FaultId fault = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), fault});
}

/// Hands the error of a failed result on: `if (!text) return forward_error(text);`. A function and
/// not a macro that also returns: where a function ends must be seen in it, and in a coroutine it
/// is co_return. It copies: errors are rare, and the result may be one that is kept.
template <class Failed>
auto forward_error(const Failed& failed) {
  return tl::unexpected(failed.error());
}

}  // namespace ichor
