#pragma once

#include <string>

#include "base/result.h"

namespace ichor {

/// Refuses (Errc::unsafe) a path for secrets at which git would see the file: within a work tree
/// and not ignored there. A secret that lies in a work tree is committed sooner or later.
///
/// Git itself is asked, because only it knows all its rules; where it cannot be asked the answer is
/// no.
Result<void> refuse_committable(const std::string& path);

}  // namespace ichor
