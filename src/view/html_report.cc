#include "view/html_report.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "model/journal_facts.h"
#include "view/html_page.h"
#include "view/journal_runs.h"

namespace ichor {

namespace {

/// Rows of the timeline; a page with a thousand of them shows nothing.
constexpr std::size_t kRowsMax = 200;
constexpr int kRowHeight = 22;
constexpr int kNameWidth = 150;
constexpr int kWidth = 1000;

std::string_view class_of(const JournalRecord* outcome) {
  return outcome ? name_of(outcome->outcome) : "unknown";
}

std::string who(const JournalRecord& record) {
  return record.node.value().empty() ? "cluster" : record.node.value();
}

/// A step of the axis of which at most eight fit.
std::int64_t tick_ms(std::int64_t length_ms) {
  constexpr std::array<std::int64_t, 14> steps{1,   2,   5,   10,   15,   30,    60,
                                               120, 300, 600, 1800, 3600, 14400, 86400};
  for (const std::int64_t seconds : steps) {
    if (length_ms / (seconds * 1000) <= 8) return seconds * 1000;
  }
  return steps.back() * 1000 * (1 + length_ms / (8 * steps.back() * 1000));
}

class Timeline {
 public:
  explicit Timeline(const JournalRun& run)
      : run_(run),
        begin_(run.front()->wall_ms),
        length_(std::max<std::int64_t>(run.back()->wall_ms - begin_, 1)) {
    for (const JournalRecord* record : run) {
      if (record_text(run, *record).empty()) continue;
      if (std::ranges::count(rows_, who(*record)) == 0) rows_.push_back(who(*record));
    }
    std::ranges::sort(rows_, {},
                      [](const std::string& row) { return std::pair(row != "cluster", row); });
    hidden_ = rows_.size() - std::min(rows_.size(), kRowsMax);
    rows_.resize(rows_.size() - hidden_);
  }

  std::string svg() const {
    if (rows_.empty()) return {};
    const int height = static_cast<int>(rows_.size()) * kRowHeight + 30;
    std::string out = fmt::format(
        "<div class=\"scroll\"><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"Timeline of "
        "the "
        "run: {} rows, {}\">\n",
        kWidth, height, rows_.size(), spent_text(0, length_));
    for (std::int64_t at = 0; at <= length_; at += tick_ms(length_)) {
      out += fmt::format(
          "<line class=\"rule\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1}\"/>"
          "<text class=\"tick\" x=\"{0:.1f}\" y=\"{2}\">{3}</text>\n",
          x_of(begin_ + at), height - 22, height - 6, at == 0 ? "start" : spent_text(0, at));
    }
    for (std::size_t row = 0; row < rows_.size(); ++row) out += row_svg(row);
    out += "</svg></div>\n";
    if (hidden_ > 0) {
      out += fmt::format("<p class=\"soft\">{} more nodes are in the tables below.</p>\n", hidden_);
    }
    return out;
  }

 private:
  double x_of(std::int64_t wall_ms) const {
    const double part =
        static_cast<double>(std::clamp<std::int64_t>(wall_ms - begin_, 0, length_)) /
        static_cast<double>(length_);
    return kNameWidth + part * (kWidth - kNameWidth - 60);
  }

  std::string row_svg(std::size_t row) const {
    const int top = static_cast<int>(row) * kRowHeight;
    std::string out =
        fmt::format("<text x=\"0\" y=\"{}\">{}</text>\n", top + 15, html_text(rows_[row]));
    out += boot_svg(rows_[row], top);
    for (const JournalRecord* record : run_) {
      const std::string text = record_text(run_, *record);
      if (text.empty() || who(*record) != rows_[row]) continue;
      const double x = x_of(record->wall_ms);
      if (record->kind != RecordKind::intent) {
        out += fmt::format(
            "<circle class=\"fact\" cx=\"{:.1f}\" cy=\"{}\" r=\"3\"><title>{}</title></circle>\n",
            x, top + 11, html_text(text));
        continue;
      }
      const JournalRecord* outcome = outcome_of(run_, *record);
      const double end = outcome ? x_of(outcome->wall_ms) : x + 12;
      out += fmt::format(
          "<rect class=\"{}\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"12\" rx=\"2\">"
          "<title>{}</title></rect>\n",
          class_of(outcome), x, top + 5, std::max(end - x, 4.0), html_text(text));
    }
    return out;
  }

  /// From the config that a node accepted to the first sight of the node under it.
  std::string boot_svg(const std::string& node, int top) const {
    const JournalRecord* from = nullptr;
    for (const JournalRecord* record : run_) {
      if (who(*record) != node) continue;
      const bool accepted = record->kind == RecordKind::outcome &&
                            record->call == Call::apply_configuration &&
                            record->outcome == OutcomeKind::done;
      if (accepted && !from) from = record;
      const bool seen = record->kind == RecordKind::observed && record->key == kSettledKey;
      if (!seen || !from) continue;
      const double x = x_of(from->wall_ms);
      return fmt::format(
          "<rect class=\"boot\" x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"4\" rx=\"2\">"
          "<title>{}: installs and boots for {}</title></rect>\n",
          x, top + 9, x_of(record->wall_ms) - x, html_text(node),
          spent_text(from->wall_ms, record->wall_ms));
    }
    return {};
  }

