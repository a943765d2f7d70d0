#include "serve/pages.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "base/clean_text.h"
#include "base/redact.h"
#include "model/run_record.h"
#include "view/cells.h"
#include "view/html_page.h"
#include "view/json_display.h"

namespace ichor {

namespace {

/// More rows than this are on the page of their own: the report of the run, `ichor history`.
constexpr std::size_t kRunsMax = 200;
constexpr std::size_t kEventsMax = 500;
constexpr std::size_t kBarsMax = 120;
constexpr int kNewestMax = 160;
constexpr std::int64_t kDayMs = 24LL * 3600 * 1000;

std::string shown(std::string_view hostile) { return html_text(redact_urls(std::string(hostile))); }

struct Verdict {
  std::string_view look;  // a class of the style: good, bad, open, live
  std::string word;
  std::string text;
};

std::string who(const JournalRecord& record) {
  return record.node.value().empty() ? "cluster" : record.node.value();
}

/// The newest change or step, for a run that has no verdict yet.
std::string newest_text(const JournalRun& run) {
  for (auto record = run.rbegin(); record != run.rend(); ++record) {
    const bool is_change =
        (*record)->kind == RecordKind::intent || (*record)->kind == RecordKind::outcome;
    if (!is_change && !is_step(**record)) continue;
    return cut(clean(who(**record) + ": " + live_text(run, **record)), kNewestMax);
  }
  return "started";
}

Verdict verdict_of(const ClusterRuns& runs, std::size_t number) {
  const RunEntry& entry = runs.entries()[number - 1];
  if (runs.running(number)) {
    return {"live", "in progress", newest_text(runs.runs()[number - 1])};
  }
  if (!entry.exit) return {"open", "no end", "did not end: its process is gone"};
  const std::string word = fmt::format("exit {}", *entry.exit);
  const std::string_view look = *entry.exit == 0 ? "good" : *entry.exit == 6 ? "open" : "bad";
  return {look, word, entry.verdict};
}

std::string chip(std::string_view look, std::string_view text) {
  return fmt::format("<span class=\"chip {}\">{}</span>", look, html_text(text));
}

std::string command_of(const RunEntry& entry) {
  return entry.command.empty() ? "a run" : "ichor " + entry.command;
}

std::string took_of(const ClusterRuns& runs, std::size_t number, WallTime now) {
  const RunEntry& entry = runs.entries()[number - 1];
  const std::int64_t until = runs.running(number) ? now.unix_ms : entry.began_ms + entry.took_ms;
  return spent_text(entry.began_ms, until);
}

std::string count_text(std::size_t count, std::string_view one) {
  return fmt::format("{} {}{}", count, one, count == 1 ? "" : "s");
}

/// The nodes as bars, in the colours of their stages.
std::string node_bars(const std::vector<NodeStage>& nodes) {
  std::size_t running = 0;
  std::string bars;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].stage == "running") ++running;
    if (i >= kBarsMax) continue;
    bars += fmt::format("<li class=\"{0}\" title=\"{1}: {0}\"></li>", nodes[i].stage,
                        html_text(nodes[i].node));
  }
  const std::string text =
      fmt::format("{} of {} running", running, count_text(nodes.size(), "node"));
  if (nodes.empty()) return "<p class=\"soft\">no nodes</p>\n";
  return fmt::format("<p class=\"soft\">{}</p>\n<ul class=\"nodes\" aria-hidden=\"true\">{}</ul>\n",
                     text, bars);
}

/// "expires in 12 days", and how bad that is.
std::pair<std::string_view, std::string> expiry_text(std::int64_t unix_ms, WallTime now) {
  const std::int64_t left = unix_ms - now.unix_ms;
  if (left < 0) return {"bad", fmt::format("expired {} days ago", -left / kDayMs)};
  return {left < 30 * kDayMs ? "open" : "good", fmt::format("expires in {} days", left / kDayMs)};
}

