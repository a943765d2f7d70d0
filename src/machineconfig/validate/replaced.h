#pragma once

#include <span>
#include <string_view>

namespace ichor {

/// A part of the v1alpha1 document that a typed document says since Talos 1.14, which refuses both
/// together.
struct Replaced {
  /// What the old part must be to be in the way.
  enum class If { set, filled };

  const char* kind;
  const char* path;  // "machine.kubelet.nodeIP"
  If when{If::set};
};

std::span<const Replaced> replaced_parts();

/// Whether Talos refuses a document of this kind on a worker.
bool is_control_plane_only(std::string_view kind);

}  // namespace ichor
