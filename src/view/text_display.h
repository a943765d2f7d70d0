#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "async/clock.h"
#include "port/display.h"
#include "view/board.h"
#include "view/board_lines.h"
#include "view/fd_writer.h"
#include "view/painter.h"
#include "view/plain_log.h"

namespace ichor {

/// For people: data and the summary to `out`; progress to `err`, as a board that is drawn again
/// after events and on a tick if `err` is a terminal, else as one line per change that matters.
class TextDisplay final : public Display {
 public:
  struct Options {
    bool quiet{false};  // no progress
    bool wide{false};   // tables with all that is known
    /// A job of GitHub Actions reads it: lines fold into groups, findings become annotations.
    bool github{false};
    /// The size of the terminal now; empty if there is none.
    std::function<Canvas()> canvas;
    Duration tick{std::chrono::milliseconds(250)};
  };

  TextDisplay(Clock& clock, FdWriter& out, FdWriter& err, Options options);
  ~TextDisplay() override;

  void begin(const ClusterProfile& profile) override;
  void emit(const Event& event) override;
  void show(const Listing& listing) override;
  void show(const History& history) override;
  void end(const Summary& summary) override;

 private:
  void paint_soon(Duration delay);
  void paint();
  /// Takes the board off the terminal, which standard output may share, so that what follows stays.
  /// The next frame is drawn below it.
  void make_way();
  static void put(const std::vector<std::string>& lines, FdWriter& target);
  bool draws() const { return options_.canvas != nullptr; }
  void put_progress(const std::vector<std::string>& lines);
  std::string failed(std::string line) const;
  void open_group(const std::string& title);
  void close_group();

  Clock& clock_;
  FdWriter& out_;
  FdWriter& err_;
  Options options_;
  const ClusterProfile* profile_{nullptr};
  std::optional<Board> board_;   // from begin() to end(), unless quiet
  std::optional<PlainLog> log_;  // likewise
  bool in_group_{false};
  Painter painter_;
  std::vector<std::string> above_;
  Clock::CallId next_paint_{0};
  MonoTime next_paint_at_{};
};

}  // namespace ichor
