#pragma once

#include <span>

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

}  // namespace ichor
