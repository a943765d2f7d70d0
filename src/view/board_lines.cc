#include "view/board_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "view/cells.h"

namespace ichor {

namespace {

using State = BoardRow::State;

/// An install and its reboots keep the API of a node away about so long.
constexpr Duration kUsualSilence = std::chrono::minutes(3);

std::string_view sign_of(State state) {
  switch (state) {
    case State::idle: return "·";
    case State::busy: return "›";
    case State::between: return "·";
    case State::blocked: return "·";
    case State::passed: return "✓";
    case State::failed: return "✗";
  }
  return " ";
}

std::string painted(std::string text, State state, bool color) {
  if (!color) return text;
  switch (state) {
    case State::blocked:
    case State::idle: return "\x1b[2m" + text + "\x1b[0m";
    case State::between:
    case State::busy: return text;
    case State::passed: return "\x1b[32m" + text + "\x1b[0m";
    case State::failed: return "\x1b[31m" + text + "\x1b[0m";
  }
  return text;
}

std::string_view short_role(Role role) { return role == Role::control_plane ? "cp" : "wk"; }

/// Whole seconds: tenths would make the table flicker.
std::string spent(Duration time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (seconds < 60) return fmt::format("{}s", std::max<std::int64_t>(seconds, 0));
  if (seconds < 3600) return fmt::format("{}m{:02}s", seconds / 60, seconds % 60);
  return fmt::format("{}h{:02}m", seconds / 3600, seconds / 60 % 60);
}

/// A limit or an estimate: its seconds do not matter once it is longer than a minute.
std::string about(Duration time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time).count();
  if (seconds < 60) return fmt::format("{}s", (seconds + 9) / 10 * 10);
  return fmt::format("{}m", (seconds + 30) / 60);
}

/// "1m08s/15m": how long it has been in its step, and how long it may be.
std::string spent_in_phase(const Board& board, const BoardRow& row, MonoTime now) {
  if (row.state == State::idle || row.state == State::blocked) return {};
  const std::string time = spent((row.state == State::busy ? now : row.until) - row.since);
  const auto limit = row.state == State::busy ? board.budget(row.phase) : std::nullopt;
  return limit ? time + "/" + about(*limit) : time;
}

std::string list_of(const std::vector<const BoardRow*>& rows, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < rows.size() && i < most; ++i) {
    text += (i > 0 ? ", " : "") + clean(rows[i]->name.value());
  }
  if (rows.size() > most) text += fmt::format(" and {} more", rows.size() - most);
  return text;
}

/// Whom a node waits for that has done its part: a step of the cluster, or nodes that are behind.
std::string awaited(const Board& board, const BoardRow& row) {
  if (board.whole().state == State::busy) {
    return fmt::format("done; waiting for {}", step_title(board.whole().phase));
  }
  std::vector<const BoardRow*> behind;
  for (const BoardRow& other : board.nodes()) {
    if (&other != &row && other.state == State::busy) behind.push_back(&other);
  }
  return behind.empty() ? "done" : "done; waiting for " + list_of(behind, 3);
}

std::string offline_note(const BoardRow& row, MonoTime now) {
  const Duration silent = now - *row.offline_since;
  const std::string_view doing = row.phase == "apply" ? "installing" : "rebooting";
  if (silent < kUsualSilence) return fmt::format("{}, usually 1-2 min", doing);
  return fmt::format("no answer for {}; look at its console", spent(silent));
}

std::string note_of(const Board& board, const BoardRow& row, MonoTime now) {
  if (row.state == State::between) return awaited(board, row);
  if (row.state == State::busy && row.offline_since) return offline_note(row, now);
  return row.note;
}

std::string stage_of(const BoardRow& row) {
  if (row.state == State::busy && row.offline_since) return "offline";
  return row.stage == Stage::unknown ? std::string() : std::string(name_of(row.stage));
}

/// Widths of the columns before the last, which takes what is left.
struct Widths {
  int name{4};
  int address{7};  // 0: left out
  int stage{11};
  int phase{10};
};

constexpr int kNoteMin = 30;
constexpr int kTime = 9;
// Sign, role, retries and time with the spaces between all columns.
constexpr int kFixed = 2 + 3 + 4 + kTime + 1 + 3;

Widths widths_of(const Board& board, int columns) {
  Widths widths;
  for (const BoardRow& row : board.nodes()) {
    widths.name = std::max(widths.name, cell_count(clean(row.name.value())));
    widths.address = std::max(widths.address, cell_count(row.address));
    widths.phase = std::max(widths.phase, cell_count(row.phase));
  }
  widths.name = std::min(widths.name, 24);
  const auto left = [&] {
    const int address = widths.address > 0 ? widths.address + 1 : 0;
    return columns - kFixed - widths.name - address - widths.stage - widths.phase;
  };
  // The address is in the profile, the name in every message: the address goes first.
  if (left() < kNoteMin) widths.address = 0;
  if (left() < kNoteMin) widths.name = std::max(6, widths.name + left() - kNoteMin);
  return widths;
}

