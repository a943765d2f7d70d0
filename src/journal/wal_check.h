#pragma once

#include <string>

#include "base/result.h"

namespace ichor {

/// Tells a torn tail of SQLite's write-ahead log from damage, before SQLite replays it.
///
/// SQLite ends a log at the first frame that does not fit its checksum and says nothing. That is
/// right for a commit which a power loss cut short, and wrong for a flipped bit further up, which
/// would take back records that were acknowledged. Every commit is synced before the next one
/// starts, so a power loss can spoil only the last one: more than one commit from the first bad
/// frame on, or a bad header before any, is damage. If the last commit is the spoilt one, the two
/// cannot be distinguished, and it counts as torn.
///
/// Errc::unsafe for damage. A missing or empty log is whole. No process may write to it meanwhile.
Result<void> check_wal(const std::string& path);

}  // namespace ichor
