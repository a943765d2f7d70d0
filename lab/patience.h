#pragma once

#include <poll.h>

namespace ichor::lab {

/// Tries until it works or five seconds are over: a lab that was just asked to end holds its lock
/// and its addresses for another moment.
template <class Attempt>
bool eventually(Attempt attempt) {
  for (int tries = 0; tries < 100; ++tries) {
    if (attempt()) return true;
    ::poll(nullptr, 0, 50);
  }
  return false;
}

}  // namespace ichor::lab