std::string table_line(std::string_view sign, std::string_view name, std::string_view role,
                       std::string_view address, std::string_view stage, std::string_view phase,
                       std::string_view retries, std::string_view time, const Widths& widths) {
  std::string line = fmt::format("{} {} {} ", fit(sign, 1), fit(name, widths.name), fit(role, 2));
  if (widths.address > 0) line += fit(address, widths.address) + " ";
  line +=
      fmt::format("{} {} {} ", fit(stage, widths.stage), fit(phase, widths.phase), fit(retries, 3));
  const int pad = std::max(0, kTime - cell_count(time));
  return line + std::string(static_cast<std::size_t>(pad), ' ') + std::string(time) + " ";
}

std::string without_end_blanks(std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  return line;
}

/// Lines of at most `width` cells, broken at spaces; what is more than `most` lines is cut.
std::vector<std::string> wrapped(std::string_view text, int width, std::size_t most) {
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() + 1 < most && cell_count(text) > width) {
    std::size_t end = 0;
    for (std::size_t at = text.find(' '); at != text.npos; at = text.find(' ', at + 1)) {
      if (cell_count(text.substr(0, at)) > width) break;
      end = at;
    }
    if (end == 0) break;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  if (!text.empty()) lines.push_back(cut(text, width));
  return lines;
}

class Drawing {
 public:
  Drawing(const Board& board, MonoTime now, const Canvas& canvas)
      : board_(board), now_(now), canvas_(canvas), widths_(widths_of(board, canvas.columns)) {}

  std::vector<std::string> lines() {
    add(head_line(), State::busy);
    if (std::string strip = strip_line(); !strip.empty()) add(strip, State::idle);
    add_whole();
    add(without_end_blanks(
            table_line(" ", "NODE", "", "ADDRESS", "STAGE", "STEP", "TRY", "TIME", widths_) +
            "NOW"),
        State::idle);
    add_nodes();
    return std::move(lines_);
  }

 private:
  void add(const std::string& line, State state) {
    lines_.push_back(painted(cut(line, canvas_.columns), state, canvas_.color));
  }

  int count(State state) const {
    return static_cast<int>(std::count_if(board_.nodes().begin(), board_.nodes().end(),
                                          [&](const BoardRow& row) { return row.state == state; }));
  }

  /// "infra  6 nodes, 1 failed  2m05s, about 1m left (objective 7m)"
  std::string head_line() const {
    std::string line = fmt::format("{}  {} nodes", board_.cluster(), board_.nodes().size());
    if (const int failed = count(State::failed)) line += fmt::format(", {} failed", failed);
    line += "  " + spent(now_ - board_.started());
    if (const auto left = board_.remaining(now_); left && count(State::failed) == 0) {
      line += fmt::format(", about {} left", about(*left));
    }
    if (board_.objective() > Duration::zero()) {
      line += fmt::format("  (objective {})", about(board_.objective()));
    }
    return line;
  }

  /// "✓ configs 2m02s  ✓ bootstrap 3s  › etcd 12s"
  std::string strip_line() const {
    std::string line;
    for (const BoardStep& step : board_.steps()) {
      line += fmt::format("✓ {} {}  ", step_title(step.phase), spent(step.took));
    }
    const BoardRow& whole = board_.whole();
    if (whole.state == State::busy) {
      line += fmt::format("› {} {}", step_title(whole.phase), spent_in_phase(board_, whole, now_));
    }
    return without_end_blanks(std::move(line));
  }

  /// What the cluster as a whole waits for or failed with.
  void add_whole() {
    const BoardRow& whole = board_.whole();
    if (whole.note.empty() || whole.state == State::passed) return;
    std::string head = whole.state == State::failed
                           ? fmt::format("{} {}: ", sign_of(whole.state), step_title(whole.phase))
                           : "  ";
    const std::size_t most = canvas_.rows < 12 ? 1 : 3;
    for (const std::string& line : wrapped(whole.note, canvas_.columns - cell_count(head), most)) {
      add(head + line, whole.state);
      head.assign(static_cast<std::size_t>(cell_count(head)), ' ');
    }
  }

  void add_nodes() {
    // One row stays free for the cursor.
    const int room = std::max(1, canvas_.rows - static_cast<int>(lines_.size()) - 1);
    const std::vector<const BoardRow*> blocked = blocked_by_one();
    std::vector<const BoardRow*> rows;
    for (const BoardRow& row : board_.nodes()) {
      const bool told_once = std::find(blocked.begin(), blocked.end(), &row) != blocked.end();
      if (!told_once) rows.push_back(&row);
    }
    const std::size_t lines = rows.size() + (blocked.empty() ? 0 : 1);
    if (lines <= static_cast<std::size_t>(room)) {
      for (const BoardRow* row : rows) add(node_line(*row), row->state);
      if (!blocked.empty()) add_blocked(blocked);
    } else {
      add_chosen(rows, blocked, static_cast<std::size_t>(room));
    }
  }

