#include "journal/lock_rule.h"

#include <string>

namespace ichor {

bool certainly_gone(const LockOwner& left, const LockOwner& mine) {
  const bool same_boot = !left.boot_id.empty() && left.boot_id == mine.boot_id;
  const bool same_host = !left.host.empty() && left.host == mine.host;
  return same_boot || same_host;
}

Error refused_by(const LockOwner& holder, std::string_view why) {
  std::string message = "this cluster's state is locked by process ";
  message += std::to_string(holder.pid);
  message += " on host " + holder.host;
  message += " (boot " + holder.boot_id + ", nonce " + holder.nonce + "): ";
  message += why;
  message += "; wait for it to end, or, if you know that it is gone, run `ichor unlock ";
  message += holder.nonce + "`";
  return {Errc::locked, std::move(message), "L7"};
}

Error lock_was_broken(const LockOwner& mine) {
  return {Errc::locked,
          "the lock with nonce " + mine.nonce +
              " was broken by hand while this process held it; nothing more is written",
          "L7"};
}

Error lease_was_lost(const LockOwner& mine) {
  return {Errc::locked,
          "the lease with nonce " + mine.nonce +
              " ran out while this process did not run, and another ichor took it; this one writes "
              "and sends nothing more",
          "L7"};
}

Error not_locked() {
  return {Errc::locked, "nothing may be appended to a journal that this process has not locked"};
}

Error wrong_nonce(std::string_view nonce, const LockOwner* holder) {
  std::string message = "the lock was not broken: ";
  if (holder == nullptr) {
    message += "no process holds it";
  } else {
    message += "it is held with nonce " + holder->nonce + ", not ";
    message += nonce;
  }
  return {Errc::invalid, std::move(message)};
}

}  // namespace ichor
