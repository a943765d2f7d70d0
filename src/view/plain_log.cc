#include "view/plain_log.h"

#include <algorithm>
#include <fmt/format.h>

#include "view/board.h"
#include "view/cells.h"

namespace ichor {

namespace {

/// A shorter wait explains itself by what follows it.
constexpr Duration kLasting = std::chrono::seconds(20);
/// So long a node that installs and reboots keeps silent.
constexpr Duration kUsualSilence = std::chrono::minutes(3);
constexpr std::size_t kNamesMax = 6;

std::string elapsed(Duration time) {
  const auto seconds =
      std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count(), 0);
  if (seconds < 60) return fmt::format("{}s", seconds);
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

/// Reasons begin with the name of the node that they are about.
std::string without_name(const std::string& text, const std::string& name) {
  if (name.empty() || !text.starts_with(name)) return text;
  std::size_t at = name.size();
  while (at < text.size() && (text[at] == ':' || text[at] == ' ')) ++at;
  return at == name.size() ? text : text.substr(at);
}

/// The same for all nodes: without the address that was dialled, "(192.168.22.101:50000)".
std::string without_address(const std::string& reason) {
  const std::size_t open = reason.rfind(" (");
  const bool is_address = open != reason.npos && reason.ends_with(":50000)");
  return is_address ? reason.substr(0, open) : reason;
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kNamesMax; ++i) {
    text += (i > 0 ? ", " : "") + names[i];
  }
  if (names.size() > kNamesMax) text += fmt::format(" and {} more", names.size() - kNamesMax);
  return text;
}

}  // namespace

PlainLog::PlainLog(const ClusterProfile& profile) {
  for (const NodePlan& node : profile.nodes) {
    name_width_ = std::max(name_width_, cell_count(clean(node.name.value())));
  }
  name_width_ = std::min(name_width_, 24);
}

std::string PlainLog::line(MonoTime at, const std::string& who, const std::string& text) const {
  const std::string name = name_width_ > 0 ? fit(clean(who), name_width_) + "  " : std::string();
  return fmt::format("{:>6}  {}{}", elapsed(at - started_), name, clean(text));
}

std::vector<std::string> PlainLog::fold(const Event& event) {
  const std::string& name = event.node.value();
  const std::string_view step = step_title(event.phase);
  const auto say = [&](std::string text) {
    return std::vector<std::string>{line(event.at, name, std::move(text))};
  };
  switch (event.kind) {
    case EventKind::run_started: started_ = event.at; return {};
    case EventKind::waiting: {
      Waiting& waiting = waits_[event.node];
      std::string reason = without_address(without_name(event.text, name));
      if (waiting.reason != reason) waiting = {event.at, std::move(reason), false};
      return {};
    }
    case EventKind::stage_changed: {
      waits_.erase(event.node);
      Stage& known = stages_[event.node];
      // The first stage of a node is where it was found; what it comes to is news.
      const bool news = known != Stage::unknown && known != event.stage;
      const bool is_back = known == Stage::maintenance || configured_.contains(event.node);
      known = event.stage;
      if (!news || !is_back) return {};
      return say(std::string(name_of(event.stage)));
    }
    case EventKind::acted:
      waits_.erase(event.node);
      if (event.phase == "apply") configured_.insert(event.node);
      return say(event.text == "done" ? fmt::format("{} done", step) : event.text);
    case EventKind::retrying: return say(fmt::format("retry {}: {}", event.attempt, event.text));
    case EventKind::phase_done: waits_.erase(event.node); return {};
    case EventKind::phase_failed:
      waits_.erase(event.node);
      return say(fmt::format("✗ {} failed: {}", event.phase, without_name(event.text, name)));
    case EventKind::barrier_opened: return say(fmt::format("✓ {}", event.text));
    case EventKind::finding: return say(without_name(event.text, name));
    case EventKind::blocked:
      waits_.erase(event.node);
      return say(fmt::format("blocked: {}", event.text));
    case EventKind::phase_started:
    case EventKind::decided:
    case EventKind::barrier_broken:  // whoever it blocks says so
    case EventKind::run_ended: return {};
  }
  return {};
}

std::vector<std::string> PlainLog::lasting_waits(MonoTime now) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (auto& [node, waiting] : waits_) {
    const Duration lasting = configured_.contains(node) ? kUsualSilence : kLasting;
    if (waiting.told || now - waiting.since < lasting) continue;
    waiting.told = true;
    by_reason[waiting.reason].push_back(clean(node.value()));
  }
  std::vector<std::string> lines;
  for (const auto& [reason, names] : by_reason) {
    const bool alone = names.size() == 1;
    const std::string who = alone ? names.front() : std::string();
    const std::string text =
        fmt::format("{}waiting: {}", alone ? "" : list_of(names) + ": ", reason);
    lines.push_back(line(now, who, text));
  }
  return lines;
}

}  // namespace ichor