  /// Nodes that are blocked for the same reason, if that is more than one: it is said once.
  std::vector<const BoardRow*> blocked_by_one() const {
    std::map<std::string, std::vector<const BoardRow*>> by_cause;
    for (const BoardRow& row : board_.nodes()) {
      if (row.state == State::blocked) by_cause[row.note].push_back(&row);
    }
    std::vector<const BoardRow*> most;
    for (auto& [cause, rows] : by_cause) {
      if (rows.size() > 1 && rows.size() > most.size()) most = std::move(rows);
    }
    return most;
  }

  void add_blocked(const std::vector<const BoardRow*>& rows) {
    add(fmt::format("· {} nodes blocked by it ({}): {}", rows.size(), list_of(rows, 3),
                    rows.front()->note),
        State::blocked);
  }

  std::string node_line(const BoardRow& row) const {
    const std::string retries = row.retries > 0 ? fmt::format("{}", row.retries) : std::string();
    const std::string head =
        table_line(sign_of(row.state), clean(row.name.value()), short_role(row.role), row.address,
                   stage_of(row), row.phase, retries, spent_in_phase(board_, row, now_), widths_);
    return without_end_blanks(head + note_of(board_, row, now_));
  }

  /// Nodes that look the same, for a terminal that has no room for all.
  struct Group {
    std::vector<const BoardRow*> rows;
    State state{State::idle};
    std::string text;  // stage, step, what they do
  };

  std::string group_text(const BoardRow& row) const {
    std::string text;
    for (const std::string& part : {stage_of(row), row.phase}) {
      if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
    }
    if (row.state == State::idle && text.empty()) return "not started";
    if (row.state == State::between) text += ", done";
    if (row.state == State::blocked) text += ", blocked";
    return text;
  }

  std::vector<Group> grouped(const std::vector<const BoardRow*>& rows) const {
    std::map<std::pair<int, std::string>, Group> by_look;
    for (const BoardRow* row : rows) {
      Group& group = by_look[{static_cast<int>(row->state), group_text(*row)}];
      group.rows.push_back(row);
      group.state = row->state;
      group.text = group_text(*row);
    }
    std::vector<Group> groups;
    for (auto& [look, group] : by_look) groups.push_back(std::move(group));
    std::stable_sort(groups.begin(), groups.end(), [](const Group& one, const Group& other) {
      return one.rows.size() > other.rows.size();
    });
    return groups;
  }

  static int weight(const BoardRow& row) {
    switch (row.state) {
      case State::failed: return 0;
      case State::busy: return row.retries > 0 ? 1 : 2;
      case State::between:
      case State::blocked: return 3;
      case State::idle: return 4;
      case State::passed: return 5;
    }
    return 5;
  }

  /// Those with trouble by name, as far as there is room; the others in groups.
  void add_chosen(std::vector<const BoardRow*> rows, const std::vector<const BoardRow*>& blocked,
                  std::size_t room) {
    rows.insert(rows.end(), blocked.begin(), blocked.end());
    std::stable_sort(rows.begin(), rows.end(), [](const BoardRow* one, const BoardRow* other) {
      return weight(*one) < weight(*other);
    });
    const auto troubled = static_cast<std::size_t>(std::count_if(
        rows.begin(), rows.end(), [](const BoardRow* row) { return weight(*row) < 2; }));
    const std::size_t group_lines =
        std::min(grouped(rows).size(), std::max<std::size_t>(room / 2, 1));
    const std::size_t by_name = std::min(troubled, room - group_lines);
    for (std::size_t i = 0; i < by_name; ++i) add(node_line(*rows[i]), rows[i]->state);
    rows.erase(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(by_name));
    std::vector<Group> groups = grouped(rows);
    const std::size_t lines = room - by_name;
    std::size_t shown = 0;
    for (std::size_t i = 0; i < groups.size() && i < lines; ++i) {
      const bool last = i + 1 == lines && groups.size() > lines;
      if (last) break;
      shown += groups[i].rows.size();
      add(group_line(groups[i]), groups[i].state);
    }
    if (shown < rows.size()) {
      add(fmt::format("  … and {} more; of all {}: {} busy, {} passed, {} failed",
                      rows.size() - shown, board_.nodes().size(),
                      count(State::busy) + count(State::between), count(State::passed),
                      count(State::failed)),
          State::busy);
    }
  }

  std::string group_line(const Group& group) const {
    return fmt::format("{} {} {}  {}: {}", sign_of(group.state), group.rows.size(),
                       group.rows.size() == 1 ? "node " : "nodes", group.text,
                       list_of(group.rows, 4));
  }

  const Board& board_;
  MonoTime now_;
  const Canvas& canvas_;
  Widths widths_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> board_lines(const Board& board, MonoTime now, const Canvas& canvas) {
  return Drawing(board, now, canvas).lines();
}

}  // namespace ichor
