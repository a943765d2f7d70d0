#pragma once

#include "port/random.h"

namespace ichor {

/// Chance from the kernel.
class SystemRandom final : public Random {
 public:
  std::uint64_t next() override;
};

}  // namespace ichor
