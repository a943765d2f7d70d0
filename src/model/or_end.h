#pragma once

#include <string>
#include <utility>

#include "base/result.h"
#include "model/run_result.h"

namespace ichor {

/// A value, or how the command ends without it.
template <class T>
using OrEnd = tl::expected<T, RunResult>;

inline tl::unexpected<RunResult> end_with(Exit exit, std::string verdict, FaultId fault = {}) {
  RunResult result;
  result.exit = exit;
  result.verdict = std::move(verdict);
  result.fault = fault;
  return tl::unexpected<RunResult>(std::move(result));
}

/// The exit code that an error of our own asks for.
constexpr Exit exit_of(Errc code) {
  switch (code) {
    case Errc::cancelled: return Exit::interrupted;
    case Errc::out_of_time: return Exit::out_of_time;
    case Errc::unsafe:
    case Errc::locked: return Exit::unsafe;
    case Errc::invalid:
    case Errc::io: return Exit::failed;
  }
  return Exit::failed;
}

inline tl::unexpected<RunResult> end_with(const Error& error) {
  return end_with(exit_of(error.code), error.message, error.fault);
}

}  // namespace ichor
