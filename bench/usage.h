#pragma once

#include <chrono>
#include <fstream>
#include <malloc.h>
#include <string>
#include <sys/resource.h>

/// What this process has used so far. Shared by both ends of a comparison, so that they measure
/// alike.
struct Usage {
  double seconds{0};
  double processor_seconds{0};

  static Usage now() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const auto of = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    const auto wall = std::chrono::steady_clock::now().time_since_epoch();
    return {std::chrono::duration<double>(wall).count(), of(used.ru_utime) + of(used.ru_stime)};
  }

  /// "SECONDS PROCESSOR_SECONDS" since `before`.
  std::string since(const Usage& before) const {
    return std::to_string(seconds - before.seconds) + " " +
           std::to_string(processor_seconds - before.processor_seconds);
  }
};

/// Memory of this process that is resident now, without what malloc keeps for later.
inline long resident_kib() {
  malloc_trim(0);
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::stol(line.substr(6));
  }
  return 0;
}
