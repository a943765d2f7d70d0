#include "view/summary_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "view/cells.h"

namespace ichor {

namespace {

std::string cell_text(const nlohmann::ordered_json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return clean(value.get_ref<const std::string&>());
  if (value.is_array()) {
    std::string joined;
    for (const auto& part : value) {
      if (!joined.empty()) joined += ',';
      joined += cell_text(part);
    }
    return joined;
  }
  return clean(value.dump());
}

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(lines));
}

std::vector<std::string> node_lines(const RunResult& result, const ClusterProfile* profile,
                                    bool wide) {
  Listing nodes;
  nodes.columns = {{"node", "NODE"},       {"role", "ROLE"},         {"address", "ADDRESS"},
                   {"stage", "STAGE"},     {"phase", "PHASE", true}, {"result", "RESULT"},
                   {"retries", "RETRIES"}, {"reason", "REASON"}};
  for (const NodeResult& node : result.nodes) {
    const NodePlan* plan = profile ? profile->find(node.node) : nullptr;
    nlohmann::ordered_json row;
    row["node"] = node.node.value();
    if (plan) {
      row["role"] = name_of(plan->role);
      row["address"] = plan->address.value();
    }
    row["stage"] = node.stage == Stage::unknown ? "-" : name_of(node.stage);
    row["phase"] = node.phase;
    row["result"] = name_of(node.end);
    row["retries"] = node.retries;
    row["reason"] = node.reason;
    nodes.rows.push_back(std::move(row));
  }
  return table_lines(nodes, wide);
}

/// Rows of the fault catalogue: a letter and a number. Lint rules are called otherwise and name
/// pages of their own.
bool is_row(std::string_view id) {
  return id.size() > 1 && id.front() >= 'A' && id.front() <= 'Z' &&
         id.find_first_not_of("0123456789", 1) == std::string_view::npos;
}

/// Which rows to read about; empty if no finding has one.
std::string doctor_line(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) {
    const bool told = std::find(ids.begin(), ids.end(), finding.id) != ids.end();
    if (is_row(finding.id) && !told) ids.push_back(finding.id);
  }
  return ids.empty() ? "" : fmt::format("  see ichor doctor {}", fmt::join(ids, ", ichor doctor "));
}

std::string whole_seconds(Duration time) {
  return time < std::chrono::seconds(1) ? "<1s"
                                        : to_text(std::chrono::floor<std::chrono::seconds>(time));
}

/// "  steps        configs 2m02s, etcd 25s; 2m59s of 7m00s": what took how long, beside the
/// objective.
std::string steps_line(const Board& board, const RunResult& result) {
  std::string steps;
  for (const BoardStep& step : board.steps()) {
    steps += fmt::format("{}{} {}", steps.empty() ? "" : ", ", step_title(step.phase),
                         whole_seconds(step.took));
  }
  const bool judged = result.exit == Exit::done && board.objective() > Duration::zero();
  if (judged) {
    steps += fmt::format("; objective {} {}", to_text(board.objective()),
                         result.elapsed <= board.objective() ? "met" : "missed");
  }
  return fmt::format("  {:<12} {}", "steps", steps);
}

/// A verdict that lists things has several lines.
std::vector<std::string> verdict_lines(const Summary& summary) {
  const RunResult& result = summary.result;
  std::string facts;
  if (!result.nodes.empty()) {
    facts = fmt::format(" ({} nodes, {} {}, {})", result.nodes.size(), result.mutations,
                        result.mutations == 1 ? "change" : "changes", to_text(result.elapsed));
  }
  std::vector<std::string> lines;
  std::string_view rest = result.verdict;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(clean(std::string(rest.substr(0, end))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!lines.empty()) lines.back() += facts;
  return lines;
}

}  // namespace

std::string_view name_of(StepEnd end) {
  switch (end) {
    case StepEnd::passed: return "passed";
    case StepEnd::failed: return "failed";
    case StepEnd::out_of_time: return "out of time";
    case StepEnd::unsafe: return "unsafe";
    case StepEnd::cancelled: return "cancelled";
    case StepEnd::blocked: return "blocked";
    case StepEnd::cni_pending: return "CNI pending";
    case StepEnd::missing_tool: return "missing tool";
  }
  return "?";
}

std::vector<std::string> table_lines(const Listing& listing, bool wide) {
  std::vector<Listing::Column> columns;
  for (const Listing::Column& column : listing.columns) {
    if (wide || !column.wide) columns.push_back(column);
  }
  std::vector<std::vector<std::string>> cells(1);
  for (const Listing::Column& column : columns) cells[0].push_back(column.title);
  for (const nlohmann::ordered_json& row : listing.rows) {
    std::vector<std::string>& texts = cells.emplace_back();
    for (const Listing::Column& column : columns) {
      const auto found = row.find(column.key);
      texts.push_back(found == row.end() ? std::string() : cell_text(*found));
    }
  }
  std::vector<int> widths(columns.size(), 0);
  for (const std::vector<std::string>& row : cells) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], cell_count(row[i]));
  }
  std::vector<std::string> lines;
  for (const std::vector<std::string>& row : cells) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += fit(row[i], widths[i]) + "  ";
    while (line.ends_with(' ')) line.pop_back();
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> finding_lines(const Finding& finding) {
  std::string head = fmt::format("{} {}", name_of(finding.severity), finding.id);
  if (!finding.where.empty()) head += " " + finding.where;
  if (!finding.node.value().empty()) head += fmt::format(" ({})", finding.node.value());
  // What follows the first line is the place in the file.
  std::string_view rest = finding.what;
  const std::size_t first = std::min(rest.find('\n'), rest.size());
  std::vector<std::string> lines{clean(fmt::format("{}: {}", head, rest.substr(0, first)))};
  rest.remove_prefix(std::min(first + 1, rest.size()));
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    lines.push_back(clean(std::string(rest.substr(0, end))));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (!finding.why.empty()) lines.push_back(clean("    why: " + finding.why));
  if (!finding.fix.empty()) lines.push_back(clean("    fix: " + finding.fix));
  if (!finding.page.empty()) lines.push_back(clean("    see " + finding.page));
  return lines;
}

std::vector<std::string> summary_lines(const Summary& summary, const ClusterProfile* profile,
                                       Detail detail, const Board* board) {
  const RunResult& result = summary.result;
  std::vector<std::string> lines;
  if (!result.nodes.empty()) append(lines, node_lines(result, profile, detail == Detail::wide));
  for (const Finding& finding : result.findings) append(lines, finding_lines(finding));
  append(lines, verdict_lines(summary));
  if (board && detail != Detail::quiet && !board->steps().empty()) {
    lines.push_back(steps_line(*board, result));
  }
  for (const auto& [what, where] : summary.written) {
    if (detail == Detail::quiet) break;
    lines.push_back(clean(fmt::format("  {:<12} {}", what, where)));
  }
  for (const std::string& step : summary.next) lines.push_back(clean("  next: " + step));
  if (std::string doctor = doctor_line(result.findings); !doctor.empty()) {
    lines.push_back(std::move(doctor));
  }
  return lines;
}

}  // namespace ichor