std::string cluster_card(const std::string& root, const ServedCluster& cluster, WallTime now) {
  const ClusterRuns runs(cluster);
  const std::size_t last = runs.entries().size();
  Verdict verdict{cluster.readable ? "" : "bad", cluster.readable ? "no run yet" : "unreadable",
                  cluster.trouble};
  std::string foot;
  if (last > 0) {
    verdict = verdict_of(runs, last);
    const RunEntry& entry = runs.entries().back();
    foot = fmt::format("<span>run {}: {}</span><span>{}</span><span>{} {}</span>", last,
                       shown(command_of(entry)), utc_text(entry.began_ms),
                       runs.running() ? "so far" : "took", took_of(runs, last, now));
  }
  std::string out =
      fmt::format("<a class=\"card\" href=\"{}{}\"><h2>{}{}</h2>\n", root, cluster_path(cluster),
                  html_text(cluster.name), chip(verdict.look, verdict.word));
  out += node_bars(node_stages(cluster));
  out += fmt::format("<p>{}</p>\n", shown(verdict.text));
  const auto first =
      std::ranges::min_element(cluster.certificates, {}, &ServedCluster::Expiry::unix_ms);
  if (first != cluster.certificates.end()) {
    foot += fmt::format("<span>{} {}</span>", html_text(first->certificate),
                        expiry_text(first->unix_ms, now).second);
  }
  return out + fmt::format("<p class=\"foot\"><span>{}</span>{}</p></a>\n",
                           html_text(cluster.profile), foot);
}

/// A table that can be scrolled, also with the keyboard.
std::string table(std::string_view label, std::string_view head, const std::string& rows) {
  return fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table><thead>"
      "<tr>{1}</tr></thead><tbody id=\"{0}\">\n{2}</tbody></table></div>\n",
      label, head, rows);
}

/// The last step of each node, whichever run it was in.
std::map<std::string, std::string> last_steps(const ClusterRuns& runs) {
  std::map<std::string, std::string> steps;
  for (const JournalRun& run : runs.runs()) {
    for (const JournalRecord* record : run) {
      if (is_step(*record)) steps[record->node.value()] = record_text(run, *record);
    }
  }
  return steps;
}

std::string nodes_table(const ServedCluster& cluster, const ClusterRuns& runs) {
  std::string rows;
  std::map<std::string, std::string> steps = last_steps(runs);
  for (const NodeStage& node : node_stages(cluster)) {
    rows += fmt::format(
        "<tr><td class=\"node\">{0}</td><td class=\"stage {1}\">{1}</td><td "
        "class=\"wide\">{2}</td></tr>\n",
        html_text(node.node), node.stage, shown(steps[node.node]));
  }
  if (rows.empty()) return "<p class=\"soft\">No node is known.</p>\n";
  return table("nodes", "<th>node</th><th>stage</th><th>last step</th>", rows);
}

std::string runs_table(const std::string& root, const ServedCluster& cluster,
                       const ClusterRuns& runs, WallTime now) {
  std::string rows;
  const std::size_t count = runs.entries().size();
  for (std::size_t number = count; number > count - std::min(count, kRunsMax); --number) {
    const RunEntry& entry = runs.entries()[number - 1];
    const Verdict verdict = verdict_of(runs, number);
    rows += fmt::format(
        "<tr><td class=\"number\"><a href=\"{}{}\">{}</a></td><td>{}</td><td>{}</td>"
        "<td class=\"time\">{}</td><td class=\"number\">{}</td><td class=\"number\">{}</td>"
        "<td class=\"wide\">{}</td></tr>\n",
        root, run_path(cluster, number), number, chip(verdict.look, verdict.word),
        shown(command_of(entry)), utc_text(entry.began_ms), took_of(runs, number, now),
        entry.mutations, shown(verdict.text));
  }
  if (rows.empty()) return "<p class=\"soft\">No run has worked on this cluster yet.</p>\n";
  std::string out =
      table("runs",
            "<th class=\"number\">run</th><th>result</th><th>command</th><th>started</th>"
            "<th class=\"number\">took</th><th class=\"number\">changes</th><th>verdict</th>",
            rows);
  if (count > kRunsMax) {
    out += fmt::format("<p class=\"soft\">{} older runs: <code>ichor history</code></p>\n",
                       count - kRunsMax);
  }
  return out;
}

