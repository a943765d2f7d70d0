#pragma once

#include <string>

#include "base/result.h"
#include "port/journal.h"
#include "port/random.h"

namespace ichor {

/// What a process that holds secrets and many connections asks of the system, before anything else:
/// files for the owner only whatever the umask was, no core dump and no reading by other processes
/// of the user, no death by a closed pipe, as many descriptors as allowed, and no variable in the
/// environment that makes a library write down keys or traffic.
void harden_process();

/// This process for the lock: host, boot, pid, and a nonce that must be named to break the lock.
LockOwner process_owner(Random& random);

/// Identifies this machine and says nothing else about it; empty if that is not possible.
std::string machine_mark();

/// The file this process was started from.
Result<std::string> program_path();

/// The same path from the root, whether or not it exists.
std::string absolute_path(const std::string& path);

/// 128 random bits as hex: for run and journal ids.
std::string random_id(Random& random);

}  // namespace ichor
