#include "view/report_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "model/finding_record.h"
#include "model/journal_facts.h"
#include "model/run_record.h"
#include "view/cells.h"
#include "view/run_history.h"

namespace ichor {

namespace {

using Lines = std::vector<std::string>;

/// A text of a node within Markdown: it makes no table cell, no code and no markup of its own.
std::string plain(std::string_view hostile) {
  std::string out;
  for (const char c : clean(hostile)) {
    switch (c) {
      case '|':
      case '\\':
      case '[':
      case ']':
      case '!':
      case '*':
        out += '\\';
        out += c;
        break;
      case '<': out += "&lt;"; break;
      case '`': out += '\''; break;
      default: out += c;
    }
  }
  return out;
}

void add_section(Lines& lines, std::string_view heading) {
  lines.emplace_back();
  lines.push_back(fmt::format("### {}", heading));
  lines.emplace_back();
}

int node_width(const JournalRun& run) {
  int width = 0;
  for (const JournalRecord* record : run) {
    width = std::max(width, cell_count(clean(record->node.value())));
  }
  return width;
}

/// "cp1, cp2, cp3 (learner)" as voters and learners.
std::string members_text(const std::string& members) {
  if (members.empty()) return "not in this run's records";
  std::string voters, learners;
  std::string_view rest = members;
  constexpr std::string_view kLearner = " (learner)";
  while (!rest.empty()) {
    std::string_view one = rest.substr(0, rest.find(", "));
    rest.remove_prefix(std::min(rest.size(), one.size() + 2));
    const bool learner = one.ends_with(kLearner);
    if (learner) one.remove_suffix(kLearner.size());
    std::string& list = learner ? learners : voters;
    list += (list.empty() ? "" : ", ") + std::string(one);
  }
  return fmt::format("voters: {}; learners: {}", voters.empty() ? "none" : voters,
                     learners.empty() ? "none" : learners);
}

void add_facts(Lines& lines, const History& history, const JournalRun& run, const RunEntry& entry) {
  std::vector<std::pair<std::string, std::string>> facts;
  facts.emplace_back("Run", entry.id);
  if (!entry.command.empty()) facts.emplace_back("Command", "ichor " + entry.command);
  facts.emplace_back("Started", utc_text(entry.began_ms));
  facts.emplace_back("Ended", entry.exit ? utc_text(entry.began_ms + entry.took_ms) : "-");
  const std::string versions = observed_value(run, kVersionsKey);
  if (!versions.empty()) facts.emplace_back("Versions", versions);
  facts.emplace_back("Kubeconfig", history.kubeconfig.empty() ? "not written" : history.kubeconfig);
  facts.emplace_back("etcd members", members_text(observed_value(run, kMembersKey)));
  if (const JournalRecord* started = find_record(run, RecordKind::run_started)) {
    facts.emplace_back("Plan", fmt::format("{:.12}", started->value));
  }
  lines.emplace_back();
  lines.emplace_back("| | |");
  lines.emplace_back("|---|---|");
  for (const auto& [what, value] : facts) {
    lines.push_back(fmt::format("| {} | {} |", what, plain(value)));
  }
}

/// "due: no control plane has etcd data (cp1: no etcd data, service Preparing; cp2: …)": the
/// verdict and the signals of each control plane.
void add_detector(Lines& lines, const JournalRun& run) {
  const std::string verdict = observed_value(run, std::string(kVerdictKey) + "bootstrap");
  const JournalRecord* target = find_record(run, RecordKind::bootstrap_target);
  if (verdict.empty() && !target) return;
  add_section(lines, "Bootstrap detector");
  const std::size_t open = verdict.find(" (");
  lines.push_back(fmt::format("Verdict: {}.", plain(verdict.substr(0, open))));
  if (target) lines.back() += fmt::format(" Target: {}.", plain(target->node.value()));
  if (open == std::string::npos || !verdict.ends_with(')')) return;
  std::string_view rest(verdict);
  rest = rest.substr(open + 2, verdict.size() - open - 3);
  lines.emplace_back();
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find("; "));
    rest.remove_prefix(std::min(rest.size(), one.size() + 2));
    lines.push_back("- " + plain(one));
  }
}

