#include "base/result.h"

namespace ichor {

std::string_view name_of(Errc code) {
  switch (code) {
    case Errc::cancelled: return "cancelled";
    case Errc::out_of_time: return "out-of-time";
    case Errc::invalid: return "invalid";
    case Errc::unsafe: return "unsafe";
    case Errc::locked: return "locked";
    case Errc::io: return "io";
  }
  return "?";
}

}  // namespace ichor
