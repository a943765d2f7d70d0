#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/cluster_profile.h"
#include "model/journal_record.h"
#include "model/run_result.h"
#include "port/events.h"

namespace ichor {

/// Data of one shape. Programs get every row whole; people get the columns, in this order, and
/// those that are `wide` only if they asked for more.
struct Listing {
  struct Column {
    std::string key;
    std::string title;  // "ADDRESS"
    bool wide{false};
  };
  std::string type;  // of a row, for programs: "node"
  std::vector<Column> columns;
  std::vector<nlohmann::ordered_json> rows;
};

/// What the journal of a cluster holds.
struct History {
  std::string cluster;
  std::vector<JournalRecord> records;
  std::string run{};         // the id of the one that is asked for; empty: all of them
  std::string kubeconfig{};  // where it is; empty: not known
};

/// What a command came to. Findings are in the result and shown with it.
struct Summary {
  std::string cluster;  // empty where the command has nothing to do with one
  RunResult result;
  std::optional<int> planned;  // actions that were decided and not taken
  /// Files that were written: what, and where.
  std::vector<std::pair<std::string, std::string>> written;
  /// What the operator may do now, one command or sentence each.
  std::vector<std::string> next;
  /// What else programs get with the summary, by name.
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  /// Standard output carries a text of its own, so people get the last word on standard error.
  bool aside{false};
};

/// What a command shows: one body for people, one for programs. Like every sink it neither blocks
/// nor fails.
class Display : public EventSink {
 public:
  /// Before the first event of a run: the nodes that events will name. `profile` must outlive the
  /// run.
  virtual void begin(const ClusterProfile& profile) = 0;

  /// Data that was asked for.
  virtual void show(const Listing& listing) = 0;
  virtual void show(const History& history) = 0;

  /// The last word, once.
  virtual void end(const Summary& summary) = 0;
};

}  // namespace ichor
