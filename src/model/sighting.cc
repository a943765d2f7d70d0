#include "model/sighting.h"

namespace ichor {

std::string_view name_of(PeerKind kind) {
  switch (kind) {
    case PeerKind::nothing: return "nothing";
    case PeerKind::refused: return "refused";
    case PeerKind::other: return "other";
    case PeerKind::foreign: return "foreign";
    case PeerKind::ours: return "ours";
    case PeerKind::maintenance: return "maintenance";
  }
  return "nothing";
}

}  // namespace ichor
