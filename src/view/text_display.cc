#include "view/text_display.h"

#include "view/annotations.h"
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
  if (options_.quiet) return;
  log_.emplace(profile);
  board_.emplace(profile);
  if (!draws()) open_group(profile.name);
}

void TextDisplay::emit(const Event& event) {
  if (options_.quiet || !board_) return;
  board_->fold(event);
  std::vector<std::string> lines = log_->fold(event);
  if (draws()) {
    for (std::string& line : lines) {
      above_.push_back(event.kind == EventKind::phase_failed ? failed(std::move(line))
                                                             : std::move(line));
    }
  } else {
    put_progress(lines);
    if (event.kind == EventKind::barrier_opened) open_group("after " + event.text);
  }
  // Events come in bursts, one of many nodes after the other: one frame shows them all.
  paint_soon(draws() ? options_.tick / 8 : options_.tick);
}

void TextDisplay::put_progress(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) err_.write(line + "\n", FdWriter::Keep::if_room);
}

std::string TextDisplay::failed(std::string line) const {
  return options_.canvas().color ? "\x1b[31m" + line + "\x1b[0m" : line;
}

void TextDisplay::open_group(const std::string& title) {
  if (!options_.github) return;
  close_group();
  put_progress({"::group::" + annotation_text(title)});
  in_group_ = true;
}

void TextDisplay::close_group() {
  if (in_group_) put_progress({"::endgroup::"});
  in_group_ = false;
}

void TextDisplay::paint_soon(Duration delay) {
  const MonoTime when = later(clock_.now(), delay);
  if (next_paint_ != 0 && next_paint_at_ <= when) return;
  if (next_paint_ != 0) clock_.cancel(next_paint_);
  next_paint_at_ = when;
  next_paint_ = clock_.call_at(when, [this] {
    next_paint_ = 0;
    if (draws()) {
      paint();
    } else {
      put_progress(log_->lasting_waits(clock_.now()));
    }
    paint_soon(options_.tick);
  });
}

void TextDisplay::paint() {
  // A terminal that is behind gets a newer frame when it has caught up.
  if (!err_.idle()) return;
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
  if (!board_ || !draws()) return;
  err_.write(painter_.paint(above_, {}, options_.canvas().columns), FdWriter::Keep::always);
  above_.clear();
  err_.drain(kDrainLimit);
}

void TextDisplay::show(const Listing& listing) {
  make_way();
  put(table_lines(listing, options_.wide), out_);
  if (board_ && draws()) out_.drain(kDrainLimit);
}

void TextDisplay::show(const History& history) {
  make_way();
  put(report_lines(history), out_);
  if (board_ && draws()) out_.drain(kDrainLimit);
}

void TextDisplay::end(const Summary& summary) {
  if (next_paint_ != 0) clock_.cancel(next_paint_);
  next_paint_ = 0;
  // The summary says all that the last frame says.
  make_way();
  close_group();
  err_.drain(kDrainLimit);
  const Detail usual = options_.wide ? Detail::wide : Detail::usual;
  const Detail detail = options_.quiet ? Detail::quiet : usual;
  FdWriter& target = summary.aside ? err_ : out_;
  put(summary_lines(summary, profile_, detail, board_ ? &*board_ : nullptr), target);
  if (options_.github) put(annotations(summary.result), err_);
  if (summary.aside || options_.github) err_.drain(kDrainLimit);
  board_.reset();
  log_.reset();
}

}  // namespace ichor
