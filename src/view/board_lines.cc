#include "view/board_lines.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "view/cells.h"

namespace ichor {

namespace {

using State = BoardRow::State;

std::string_view sign_of(State state) {
  switch (state) {
    case State::idle: return "·";
    case State::busy: return "›";
    case State::between: return "·";
    case State::passed: return "✓";
    case State::failed: return "✗";
  }
  return " ";
}

std::string painted(std::string text, State state, bool color) {
  if (!color) return text;
  switch (state) {
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

std::string spent_in_phase(const BoardRow& row, MonoTime now) {
  if (row.state == State::idle) return {};
  return spent((row.state == State::busy ? now : row.until) - row.since);
}

/// Widths of the columns before the last, which takes what is left.
struct Widths {
  int name{4};
  int address{7};  // 0: left out
  int stage{11};
  int phase{10};
};

constexpr int kNoteMin = 12;
// Sign, role, retries and time with the spaces between all columns.
constexpr int kFixed = 2 + 3 + 4 + 7 + 4;

Widths widths_of(const Board& board, int columns) {
  Widths widths;
  for (const BoardRow& row : board.nodes()) {
    widths.name = std::max(widths.name, cell_count(clean(row.name.value())));
    widths.address = std::max(widths.address, cell_count(row.address));
    widths.phase = std::max(widths.phase, cell_count(row.phase));
  }
  widths.name = std::min(widths.name, 24);
  const auto left = [&] {
    return columns - kFixed - widths.name - widths.address - widths.stage - widths.phase;
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
  return line + fmt::format("{} {} {} {:>6} ", fit(stage, widths.stage), fit(phase, widths.phase),
                            fit(retries, 3), time);
}

std::string node_line(const BoardRow& row, MonoTime now, const Canvas& canvas,
                      const Widths& widths) {
  const bool silent = row.stage == Stage::unknown && row.state == State::busy && row.configured;
  const std::string stage = silent                        ? std::string("no answer")
                            : row.stage == Stage::unknown ? std::string()
                                                          : std::string(name_of(row.stage));
  const std::string retries = row.retries > 0 ? fmt::format("{}", row.retries) : std::string();
  const std::string head =
      table_line(sign_of(row.state), clean(row.name.value()), short_role(row.role), row.address,
                 stage, row.phase, retries, spent_in_phase(row, now), widths);
  std::string line = cut(head + row.note, canvas.columns);
  while (line.ends_with(' ')) line.pop_back();
  return painted(std::move(line), row.state, canvas.color);
}

int count(const Board& board, State state) {
  return static_cast<int>(std::count_if(board.nodes().begin(), board.nodes().end(),
                                        [&](const BoardRow& row) { return row.state == state; }));
}

/// "infra  2m05s  6 nodes, 1 failed  ✓ etcd quorum", with the milestone that was reached last.
std::string head_line(const Board& board, MonoTime now) {
  std::string line = fmt::format("{}  {}  {} nodes", board.cluster(), spent(now - board.started()),
                                 board.nodes().size());
  if (const int failed = count(board, State::failed)) line += fmt::format(", {} failed", failed);
  if (!board.milestones().empty()) line += fmt::format("  ✓ {}", board.milestones().back());
  return line;
}

/// What the cluster as a whole is at.
std::string whole_line(const Board& board, MonoTime now) {
  const BoardRow& whole = board.whole();
  if (whole.state == State::idle) return {};
  std::string line =
      fmt::format("{} {} {}", sign_of(whole.state), whole.phase, spent_in_phase(whole, now));
  if (!whole.note.empty()) line += ": " + whole.note;
  return line;
}

/// Indices of the rows to draw when not all fit, in the order of the profile: failed ones are kept
/// before busy ones, and what is passed goes first.
std::vector<std::size_t> chosen_rows(const Board& board, std::size_t room) {
  std::vector<std::size_t> order(board.nodes().size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() <= room) return order;
  const auto weight = [&](std::size_t index) {
    switch (board.nodes()[index].state) {
      case State::failed: return 0;
      case State::busy:
      case State::between: return 1;
      case State::idle: return 2;
      case State::passed: return 3;
    }
    return 3;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t one, std::size_t other) { return weight(one) < weight(other); });
  order.resize(room);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace

std::vector<std::string> board_lines(const Board& board, MonoTime now, const Canvas& canvas) {
  std::vector<std::string> lines;
  lines.push_back(cut(head_line(board, now), canvas.columns));
  if (std::string whole = whole_line(board, now); !whole.empty()) {
    lines.push_back(painted(cut(whole, canvas.columns), board.whole().state, canvas.color));
  }
  const Widths widths = widths_of(board, canvas.columns);
  std::string titles =
      cut(table_line(" ", "NODE", "", "ADDRESS", "STAGE", "STEP", "TRY", "TIME", widths) + "NOW",
          canvas.columns);
  lines.push_back(canvas.color ? "\x1b[2m" + titles + "\x1b[0m" : titles);
  // One row stays free for the cursor, and one for the count of what is left out.
  const int room = std::max(1, canvas.rows - static_cast<int>(lines.size()) - 2);
  const std::vector<std::size_t> rows = chosen_rows(board, static_cast<std::size_t>(room));
  for (const std::size_t index : rows) {
    lines.push_back(node_line(board.nodes()[index], now, canvas, widths));
  }
  if (rows.size() < board.nodes().size()) {
    lines.push_back(cut(fmt::format("  … and {} more; of all {}: {} busy, {} passed, {} failed",
                                    board.nodes().size() - rows.size(), board.nodes().size(),
                                    count(board, State::busy) + count(board, State::between),
                                    count(board, State::passed), count(board, State::failed)),
                        canvas.columns));
  }
  return lines;
}

}  // namespace ichor
