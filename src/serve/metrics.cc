#include "serve/metrics.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/clean_text.h"
#include "model/run_record.h"

namespace ichor {

namespace {

using Labels = std::vector<std::pair<std::string_view, std::string_view>>;

/// As the text format wants it; what a terminal would obey is gone before.
std::string label_value(std::string_view hostile) {
  std::string out;
  for (const char c : clean_text(hostile, 256)) {
    if (c == '\\' || c == '"') out += '\\';
    out += c;
  }
  return out;
}

/// One metric, and its samples.
class Metric {
 public:
  Metric(std::string_view name, std::string_view type, std::string_view help)
      : name_(name), head_(fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help)) {}

  void add(const Labels& labels, double value) { add(labels, fmt::format("{}", value)); }
  void add(const Labels& labels, std::int64_t value) { add(labels, fmt::format("{}", value)); }

  /// Nothing without samples.
  std::string text() const { return samples_.empty() ? "" : head_ + samples_; }

 private:
  void add(const Labels& labels, const std::string& value) {
    samples_ += name_;
    std::string_view before = "{";
    for (const auto& [label, text] : labels) {
      samples_ += fmt::format("{}{}=\"{}\"", before, label, label_value(text));
      before = ",";
    }
    if (!labels.empty()) samples_ += '}';
    samples_ += " " + value + "\n";
  }

  std::string_view name_;
  std::string head_;
  std::string samples_;
};

/// Milliseconds as seconds.
double seconds(std::int64_t ms) { return static_cast<double>(ms) / 1000.0; }

class Metrics {
 public:
  explicit Metrics(WallTime now) : now_(now) {}

  void add(const ServedCluster& cluster) {
    const std::string& name = cluster.name;
    const ClusterRuns runs(cluster);
    readable_.add({{"cluster", name}}, std::int64_t{cluster.readable ? 1 : 0});
    records_.add({{"cluster", name}}, static_cast<std::int64_t>(cluster.records.size()));
    runs_.add({{"cluster", name}}, static_cast<std::int64_t>(runs.entries().size()));
    running_.add({{"cluster", name}}, std::int64_t{runs.running() ? 1 : 0});
    if (!runs.entries().empty()) add_last_run(name, runs);
    add_mutations(cluster);
    for (const NodeStage& node : node_stages(cluster)) {
      for (const std::string_view stage : kNodeStages) {
        stage_.add({{"cluster", name}, {"node", node.node}, {"stage", stage}},
                   std::int64_t{node.stage == stage ? 1 : 0});
      }
    }
    for (const ServedCluster::Expiry& one : cluster.certificates) {
      certificate_.add({{"cluster", name}, {"certificate", one.certificate}},
                       static_cast<std::int64_t>(one.unix_ms / 1000));
    }
  }

  std::string text() const {
    std::string out;
    for (const Metric* metric :
         {&readable_, &records_, &runs_, &running_, &started_, &duration_, &exit_, &changes_,
          &mutations_, &step_, &retries_, &stage_, &certificate_}) {
      out += metric->text();
    }
    return out;
  }

 private:
  void add_last_run(const std::string& name, const ClusterRuns& runs) {
    const RunEntry& last = runs.entries().back();
    const std::int64_t so_far = now_.unix_ms - last.began_ms;
    started_.add({{"cluster", name}}, seconds(last.began_ms));
    duration_.add({{"cluster", name}},
                  seconds(runs.running() ? std::max(so_far, last.took_ms) : last.took_ms));
    changes_.add({{"cluster", name}}, static_cast<std::int64_t>(last.mutations));
    const auto ended = std::find_if(runs.entries().rbegin(), runs.entries().rend(),
                                    [](const RunEntry& entry) { return entry.exit.has_value(); });
    if (ended != runs.entries().rend()) {
      exit_.add({{"cluster", name}}, static_cast<std::int64_t>(*ended->exit));
    }
    // A step is in the journal once for each node and run; the last time of it counts.
    std::vector<const JournalRecord*> steps;
    for (const JournalRecord* record : runs.runs().back()) {
      if (!is_step(*record)) continue;
      std::erase_if(steps, [&](const JournalRecord* other) {
        return other->node == record->node && other->key == record->key;
      });
      steps.push_back(record);
    }
    for (const JournalRecord* record : steps) {
      const StepFact fact = step_in(*record);
      const Labels labels{{"cluster", name}, {"node", record->node.value()}, {"step", fact.step}};
      Labels with_end = labels;
      with_end.emplace_back("end", fact.end);
      step_.add(with_end, std::chrono::duration<double>(fact.took).count());
      retries_.add(labels, std::int64_t{fact.retries});
    }
  }

  void add_mutations(const ServedCluster& cluster) {
    // An intent without an outcome is not counted: it may still get one, and counters never fall.
    for (const OutcomeKind kind : {OutcomeKind::done, OutcomeKind::refused, OutcomeKind::unknown}) {
      const auto count = std::ranges::count_if(cluster.records, [&](const JournalRecord& record) {
        return record.kind == RecordKind::outcome && record.outcome == kind;
      });
      mutations_.add({{"cluster", cluster.name}, {"outcome", name_of(kind)}}, std::int64_t{count});
    }
  }

  WallTime now_;
  Metric readable_{"ichor_cluster_readable", "gauge",
                   "Whether profile and journal can be read; a journal may not exist yet."};
  Metric records_{"ichor_journal_records", "gauge", "Records in the journal of the cluster."};
  Metric runs_{"ichor_runs_total", "counter", "Runs that the journal of the cluster contains."};
  Metric running_{"ichor_run_running", "gauge", "Whether a run is in progress."};
  Metric started_{"ichor_run_start_timestamp_seconds", "gauge",
                  "When the last run started, in Unix time."};
  Metric duration_{"ichor_run_duration_seconds", "gauge",
                   "Duration of the last run, so far if it is in progress."};
  Metric exit_{"ichor_run_exit_code", "gauge", "Exit code of the last run that ended."};
  Metric changes_{"ichor_run_mutations", "gauge", "Changes that the last run sent."};
  Metric mutations_{"ichor_mutations_total", "counter",
                    "Changes by the outcome that the journal has."};
  Metric step_{"ichor_step_duration_seconds", "gauge",
               "Duration of each step of the last run that took a second or did not pass."};
  Metric retries_{"ichor_step_retries", "gauge", "Retries of these steps."};
  Metric stage_{"ichor_node_stage", "gauge",
                "1 for the stage that the node has by the journal, 0 for the others."};
  Metric certificate_{"ichor_certificate_expiry_timestamp_seconds", "gauge",
                      "When a certificate in the state folder expires, in Unix time."};
};

}  // namespace

std::string metrics_text(const std::vector<ServedCluster>& clusters, std::string_view version,
                         WallTime now) {
  Metric build("ichor_build_info", "gauge", "Always 1; the version of ichor is a label.");
  build.add({{"version", version}}, std::int64_t{1});
  Metrics metrics(now);
  for (const ServedCluster& cluster : clusters) metrics.add(cluster);
  return build.text() + metrics.text();
}

}  // namespace ichor
