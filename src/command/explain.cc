#include "command/explain.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>

#include "cli/help.h"
#include "cli/help_text.h"
#include "cli/nearest.h"
#include "command/commands.h"
#include "doctor/explain.h"
#include "model/or_end.h"
#include "run/finish.h"

namespace ichor {

namespace {

using Json = nlohmann::ordered_json;

/// The rule with this ID, or the one whose findings are called so.
const LintRule* find_rule(const std::string& id) {
  const auto rules = lint_rules();
  const auto found =
      std::find_if(rules.begin(), rules.end(), [&](const LintRule& rule) { return rule.id == id; });
  return found == rules.end() ? rule_of(id) : &*found;
}

Json row_of(const LintRule& rule, std::string_view page) {
  Json row;
  row["kind"] = "lint rule";
  row["id"] = rule.id;
  row["title"] = rule.title;
  row["cause"] = rule.reason;
  row["page"] = rule.page();
  row["text"] = page;
  return row;
}

std::vector<std::string> lines_of(const LintRule& rule, std::string_view page) {
  std::vector<std::string> lines{fmt::format("{}, lint rule: {}", rule.id, rule.title)};
  std::vector<std::string> reason = wrapped(rule.reason, "            ");
  reason.front().replace(0, 12, "  cause     ");
  std::move(reason.begin(), reason.end(), std::back_inserter(lines));
  lines.push_back(fmt::format("  see       {}", rule.page()));
  // The heading of the page says the title once more.
  page.remove_prefix(std::min(page.size(), page.find('\n') + 1));
  const std::string text = help_text(page);
  for (const std::string_view line : text_lines(text)) lines.emplace_back(line);
  while (lines.back().empty()) lines.pop_back();
  return lines;
}

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return text;
}

/// The number behind the letter of an ID; nothing if the text is not an ID.
std::optional<int> number_in(const std::string& id) {
  int number = 0;
  const char* const end = id.data() + id.size();
  if (id.size() < 2) return std::nullopt;
  const auto [read, error] = std::from_chars(id.data() + 1, end, number);
  return error == std::errc() && read == end ? std::optional(number) : std::nullopt;
}

void add(Explained& all, const std::vector<std::string>& lines, Json row, std::string_view title) {
  if (!all.lines.empty()) all.lines.emplace_back();
  all.lines.insert(all.lines.end(), lines.begin(), lines.end());
  all.rows.push_back(std::move(row));
  if (all.title.empty()) all.title = title;
}

}  // namespace

std::vector<std::string> all_ids() {
  std::vector<std::string> ids;
  for (const Fault& fault : faults()) ids.emplace_back(fault.id);
  for (const Invariant& invariant : invariants()) ids.emplace_back(invariant.id);
  for (const LintRule& rule : lint_rules()) ids.emplace_back(rule.id);
  return ids;
}

std::optional<Explained> explain_id(const std::string& typed) {
  const std::string id = number_in(typed) ? upper(typed) : typed;
  Explained all;
  if (const Fault* fault = find_fault(id)) {
    Json row;
    row["kind"] = "fault";
    row.update(row_of(*fault));
    add(all, explain(*fault), std::move(row), fault->title);
  }
  if (const Invariant* invariant = find_invariant(id)) {
    Json row;
    row["kind"] = "invariant";
    row["id"] = invariant->id;
    row["title"] = invariant->title;
    row["promise"] = invariant->promise;
    add(all, explain(*invariant), std::move(row), invariant->title);
  }
  if (const LintRule* rule = find_rule(id)) {
    const std::string_view page = help_page(fmt::format("lint/{}", rule->id));
    add(all, lines_of(*rule, page), row_of(*rule, page), rule->title);
  }
  if (all.rows.empty()) return std::nullopt;
  return all;
}

std::string nearest_id(const std::string& typed) {
  const std::string id = upper(typed);
  const auto number = number_in(id);
  std::string best;
  int best_distance = 0;
  for (const std::string& known : all_ids()) {
    if (!number || known.front() != id.front()) continue;
    const int distance = std::abs(number_in(known).value_or(0) - *number);
    if (!best.empty() && distance >= best_distance) continue;
    best = known;
    best_distance = distance;
  }
  return best.empty() ? nearest(id, all_ids()) : best;
}

Exit tell(std::vector<Json> rows, const std::vector<std::string>& lines, std::string verdict,
          const CommonOptions& common, Host& host) {
  if (for_programs(common.output)) {
    host.terminal.display().show(Listing{"fault", {}, std::move(rows)});
    return finish(end_with(Exit::done, std::move(verdict)).value(), host.terminal);
  }
  for (const std::string& line : lines) host.terminal.out() << line << "\n";
  return Exit::done;
}

Exit run(const ExplainRequest& request, const CommonOptions& common, Host& host) {
  auto explained = explain_id(request.id);
  if (explained) {
    return tell(std::move(explained->rows), explained->lines, std::move(explained->title), common,
                host);
  }
  const std::string near = nearest_id(request.id);
  const std::string hint = near.empty()
                               ? "`ichor doctor --all` lists the faults"
                               : fmt::format("did you mean {0}? `ichor explain {0}`", near);
  return finish(end_with(Exit::usage, fmt::format("no fault and no lint rule has the ID {}; {}",
                                                  request.id, hint))
                    .value(),
                host.terminal);
}

}  // namespace ichor
