#include "model/node_view.h"

namespace ichor {

std::string_view name_of(Presence presence) {
  switch (presence) {
    case Presence::silent: return "silent";
    case Presence::maintenance: return "maintenance";
    case Presence::configured: return "configured";
    case Presence::foreign: return "foreign";
    case Presence::stranger: return "stranger";
  }
  return "?";
}

}  // namespace ichor
