#pragma once

#include <functional>
#include <thread>
#include <vector>

namespace ichor::sim {

/// Runs `work` on so many threads, this one among them, until all have come back.
inline void side_by_side(int jobs, const std::function<void()>& work) {
  std::vector<std::thread> threads;
  for (int i = 1; i < jobs; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

}  // namespace ichor::sim
