#include "base/system_fault.h"

#include <cerrno>

namespace ichor {

FaultId fault_of_errno(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT:
    case EROFS: return "L3";
    case EIO: return "L4";
    case EMFILE:
    case ENFILE: return "L9";
    default: return {};
  }
}

}  // namespace ichor
