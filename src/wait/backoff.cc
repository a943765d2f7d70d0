#include "wait/backoff.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace ichor {

namespace {

Duration delay(int attempt, Duration initial, double factor, Duration max, Random& random) {
  check(attempt >= 1, "attempts count from one");
  const double grown = static_cast<double>(initial.count()) * std::pow(factor, attempt - 1);
  const double capped = std::min(grown, static_cast<double>(max.count()));
  return Duration(static_cast<Duration::rep>(capped * (1.0 - random.fraction() / 4)));
}

}  // namespace

Duration mutation_delay(int attempt, const RetryLimits& limits, Random& random) {
  return delay(attempt, limits.initial, limits.factor, limits.max, random);
}

Duration read_delay(int attempt, const RetryLimits& limits, Random& random) {
  return delay(attempt, limits.read_initial, 2.0, limits.read_max, random);
}

}  // namespace ichor