void add_skipped(Lines& lines, const JournalRun& run) {
  bool told = false;
  const auto tell = [&](const std::string& what) {
    if (!std::exchange(told, true)) add_section(lines, "Skipped");
    lines.push_back("- " + plain(what));
  };
  constexpr std::string_view kSkipped = "skipped: ";
  for (const JournalRecord* record : run) {
    if (record->kind == RecordKind::node_excluded) {
      tell(fmt::format("{}: excluded by the operator", record->node.value()));
    }
    const bool verdict =
        record->kind == RecordKind::observed && record->key.starts_with(kVerdictKey);
    if (verdict && record->value.starts_with(kSkipped)) {
      tell(fmt::format("{}: {}", record->key.substr(kVerdictKey.size()),
                       record->value.substr(kSkipped.size())));
    }
  }
}

void add_findings(Lines& lines, const JournalRun& run) {
  bool told = false;
  for (const JournalRecord* record : run) {
    if (record->kind != RecordKind::observed || !record->key.starts_with(kFindingKey)) continue;
    if (!std::exchange(told, true)) add_section(lines, "Findings");
    const Finding finding = finding_in(*record);
    const std::string& node = finding.node.value();
    lines.push_back(fmt::format("- {} {}{}: {}", name_of(finding.severity), plain(finding.id),
                                node.empty() ? "" : " of " + plain(node), plain(finding.what)));
  }
}

void add_steps(Lines& lines, const JournalRun& run) {
  bool told = false;
  for (const JournalRecord* record : run) {
    if (!is_step(*record)) continue;
    if (!std::exchange(told, true)) {
      add_section(lines, "Steps");
      lines.emplace_back("| step | node | result | took | retries | ended at |");
      lines.emplace_back("|---|---|---|---|---|---|");
    }
    const StepFact fact = step_in(*record);
    const std::string& node = record->node.value();
    lines.push_back(fmt::format("| {} | {} | {} | {} | {} | +{} |", plain(fact.step),
                                node.empty() ? "cluster" : plain(node), plain(fact.end),
                                to_text(fact.took), fact.retries,
                                spent_text(run.front()->wall_ms, record->wall_ms)));
  }
}

void add_timeline(Lines& lines, const JournalRun& run) {
  add_section(lines, "Timeline");
  const int width = node_width(run);
  for (const JournalRecord* record : run) {
    const std::string text = record_text(run, *record);
    if (text.empty()) continue;
    lines.push_back(fmt::format("    {:>7}  {}  {}",
                                "+" + spent_text(run.front()->wall_ms, record->wall_ms),
                                fit(clean(record->node.value()), width), clean(text)));
  }
}

void add_run(Lines& lines, const History& history, const JournalRun& run, const RunEntry& entry) {
  lines.emplace_back();
  lines.push_back(fmt::format("## Run {}, {}", entry.number, utc_text(entry.began_ms)));
  lines.emplace_back();
  lines.push_back(fmt::format("{}. It took {} and intended {} {}.", plain(verdict_text(run)),
                              spent_text(0, entry.took_ms), entry.mutations,
                              entry.mutations == 1 ? "change" : "changes"));
  add_facts(lines, history, run, entry);
  add_detector(lines, run);
  add_skipped(lines, run);
  add_findings(lines, run);
  add_steps(lines, run);
  add_timeline(lines, run);
}

}  // namespace

std::vector<std::string> report_lines(const History& history) {
  Lines lines{"# Report of " + plain(history.cluster)};
  if (history.records.empty()) lines.emplace_back("\nNothing has been done yet.");
  const std::vector<JournalRun> runs = runs_of(history.records);
  const std::vector<RunEntry> entries = run_entries(runs);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (!history.run.empty() && history.run != entries[i].id) continue;
    add_run(lines, history, runs[i], entries[i]);
  }
  return lines;
}

}  // namespace ichor