std::string certificates_table(const ServedCluster& cluster, WallTime now) {
  std::string rows;
  for (const ServedCluster::Expiry& one : cluster.certificates) {
    const auto [look, text] = expiry_text(one.unix_ms, now);
    rows += fmt::format("<tr><td>{}</td><td class=\"time\">{}</td><td>{}</td></tr>\n",
                        html_text(one.certificate), utc_text(one.unix_ms).substr(0, 10),
                        chip(look, text));
  }
  if (rows.empty()) return {};
  return "<h2>Certificates</h2>\n" +
         table("certificates", "<th>certificate</th><th>until</th><th>left</th>", rows);
}

std::string verdict_box(const Verdict& verdict, std::string_view html) {
  return fmt::format("<p class=\"verdict {}\">{}</p>\n", verdict.look, html);
}

std::string steps_table(const JournalRun& run) {
  std::string rows;
  for (const JournalRecord* record : run) {
    if (!is_step(*record)) continue;
    const StepFact fact = step_in(*record);
    rows += fmt::format(
        "<tr><td class=\"node\">{}</td><td>{}</td><td class=\"{}\">{}</td>"
        "<td class=\"number\">{}</td><td class=\"number\">{}</td></tr>\n",
        html_text(who(*record)), shown(fact.step), fact.end == "done" ? "done" : "refused",
        shown(fact.end), to_text(fact.took), fact.retries);
  }
  if (rows.empty()) return {};
  return fmt::format("<details open><summary>Steps</summary>\n{}</details>\n",
                     table("steps",
                           "<th>node</th><th>step</th><th>result</th><th class=\"number\">took</th>"
                           "<th class=\"number\">retries</th>",
                           rows));
}

std::string events_table(const JournalRun& run) {
  std::string rows;
  std::size_t count = 0;
  for (auto record = run.rbegin(); record != run.rend() && count < kEventsMax; ++record) {
    const std::string text = live_text(run, **record);
    if (text.empty()) continue;
    ++count;
    const bool is_outcome = (*record)->kind == RecordKind::outcome;
    rows += fmt::format(
        "<tr data-seq=\"{}\"><td class=\"time\">+{}</td><td class=\"node\">{}</td>"
        "<td class=\"{} wide\">{}</td></tr>\n",
        (*record)->seq, spent_text(run.front()->wall_ms, (*record)->wall_ms),
        html_text(who(**record)), is_outcome ? name_of((*record)->outcome) : "fact", shown(text));
  }
  std::string out =
      "<h2>Events</h2>\n" + table("events", "<th>at</th><th>node</th><th>event</th>", rows);
  if (count == kEventsMax) out += "<p class=\"soft\">The report has the earlier ones.</p>\n";
  return out;
}

std::string fact(std::string_view name, const std::string& html) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", name, html);
}

}  // namespace

std::string cluster_path(const ServedCluster& cluster) {
  return "clusters/" + url_part(cluster.name) + "/";
}

std::string run_path(const ServedCluster& cluster, std::size_t number) {
  return fmt::format("{}runs/{}", cluster_path(cluster), number);
}

