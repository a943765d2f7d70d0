#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/journal_record.h"
#include "view/run_history.h"

namespace ichor {

/// What is known of one cluster without asking a node: its profile, its journal, its state folder.
struct ServedCluster {
  struct Expiry {
    std::string certificate;
    std::int64_t unix_ms{0};
  };

  std::string name;
  std::string profile;             // a path
  std::string trouble;             // why there is no journal to show; empty: there is one
  bool readable{true};             // no: profile or journal are damaged
  std::vector<std::string> nodes;  // of the profile
  std::vector<JournalRecord> records;
  /// A process that may live holds the lock.
  bool held{false};
  std::vector<Expiry> certificates;
};

/// How far a node is, by the journal alone.
struct NodeStage {
  std::string node;
  std::string_view stage;  // one of kNodeStages
};

/// In their order. Planned: the profile names it. Bound: a machine is known. Configured: it
/// accepted its config. Running: it was seen in the cluster. Excluded: the operator left it out.
inline constexpr std::string_view kNodeStages[] = {"planned", "bound", "configured", "running",
                                                   "excluded"};

/// The nodes of the profile, then those that only the journal knows.
std::vector<NodeStage> node_stages(const ServedCluster& cluster);

/// A cluster and its runs, as pages and metrics read them. The cluster must outlive it.
class ClusterRuns {
 public:
  explicit ClusterRuns(const ServedCluster& cluster)
      : cluster_(cluster), runs_(runs_of(cluster.records)), entries_(run_entries(runs_)) {}

  const std::vector<JournalRun>& runs() const { return runs_; }
  const std::vector<RunEntry>& entries() const { return entries_; }
  /// Whether this run, from 1, goes on: it has no end, and a process holds the lock.
  bool running(std::size_t number) const {
    return cluster_.held && number == entries_.size() && number > 0 && !entries_.back().exit;
  }
  bool running() const { return running(entries_.size()); }

 private:
  const ServedCluster& cluster_;
  std::vector<JournalRun> runs_;
  std::vector<RunEntry> entries_;
};

}  // namespace ichor
