#pragma once

#include <string>
#include <utility>

#include "model/journal_facts.h"
#include "model/run_record.h"
#include "serve/served_cluster.h"

namespace ichor {

/// A cluster whose journal is written record by record, one a second.
struct TestCluster {
  static constexpr std::int64_t kBegan = 1'769'860'800'000;  // 2026-01-31 12:00:00Z

  explicit TestCluster(std::string name) {
    cluster.name = std::move(name);
    cluster.profile = cluster.name + "/ichor.yaml";
    cluster.nodes = {"cp1", "w1"};
  }

  JournalRecord& add(const std::string& run, RecordKind kind, const std::string& node = {},
                     const std::string& key = {}, const std::string& value = {}) {
    JournalRecord record;
    record.seq = cluster.records.size() + 1;
    record.run = RunId(run);
    record.kind = kind;
    record.node = NodeName(node);
    record.key = key;
    record.value = value;
    record.wall_ms = kBegan + 1000 * static_cast<std::int64_t>(record.seq - 1);
    cluster.records.push_back(std::move(record));
    return cluster.records.back();
  }
  void start(const std::string& run, const std::string& command = "up") {
    add(run, RecordKind::run_started, {}, cluster.name);
    add(run, RecordKind::observed, {}, std::string(kCommandKey), command);
  }
  void change(const std::string& run, const std::string& node, OutcomeKind kind,
              const std::string& error = {}) {
    add(run, RecordKind::intent, node).call = Call::apply_configuration;
    const std::uint64_t intent = cluster.records.size();
    JournalRecord& outcome = add(run, RecordKind::outcome, node, {}, error);
    outcome.call = Call::apply_configuration;
    outcome.ref = intent;
    outcome.outcome = kind;
  }
  void settle(const std::string& run, const std::string& node) {
    add(run, RecordKind::observed, node, std::string(kSettledKey));
  }
  void step(const std::string& run, const std::string& node, const std::string& name) {
    const JournalRecord record =
        step_record(NodeName(node), {name, "done", std::chrono::milliseconds(61250), 3});
    add(run, record.kind, node, record.key, record.value);
  }
  void end(const std::string& run, const std::string& exit, const std::string& verdict) {
    add(run, RecordKind::run_ended, {}, exit, verdict);
  }

  ServedCluster cluster;
};

}  // namespace ichor
