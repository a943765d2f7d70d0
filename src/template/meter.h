#pragma once

#include <cstddef>
#include <cstdint>

#include "template/error.h"
#include "template/limits.h"

namespace ichor::jinja {

/// Counts what a rendering costs and refuses what goes beyond the limits.
class Meter {
 public:
  explicit Meter(const Limits& limits) : limits_(limits) {}

  Outcome<void> spend(std::int64_t steps = 1);
  /// For a text that is about to be made.
  Outcome<void> spend_text(std::size_t bytes);
  /// For `count` elements that are about to be made.
  Outcome<void> spend_items(std::int64_t count);

  const Limits& limits() const { return limits_; }

  /// One level of nesting, for as long as it lives. Ask ok() before going deeper.
  class Level {
   public:
    explicit Level(Meter& meter) : meter_(meter) { ++meter_.depth_; }
    ~Level() { --meter_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Outcome<void> ok() const;

   private:
    Meter& meter_;
  };

 private:
  Limits limits_;
  std::int64_t steps_{0};
  int depth_{0};
};

}  // namespace ichor::jinja
