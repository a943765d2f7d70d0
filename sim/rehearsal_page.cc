#include "sim/rehearsal_page.h"

#include <algorithm>
#include <fmt/format.h>

#include "sim/faults/fault.h"
#include "view/html_page.h"

namespace ichor {

namespace {

using sim::RehearsalEnd;

constexpr std::size_t kBars = 40;
constexpr std::size_t kSeedsMax = 200;

std::uint64_t count(const sim::RehearsalFigures& figures, RehearsalEnd end) {
  const auto found = figures.ends.find(end);
  return found == figures.ends.end() ? 0 : found->second;
}

std::string_view verdict_class(const sim::RehearsalFigures& figures) {
  if (count(figures, RehearsalEnd::wrong) + count(figures, RehearsalEnd::late) > 0) return "bad";
  return count(figures, RehearsalEnd::stopped) > 0 ? "open" : "good";
}

/// How many seeds were ready after how long.
std::string histogram(const sim::RehearsalReport& report) {
  const auto& max = report.figures.max;
  if (!max || max->count() == 0) return {};
  std::vector<std::size_t> bars(kBars);
  for (const sim::RehearsedSeed& seed : report.seeds) {
    if (seed.end != RehearsalEnd::ready) continue;
    const double part = static_cast<double>(seed.ready_after.count()) /
                        static_cast<double>(max->count()) * static_cast<double>(kBars);
    ++bars[std::min(static_cast<std::size_t>(part), kBars - 1)];
  }
  const std::size_t highest = *std::max_element(bars.begin(), bars.end());
  std::string out = fmt::format(
      "<h2>Time until the cluster is ready</h2>\n<div class=\"scroll\"><svg viewBox=\"0 0 1000 "
      "190\" role=\"img\" aria-label=\"Number of seeds by the time until they were ready, up to "
      "{}\">\n<line class=\"rule\" x1=\"0\" x2=\"1000\" y1=\"160\" y2=\"160\"/>\n",
      time_text(max));
  for (std::size_t i = 0; i < kBars; ++i) {
    if (bars[i] == 0) continue;
    const double height = 150.0 * static_cast<double>(bars[i]) / static_cast<double>(highest);
    out += fmt::format(
        "<rect class=\"done\" x=\"{}\" y=\"{:.1f}\" width=\"23\" height=\"{:.1f}\" rx=\"2\">"
        "<title>{} seeds</title></rect>\n",
        i * 25, 160 - height, height, bars[i]);
  }
  for (std::size_t quarter = 0; quarter <= 4; ++quarter) {
    out += fmt::format("<text class=\"tick\" x=\"{}\" y=\"180\" text-anchor=\"{}\">{}</text>\n",
                       quarter * 250,
                       quarter == 0   ? "start"
                       : quarter == 4 ? "end"
                                      : "middle",
                       quarter == 0 ? "0s" : to_text(*max / 4 * static_cast<int>(quarter)));
  }
  return out + "</svg></div>\n";
}

std::string steps_table(const sim::RehearsalReport& report) {
  std::string rows;
  for (std::size_t i = 0; i < report.steps.size(); ++i) {
    const sim::StepFigures& step = report.steps[i];
    const bool weakest = report.weakest == i;
    rows += fmt::format(
        "<tr><td{}>{}</td><td class=\"time\">{}</td><td class=\"time\">{}</td><td>{}</td>"
        "<td>{}</td><td>{}</td></tr>\n",
        weakest ? " class=\"refused\"" : "", html_text(step.name), to_text(step.typical),
        to_text(step.p95), percent_text(step.share), step.ended_here, step.out_of_time);
  }
  return "<h2>Steps</h2>\n<p class=\"soft\">Every moment counts for the step that the cluster "
         "waits for.</p>\n<div class=\"scroll\"><table><thead><tr><th>step</th><th>usually</th>"
         "<th>p95</th><th>share of the time lost</th><th>seeds that ended here</th><th>runs out of "
         "time</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string trials_table(const sim::RehearsalReport& report) {
  std::string rows;
  for (const sim::SettingTrial& trial : report.trials) {
    rows += fmt::format(
        "<tr><td class=\"{}\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td "
        "class=\"time\">{}</td><td class=\"time\">{}</td></tr>\n",
        trial.helps ? "done" : "", trial.helps ? "helps" : "no", html_text(trial.setting),
        html_text(trial.now), html_text(trial.tried), percent_text(trial.figures.success_rate()),
        time_text(trial.figures.p50), time_text(trial.figures.p95));
  }
  if (rows.empty()) return {};
  return "<h2>Settings</h2>\n<p class=\"soft\">The same seeds with one setting of the profile "
         "changed.</p>\n<div class=\"scroll\"><table><thead><tr><th></th><th>setting</th><th>now"
         "</th><th>tried</th><th>ready</th><th>p50</th><th>p95</th></tr></thead><tbody>\n" +
         rows + "</tbody></table></div>\n";
}

std::string seeds_table(const sim::RehearsalReport& report) {
  std::string rows;
  std::size_t left = kSeedsMax;
  for (const sim::RehearsedSeed& seed : report.seeds) {
    if (seed.end == RehearsalEnd::ready || left == 0) continue;
    --left;
    std::string faults;
    for (const std::size_t fault : seed.faults) {
      faults += fmt::format("{}{}", faults.empty() ? "" : ", ", sim::fault_catalogue()[fault].name);
    }
    rows += fmt::format("<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
                        seed.seed, name_of(seed.end),
                        html_text(seed.ended_in ? report.steps[*seed.ended_in].name : ""),
                        html_text(faults), html_text(seed.verdict));
  }
  if (rows.empty()) return {};
  return "<h2>Seeds that did not become ready</h2>\n<div class=\"scroll\"><table><thead><tr>"
         "<th>seed</th><th>end</th><th>step</th><th>faults</th><th>verdict</th></tr></thead>"
         "<tbody>\n" +
         rows + "</tbody></table></div>\n";
}

}  // namespace

std::string percent_text(double part) { return fmt::format("{:.1f}%", 100.0 * part); }

std::string time_text(const std::optional<Duration>& time) {
  // The parts of a second are chance.
  return time ? to_text(std::chrono::duration_cast<std::chrono::seconds>(*time)) : "-";
}

std::string ends_text(const sim::RehearsalFigures& figures) {
  std::string text = fmt::format("{} ready", count(figures, RehearsalEnd::ready));
  const auto add = [&](RehearsalEnd end, std::string_view words) {
    if (count(figures, end) > 0) text += fmt::format(", {} {}", count(figures, end), words);
  };
  add(RehearsalEnd::stopped, "stopped by a fault that never ends by itself, and named it");
  add(RehearsalEnd::late, "not ready within the limits of the profile");
  add(RehearsalEnd::wrong, "WRONG");
  return text;
}

std::string rehearsal_page(const RehearsalTitle& title, const sim::RehearsalReport& report) {
  const sim::RehearsalFigures& figures = report.figures;
  std::string body = fmt::format(
      "<p class=\"soft\">{}. {} bring-ups in the simulator, written by ichor; nothing was sent to "
      "a "
      "machine, and the page contains no secrets.</p>\n<p class=\"verdict {}\">{}: {}. Ready after "
      "{} (p50), {} (p95), {} (max); {} seeds by the first run.</p>\n",
      html_text(title.about), figures.seeds, verdict_class(figures),
      percent_text(figures.success_rate()), ends_text(figures), time_text(figures.p50),
      time_text(figures.p95), time_text(figures.max), figures.at_once);
  body += histogram(report) + steps_table(report) + trials_table(report) + seeds_table(report);
  return html_page(fmt::format("ichor rehearse: {}", title.cluster),
                   fmt::format("Rehearsal of {}", title.cluster), body);
}

}  // namespace ichor
