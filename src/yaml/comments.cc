#include "yaml/comments.h"

#include <libfyaml.h>
#include <memory>

#include "base/check.h"

namespace ichor::yaml {

namespace {

struct DestroyParser {
  void operator()(fy_parser* parser) const { fy_parser_destroy(parser); }
};

struct Range {
  std::size_t begin{0};
  std::size_t end{0};
};

struct Landmarks {
  std::vector<Range> scalars;      // a # in one of them is no comment
  std::vector<std::size_t> marks;  // where `---` begins a document
  bool first_has_mark{false};
};

Landmarks survey(std::string_view text) {
  Landmarks found;
  fy_parse_cfg config{};
  config.flags =
      static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE);
  const std::unique_ptr<fy_parser, DestroyParser> parser(fy_parser_create(&config));
  check(parser != nullptr, "no memory for a YAML parser");
  check(fy_parser_set_string(parser.get(), text.data(), text.size()) == 0, "no YAML input");
  bool first = true;
  while (fy_event* event = fy_parser_parse(parser.get())) {
    if (event->type == FYET_SCALAR && event->scalar.value != nullptr) {
      found.scalars.push_back({fy_token_start_mark(event->scalar.value)->input_pos,
                               fy_token_end_mark(event->scalar.value)->input_pos});
    } else if (event->type == FYET_DOCUMENT_START) {
      if (const fy_mark* mark = fy_event_start_mark(event)) {
        found.marks.push_back(mark->input_pos);
        if (first) found.first_has_mark = true;
      }
      first = false;
    }
    fy_parser_event_free(parser.get(), event);
  }
  return found;
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

enum class LineKind { blank, comment, content, boundary };

struct Line {
  LineKind kind{LineKind::blank};
  int column{0};  // of its first character that is not blank
};

class Finder {
 public:
  explicit Finder(std::string_view text) : text_(text), landmarks_(survey(text)) {}

  std::vector<Comment> run() {
    std::size_t begin = 0;
    while (begin < text_.size()) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size());
      take_line(begin, end);
      begin = end + 1;
    }
    look_around();
    return std::move(comments_);
  }

 private:
  bool within_scalar(std::size_t at) {
    const auto& scalars = landmarks_.scalars;
    while (scalar_ < scalars.size() && scalars[scalar_].end <= at) ++scalar_;
    return scalar_ < scalars.size() && scalars[scalar_].begin <= at;
  }

  void take_line(std::size_t begin, std::size_t end) {
    Line line;
    const auto& marks = landmarks_.marks;
    while (mark_ < marks.size() && marks[mark_] < end) ++mark_;
    const bool boundary = mark_ > 0 && marks[mark_ - 1] >= begin;
    std::size_t first = begin;
    while (first < end && is_blank(text_[first])) ++first;
    if (first < end) {
      line.kind = boundary ? LineKind::boundary : LineKind::content;
      line.column = static_cast<int>(first - begin) + 1;
    }
    bool only_dashes = true;
    for (std::size_t at = first; at < end; ++at) {
      const bool starts = at == begin || is_blank(text_[at - 1]);
      if (text_[at] == '#' && starts && !within_scalar(at)) {
        if (at == first) line.kind = LineKind::comment;
        add({begin, end}, at, !only_dashes && !boundary);
        break;
      }
      only_dashes = only_dashes && (text_[at] == '-' || is_blank(text_[at]));
    }
    lines_.push_back(line);
  }

  void add(Range line, std::size_t at, bool beside) {
    Comment comment;
    std::size_t end = line.end;
    if (end > at && text_[end - 1] == '\r') --end;
    comment.text = text_.substr(at + 1, end - at - 1);
    comment.at = {static_cast<int>(lines_.size()) + 1, static_cast<int>(at - line.begin) + 1};
    const std::size_t begun = mark_ + (landmarks_.first_has_mark ? 0 : 1);
    comment.document = begun == 0 ? 0 : begun - 1;
    comment.beside = beside;
    comments_.push_back(std::move(comment));
  }

  void look_around() {
    int next_column = 0;
    std::size_t seen = lines_.size();
    for (auto comment = comments_.rbegin(); comment != comments_.rend(); ++comment) {
      const auto number = static_cast<std::size_t>(comment->at.line);
      for (; seen > number; --seen) {
        const Line& line = lines_[seen - 1];
        if (line.kind == LineKind::content) next_column = line.column;
        if (line.kind == LineKind::boundary) next_column = 0;
      }
      comment->next_column = next_column;
      comment->below_content = number >= 2 && lines_[number - 2].kind == LineKind::content;
      comment->above_blank = number < lines_.size() && lines_[number].kind == LineKind::blank;
    }
  }

  std::string_view text_;
  Landmarks landmarks_;
  std::size_t scalar_{0};
  std::size_t mark_{0};
  std::vector<Line> lines_;
  std::vector<Comment> comments_;
};

}  // namespace

std::vector<Comment> find_comments(std::string_view text) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (text.find('#') == std::string_view::npos) return {};
  return Finder(text).run();
}

}  // namespace ichor::yaml
