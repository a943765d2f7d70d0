#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "sim/checkers/checker.h"

namespace ichor::sim {

/// One T for every node of the profile, found by name or by machine. Nothing is allocated after the
/// beginning, and a look-up compares a handful of short names.
template <class T>
class PerNode {
 public:
  explicit PerNode(const Truth& truth) : truth_(truth), items_(truth.profile.nodes.size()) {}

  /// Null for a node that is not planned.
  T* find(const NodeName& name) {
    const std::vector<NodePlan>& plans = truth_.profile.nodes;
    // A scenario may take nodes out of the profile while it runs.
    for (std::size_t i = 0; i < items_.size() && i < plans.size(); ++i) {
      if (same(plans[i].name.value(), name.value())) return &items_[i];
    }
    return nullptr;
  }
  T* find(const Node& machine) {
    for (std::size_t i = 0; i < truth_.nodes.size() && i < items_.size(); ++i) {
      if (truth_.nodes[i].get() == &machine) return &items_[i];
    }
    return nullptr;
  }
  /// Of the machine at the other end, or where there is none, of the node that was meant.
  T* find(const Request& request) {
    return request.node != nullptr ? find(*request.node) : find(request.planned);
  }

  std::size_t size() const { return items_.size(); }
  T& operator[](std::size_t place) { return items_[place]; }
  const T& operator[](std::size_t place) const { return items_[place]; }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }

 private:
  /// Names of a cluster differ at the end, so most comparisons are over after one letter.
  static bool same(const std::string& one, const std::string& other) {
    if (one.size() != other.size()) return false;
    return one.empty() || (one.back() == other.back() && one == other);
  }

  const Truth& truth_;
  std::vector<T> items_;  // in the order of the profile
};

/// One T for every run of ichor, made when it is first asked for.
template <class T>
class PerProcess {
 public:
  T& operator[](int process) {
    const auto place = static_cast<std::size_t>(process);
    if (place >= items_.size()) items_.resize(place + 1);
    return items_[place];
  }

 private:
  std::vector<T> items_;
};

/// One T for each call that mutates.
template <class T>
class PerMutation {
 public:
  T& operator[](Call call) {
    const int place = static_cast<int>(call) - kFirst;
    return items_[place >= 0 && place < kCount ? static_cast<std::size_t>(place) : 0];
  }

 private:
  static constexpr int kFirst = static_cast<int>(Call::apply_configuration);
  static constexpr int kCount = static_cast<int>(Call::uncordon) - kFirst + 1;
  std::array<T, kCount> items_{};
};

}  // namespace ichor::sim
