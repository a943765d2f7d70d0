#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "async/task.h"
#include "base/check.h"
#include "port/events.h"
#include "sim/kube/cluster.h"
#include "sim/seeded_random.h"
#include "sim/virtual_clock.h"

namespace ichor {

class KeptEvents final : public EventSink {
 public:
  void emit(const Event& event) override { events.push_back(event); }
  std::vector<Event> events;
};

/// A simulated cluster on a virtual clock, and a way to run coroutines on it.
struct KubeBench {
  sim::VirtualClock clock;
  sim::SeededRandom random{1};
  sim::KubeCluster cluster{clock};
  KeptEvents events;
  CancelScope scope;

  Context context(Duration limit = std::chrono::minutes(10)) {
    return {&clock, &scope, later(clock.now(), limit)};
  }
  /// Runs `work` at a moment from now.
  void after(Duration delay, std::function<void()> work) {
    clock.call_at(later(clock.now(), delay), std::move(work));
  }
  /// Runs a task to its end.
  template <class T>
  T run(Task<T> task) {
    task.start();
    while (!task.done() && clock.step()) {
    }
    check(task.done(), "the task ends");
    return task.take();
  }
};

}  // namespace ichor