PageReply clusters_page(const std::string& root, const std::vector<ServedCluster>& clusters,
                        WallTime now) {
  std::string body;
  std::size_t running = 0;
  for (const ServedCluster& cluster : clusters) {
    if (ClusterRuns(cluster).running()) ++running;
    body += cluster_card(root, cluster, now);
  }
  const std::string summary =
      running == 0 ? "no run in progress" : count_text(running, "run") + " in progress";
  PageFrame frame{root, "ichor: clusters", "Clusters"};
  frame.stream = "events";
  frame.moves = running > 0;
  return framed(frame,
                fmt::format("<p class=\"soft\">{}, {}</p>\n<div class=\"cards\">\n{}</div>\n"
                            "<p class=\"soft\">Metrics for Prometheus: <a href=\"{}metrics\">"
                            "metrics</a>. Nodes are shown as the journal knows them; "
                            "<code>ichor status</code> asks them.</p>\n",
                            count_text(clusters.size(), "cluster"), summary, body, root));
}

PageReply cluster_page(const std::string& root, const ServedCluster& cluster, WallTime now) {
  const ClusterRuns runs(cluster);
  const std::size_t last = runs.entries().size();
  std::string body = fmt::format("<p class=\"soft\">{}</p>\n", html_text(cluster.profile));
  if (last > 0) {
    const Verdict verdict = verdict_of(runs, last);
    body += verdict_box(
        verdict, fmt::format("{} <a href=\"{}{}\">Run {}</a>: {}", chip(verdict.look, verdict.word),
                             root, run_path(cluster, last), last, shown(verdict.text)));
  }
  if (!cluster.trouble.empty()) {
    body += verdict_box({cluster.readable ? "open" : "bad", "", ""}, shown(cluster.trouble));
  }
  body += "<h2>Nodes</h2>\n" + nodes_table(cluster, runs);
  body += "<h2>Runs</h2>\n" + runs_table(root, cluster, runs, now);
  body += certificates_table(cluster, now);
  PageFrame frame{root, "ichor: " + cluster.name, "Cluster " + cluster.name};
  frame.crumbs = {{cluster_path(cluster), cluster.name}};
  frame.stream = cluster_path(cluster) + "events";
  frame.moves = runs.running();
  return framed(frame, body);
}

PageReply run_page(const std::string& root, const ServedCluster& cluster, std::size_t number,
                   WallTime now) {
  const ClusterRuns runs(cluster);
  const JournalRun& run = runs.runs()[number - 1];
  const RunEntry& entry = runs.entries()[number - 1];
  const Verdict verdict = verdict_of(runs, number);
  std::string body =
      verdict_box(verdict, chip(verdict.look, verdict.word) + " " + shown(verdict.text));
  body += "<dl>";
  body += fact("command", "<code>" + shown(command_of(entry)) + "</code>");
  body += fact("started", utc_text(entry.began_ms));
  body += fact(runs.running(number) ? "so far" : "took", took_of(runs, number, now));
  body += fact("changes", fmt::to_string(entry.mutations));
  const std::string versions = observed_value(run, kVersionsKey);
  if (!versions.empty()) body += fact("versions", shown(versions));
  const std::string members = observed_value(run, kMembersKey);
  if (!members.empty()) body += fact("etcd members", shown(members));
  body += "</dl>\n";
  const std::string path = run_path(cluster, number);
  body += fmt::format(
      "<p class=\"actions\"><a href=\"{}{}/report\">Report with the timeline of every "
      "node</a></p>\n",
      root, path);
  body += steps_table(run) + events_table(run);
  PageFrame frame{root, fmt::format("ichor: {} run {}", cluster.name, number),
                  fmt::format("Run {} of {}", number, cluster.name)};
  frame.crumbs = {{cluster_path(cluster), cluster.name}, {path, fmt::format("run {}", number)}};
  if (runs.running(number)) frame.stream = fmt::format("{}/events?after={}", path, run.back()->seq);
  frame.moves = runs.running(number);
  return framed(frame, body);
}

std::string event_line(const JournalRun& run, const JournalRecord& record) {
  nlohmann::ordered_json line = record_json(record);
  line["since"] = "+" + spent_text(run.front()->wall_ms, record.wall_ms);
  line["text"] = clean_text(redact_urls(live_text(run, record)));
  if (line.contains("node")) line["node"] = clean_text(record.node.value());
  return line.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace ichor
