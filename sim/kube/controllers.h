#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "async/clock.h"
#include "sim/kube/api_server.h"

namespace ichor::sim {

/// Calls on a clock that end with their owner.
class Later {
 public:
  explicit Later(Clock& clock) : clock_(clock) {}
  ~Later() {
    for (const Clock::CallId call : calls_) clock_.cancel(call);
  }
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;

  void after(Duration delay, std::function<void()> work) {
    calls_.push_back(clock_.call_at(later(clock_.now(), delay), std::move(work)));
  }

 private:
  Clock& clock_;
  std::vector<Clock::CallId> calls_;
};

/// The controllers that every API server has: namespaces become Active, and a
/// CustomResourceDefinition becomes Established some time after it was written; from then on its
/// kind is served.
class Controllers {
 public:
  Controllers(ApiServer& api, Clock& clock);

  Duration establishes_after{std::chrono::seconds(1)};
  std::set<std::string> never_established;  // names of CRDs

 private:
  void on_change(const KubeRef& ref, const KubeObject* now);
  void establish(const KubeRef& ref);

  ApiServer& api_;
  Later later_;
};

}  // namespace ichor::sim
