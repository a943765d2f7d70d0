#include "os/system_random.h"

#include <cerrno>
#include <sys/random.h>

#include "base/check.h"

namespace ichor {

std::uint64_t SystemRandom::next() {
  std::uint64_t value = 0;
  ssize_t got = -1;
  // Reads of up to 256 bytes are never torn; before the pool is ready the call can be interrupted.
  do {
    got = getrandom(&value, sizeof value, 0);
  } while (got < 0 && errno == EINTR);
  check(got == static_cast<ssize_t>(sizeof value), "the kernel gives random bytes");
  return value;
}

}  // namespace ichor
