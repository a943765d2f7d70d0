#include "view/text_display.h"

#include "view/event_line.h"
#include "view/report_text.h"
#include "view/summary_text.h"

namespace ichor {

namespace {
/// How long what was drawn last may take to reach the terminal before data follows it.
constexpr Duration kDrainLimit = std::chrono::seconds(1);
}  // namespace

TextDisplay::TextDisplay(Clock& clock, FdWriter& out, FdWriter& err, Options options)
    : clock_(clock), out_(out), err_(err), options_(std::move(options)) {}

TextDisplay::~TextDisplay() {
  if (next_paint_ != 0) clock_.cancel(next_paint_);
}

void TextDisplay::begin(const ClusterProfile& profile) {
  profile_ = &profile;
  started_ = clock_.now();
  if (options_.canvas && !options_.quiet) board_.emplace(profile);
}

void TextDisplay::emit(const Event& event) {
  if (event.kind == EventKind::run_started) started_ = event.at;
  if (options_.quiet) return;
  if (!board_) {
    err_.write(event_line(event, started_) + "\n", FdWriter::Keep::if_room);
    return;
  }
  board_->fold(event);
  if (is_lasting(event.kind)) above_.push_back(event_line(event, started_));
  // Events come in bursts, one of many nodes after the other: one frame shows them all.
  paint_soon(options_.tick / 8);
}

void TextDisplay::paint_soon(Duration delay) {
  const MonoTime when = later(clock_.now(), delay);
  if (next_paint_ != 0 && next_paint_at_ <= when) return;
  if (next_paint_ != 0) clock_.cancel(next_paint_);
  next_paint_at_ = when;
  next_paint_ = clock_.call_at(when, [this] {
    next_paint_ = 0;
    paint();
    paint_soon(options_.tick);
  });
}

void TextDisplay::paint() {
  // A terminal that is behind gets a newer frame when it has caught up.
  if (!board_ || !err_.idle()) return;
  const Canvas canvas = options_.canvas();
  const auto frame = board_lines(*board_, clock_.now(), canvas);
  err_.write(painter_.paint(above_, frame, canvas.columns), FdWriter::Keep::always);
  above_.clear();
}

void TextDisplay::put(const std::vector<std::string>& lines, FdWriter& target) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  target.write(std::move(text), FdWriter::Keep::always);
}

void TextDisplay::make_way() {
  if (!board_) return;
  err_.write(painter_.paint(above_, {}, options_.canvas().columns), FdWriter::Keep::always);
  above_.clear();
  err_.drain(kDrainLimit);
}

void TextDisplay::show(const Listing& listing) {
  make_way();
  put(table_lines(listing, options_.wide), out_);
  if (board_) out_.drain(kDrainLimit);
}

void TextDisplay::show(const History& history) {
  make_way();
  put(report_lines(history), out_);
  if (board_) out_.drain(kDrainLimit);
}

void TextDisplay::end(const Summary& summary) {
  if (next_paint_ != 0) clock_.cancel(next_paint_);
  next_paint_ = 0;
  // The summary says all that the last frame says.
  make_way();
  board_.reset();
  err_.drain(kDrainLimit);
  const Detail usual = options_.wide ? Detail::wide : Detail::usual;
  const Detail detail = options_.quiet ? Detail::quiet : usual;
  put(summary_lines(summary, profile_, detail), summary.aside ? err_ : out_);
  if (summary.aside) err_.drain(kDrainLimit);
}

}  // namespace ichor