  const JournalRun& run_;
  std::int64_t begin_;
  std::int64_t length_;
  std::vector<std::string> rows_;
  std::size_t hidden_{0};
};

constexpr std::string_view kLegend = R"html(<ul class="legend soft">
<li><span style="background: var(--good)"></span>change done</li>
<li><span style="background: var(--bad)"></span>change refused</li>
<li><span style="background: var(--open)"></span>outcome unknown</li>
<li><span style="background: var(--line)"></span>installs and boots</li>
<li><span style="background: var(--mark)"></span>fact in the journal</li>
</ul>
)html";

std::string_view class_of_run(const JournalRun& run) {
  const JournalRecord* ended = find_record(run, RecordKind::run_ended);
  if (!ended) return "open";
  return ended->key == "0" ? "good" : ended->key == "6" ? "open" : "bad";
}

std::string since(const JournalRun& run, const JournalRecord& record) {
  return "+" + spent_text(run.front()->wall_ms, record.wall_ms);
}

/// What each control plane said to the detector, and what followed from it.
std::string bootstrap_evidence(const JournalRun& run) {
  std::string out;
  for (const JournalRecord* record : run) {
    const bool evidence =
        record->kind == RecordKind::bootstrap_target ||
        (record->kind == RecordKind::observed && record->key.starts_with(kVerdictKey) &&
         record->key.find("bootstrap") != std::string::npos);
    if (!evidence) continue;
    out += fmt::format("<li><span class=\"soft\">{}</span> {}: {}</li>\n", since(run, *record),
                       html_text(who(*record)), html_text(record->value));
  }
  return out.empty() ? out : "<h3>Bootstrap of etcd</h3>\n<ul>\n" + out + "</ul>\n";
}

std::string changes_table(const JournalRun& run) {
  std::string rows;
  for (const JournalRecord* record : run) {
    if (record->kind != RecordKind::intent) continue;
    const JournalRecord* outcome = outcome_of(run, *record);
    rows += fmt::format(
        "<tr><td class=\"time\">{}</td><td>{}</td><td>{}</td><td class=\"{}\">{}</td><td>{}</td>"
        "<td>{}</td></tr>\n",
        since(run, *record), html_text(who(*record)), html_text(action_text(*record)),
        class_of(outcome), class_of(outcome),
        outcome ? spent_text(record->wall_ms, outcome->wall_ms) : "",
        html_text(outcome ? outcome->value : "the run ended before the answer"));
  }
  if (rows.empty()) return "<p class=\"soft\">This run changed nothing.</p>\n";
  return "<h3>Changes</h3>\n<div class=\"scroll\"><table><thead><tr><th>at</th><th>node</th>"
         "<th>change</th><th>outcome</th><th>took</th><th>answer</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string facts_table(const JournalRun& run) {
  std::string rows;
  for (const JournalRecord* record : run) {
    const std::string text = record_text(run, *record);
    if (text.empty() || record->kind == RecordKind::intent) continue;
    rows += fmt::format("<tr><td class=\"time\">{}</td><td>{}</td><td>{}</td></tr>\n",
                        since(run, *record), html_text(who(*record)), html_text(text));
  }
  if (rows.empty()) return {};
  return "<details><summary>Facts that decisions rest on</summary>\n<div class=\"scroll\"><table>"
         "<thead><tr><th>at</th><th>node</th><th>fact</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div></details>\n";
}

std::string run_section(const JournalRun& run, std::size_t number) {
  const std::int64_t began = run.front()->wall_ms;
  return fmt::format(
             "<section>\n<h2>Run {}, {}</h2>\n<p class=\"verdict {}\">{}</p>\n"
             "<p class=\"soft\">It took {}. Run id: {}</p>\n",
             number, utc_text(began), class_of_run(run), html_text(verdict_text(run)),
             spent_text(began, run.back()->wall_ms), html_text(run.front()->run.value())) +
         Timeline(run).svg() + std::string(kLegend) + bootstrap_evidence(run) + changes_table(run) +
         facts_table(run) + "</section>\n";
}

}  // namespace

std::string html_report(std::string_view cluster, const std::vector<JournalRecord>& records,
                        std::string_view wanted) {
  const std::vector<JournalRun> runs = runs_of(records);
  std::string out;
  if (runs.empty()) {
    out += "<p>Nothing has been done yet.</p>\n";
  } else {
    out += fmt::format(
        "<p class=\"soft\">{} run{}, {} records, {} to {}. Written by ichor from the "
        "journal; it contains no secrets.</p>\n",
        runs.size(), runs.size() == 1 ? "" : "s", records.size(), utc_text(records.front().wall_ms),
        utc_text(records.back().wall_ms));
  }
  for (std::size_t number = runs.size(); number > 0; --number) {
    const bool asked = runs[number - 1].front()->run.value() == wanted;
    if (!wanted.empty() && !asked) continue;
    const std::string section = run_section(runs[number - 1], number);
    const bool newest = number == runs.size() || asked;
    out += newest ? section
                  : fmt::format("<details><summary>Run {}: {}</summary>\n{}</details>\n", number,
                                html_text(verdict_text(runs[number - 1])), section);
  }
  return html_page(fmt::format("ichor: {}", cluster), fmt::format("Cluster {}", cluster), out);
}

}  // namespace ichor
