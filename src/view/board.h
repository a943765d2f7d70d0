#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/cluster_profile.h"
#include "model/event.h"

namespace ichor {

/// Where one node is, as far as the events say.
struct BoardRow {
  enum class State {
    idle,
    busy,
    between,  // a step is done, and the next one waits for others
    blocked,  // the next step cannot start: what it needs was lost elsewhere
    passed,
    failed,
  };

  NodeName name;
  Role role{Role::worker};
  std::string address;  // where it is now
  std::string home;     // where it lives once it has its config
  State state{State::idle};
  Stage stage{Stage::unknown};
  std::string phase;  // the last one entered
  int retries{0};
  MonoTime since{};        // when it entered that phase
  MonoTime until{};        // when it left it, if it did
  std::string note;        // what it waits for, does, or failed with
  bool configured{false};  // it got its config in this run, so it may be away for a while
  std::optional<MonoTime> offline_since{};  // it was configured and does not answer
};

/// A part of the run that is over for all who take part in it.
struct BoardStep {
  std::string phase;
  Duration took{};  // since the step before it was over
};

/// The run so far, as a fold of its events. What is in it is clean text.
class Board {
 public:
  explicit Board(const ClusterProfile& profile);

  void fold(const Event& event);

  const std::string& cluster() const { return cluster_; }
  MonoTime started() const { return started_; }
  const std::vector<BoardRow>& nodes() const { return nodes_; }
  /// The cluster's own row: what concerns no single node.
  const BoardRow& whole() const { return whole_; }
  /// What is over, in order.
  const std::vector<BoardStep>& steps() const { return steps_; }
  /// How long a phase may take; nothing if it has no limit of its own.
  std::optional<Duration> budget(std::string_view phase) const;
  /// How long the run should take; zero: nothing is said.
  Duration objective() const { return objective_; }
  /// How long it will still take if it goes on as it did; nothing before the first step is over.
  std::optional<Duration> remaining(MonoTime now) const;

 private:
  BoardRow& row_of(const NodeName& node);
  void add_step(const Event& event);

  std::string cluster_;
  MonoTime started_{};
  MonoTime last_step_at_{};
  Duration objective_{};
  bool goes_on_to_kubernetes_{false};
  std::map<std::string, Duration, std::less<>> budgets_;
  std::vector<BoardRow> nodes_;
  BoardRow whole_;
  std::vector<BoardStep> steps_;
};

/// What a step is called for people: "kubeconfig" brings the API.
std::string_view step_title(std::string_view phase);

}  // namespace ichor
