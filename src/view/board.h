#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/cluster_profile.h"
#include "model/event.h"

namespace ichor {

/// Where one node is, as far as the events told.
struct BoardRow {
  /// `between`: a step is done, and the next one waits for other nodes.
  enum class State { idle, busy, between, passed, failed };

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
  bool configured{false};  // it took its config in this run, so it may be away for a while
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
  const std::vector<std::string>& milestones() const { return milestones_; }

 private:
  BoardRow& row_of(const NodeName& node);

  std::string cluster_;
  MonoTime started_{};
  std::vector<BoardRow> nodes_;
  BoardRow whole_;
  std::vector<std::string> milestones_;
};

}  // namespace ichor
