#pragma once

#include <cstring>
#include <fmt/format.h>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/system_fault.h"

namespace ichor {

/// "PATH: cannot be written: No space left on device", with the fault that the errno stands for.
inline tl::unexpected<Error> system_error(const std::string& path, std::string_view doing,
                                          int error, Errc code = Errc::io) {
  return fail(code, fmt::format("{}: {}: {}", path, doing, std::strerror(error)),
              fault_of_errno(error));
}

}  // namespace ichor
