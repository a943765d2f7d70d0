#pragma once

#include <string_view>

#include "base/result.h"
#include "port/journal.h"

namespace ichor {

/// Whether the process that left `left` behind is certainly gone, given that it no longer holds the
/// operating system's lock. On the same boot that lock is the proof, and an earlier boot of the
/// same host took all its processes with it; of another host we know nothing.
bool certainly_gone(const LockOwner& left, const LockOwner& mine);

/// The refusal: who holds the lock, `why` it counts, and how to break it by hand.
Error refused_by(const LockOwner& holder, std::string_view why);

/// What an append gets after its lock was broken by hand.
Error lock_was_broken(const LockOwner& mine);

/// What an append gets after its lease ran out and another one took it.
Error lease_was_lost(const LockOwner& mine);

/// What an append gets that was made without the lock.
Error not_locked();

/// What break_lock() gets for a nonce that does not hold the lock.
Error wrong_nonce(std::string_view nonce, const LockOwner* holder);

}  // namespace ichor
