#include "yaml/document.h"

#include <fmt/format.h>
#include <libfyaml.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "yaml/guard.h"
#include "yaml/scalar.h"
#include "yaml/unquote.h"

namespace ichor::yaml {

namespace {

struct DestroyParser {
  void operator()(fy_parser* parser) const { fy_parser_destroy(parser); }
};
struct DestroyDiag {
  void operator()(fy_diag* diag) const { fy_diag_destroy(diag); }
};

/// A mapping, a sequence or the document itself while its contents arrive.
struct Open {
  Node node;
  std::optional<Node> key;  // of a mapping: seen, its value still to come
  std::string anchor;
};

struct Anchored {
  Node node;
  std::size_t nodes{0};
  int height{0};
};

std::string_view text_of(fy_token* token) {
  if (token == nullptr) return {};
  std::size_t length = 0;
  const char* text = fy_token_get_text(token, &length);
  return text == nullptr ? std::string_view{} : std::string_view(text, length);
}

constexpr std::string_view kCoreTagPrefix = "tag:yaml.org,2002:";

/// Builds trees from libfyaml's events. The events come without recursion, so the depth of the
/// input costs no stack before the limit stops it.
class Builder {
 public:
  Builder(std::string file, const Limits& limits) : file_(std::move(file)), limits_(limits) {}

  tl::expected<Documents, SyntaxError> run(std::string_view text);

 private:
  void take(fy_event& event);
  void take_scalar(fy_event& event);
  void open_collection(fy_event& event, Kind kind);
  void close_collection();
  void take_alias(fy_event& event);
  void add(Node node, const std::string& anchor);
  void close_mapping(Node& mapping);
  void merge(Node& mapping);
  void apply_tag(Node& node, fy_event& event);
  bool count(std::size_t nodes, Position at);
  void refuse(Position at, std::string what);
  void note_position(fy_event& event);
  std::string content_of(fy_token* token);
  SyntaxError library_error(fy_diag* diag) const;

  std::string_view text_;
  std::string file_;
  const Limits& limits_;
  Documents documents_;
  std::vector<Open> open_;
  std::map<std::string, Anchored, std::less<>> anchors_;
  std::size_t written_{0};  // nodes in the text
  std::size_t total_{0};    // nodes after aliases
  Position at_{1, 1};
  std::optional<SyntaxError> error_;
};

void Builder::refuse(Position at, std::string what) {
  if (!error_) error_ = SyntaxError{file_, at, std::move(what)};
}

bool Builder::count(std::size_t nodes, Position at) {
  total_ += nodes;
  if (total_ > limits_.nodes_max) {
    refuse(at, fmt::format("more than {} nodes", limits_.nodes_max));
    return false;
  }
  return true;
}

/// libfyaml marks where the text begins; we want the quote or the asterisk before it.
void Builder::note_position(fy_event& event) {
  const fy_mark* mark = fy_event_start_mark(&event);
  if (mark == nullptr) return;
  at_ = {mark->line + 1, mark->column + 1};
  bool has_sign = event.type == FYET_ALIAS;
  if (event.type == FYET_SCALAR && event.scalar.value != nullptr) {
    const fy_scalar_style style = fy_token_scalar_style(event.scalar.value);
    has_sign = style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
  }
  if (has_sign && at_.column > 1) --at_.column;
}

void Builder::take(fy_event& event) {
  note_position(event);
  switch (event.type) {
    case FYET_DOCUMENT_START:
      if (documents_.size() >= limits_.documents_max) {
        return refuse(at_, fmt::format("more than {} documents", limits_.documents_max));
      }
      anchors_.clear();
      open_.clear();
      documents_.push_back({file_, {}});
      return;
    case FYET_MAPPING_START: return open_collection(event, Kind::mapping);
    case FYET_SEQUENCE_START: return open_collection(event, Kind::sequence);
    case FYET_MAPPING_END:
    case FYET_SEQUENCE_END: return close_collection();
    case FYET_SCALAR: return take_scalar(event);
    case FYET_ALIAS: return take_alias(event);
    case FYET_NONE:
    case FYET_STREAM_START:
    case FYET_STREAM_END:
    case FYET_DOCUMENT_END: return;
  }
}

void Builder::apply_tag(Node& node, fy_event& event) {
  fy_token* token = fy_event_get_tag_token(&event);
  if (token == nullptr) return;
  const std::string_view tag = text_of(token);
  const std::string_view name =
      tag.starts_with(kCoreTagPrefix) ? tag.substr(kCoreTagPrefix.size()) : std::string_view{};
  if (node.kind == Kind::mapping || node.kind == Kind::sequence) {
    if (name == (node.kind == Kind::mapping ? "map" : "seq")) return;
    return refuse(node.at, fmt::format("unknown tag \"{}\"", tag));
  }
  if (tag == "!" || name == "str") {
    node.kind = Kind::scalar;
    node.style = Style::quoted;
    return;
  }
  const ScalarType type = resolve_core(node.text);
  const bool fits =
      (name == "null" && type == ScalarType::null) ||
      (name == "bool" && type == ScalarType::boolean) ||
      (name == "int" && type == ScalarType::integer) ||
      (name == "float" && (type == ScalarType::floating || type == ScalarType::integer));
  if (!fits) return refuse(node.at, fmt::format("unknown tag \"{}\", or not of its kind", tag));
  node.style = Style::plain;
  node.kind = type == ScalarType::null ? Kind::null : Kind::scalar;
}

std::string Builder::content_of(fy_token* token) {
  if (token == nullptr) return {};
  const fy_scalar_style style = fy_token_scalar_style(token);
  if (style != FYSS_DOUBLE_QUOTED && style != FYSS_SINGLE_QUOTED)
    return std::string(text_of(token));
  const std::size_t start = fy_token_start_mark(token)->input_pos;
  const std::size_t end = fy_token_end_mark(token)->input_pos;
  check(start <= end, "a scalar ends before it starts");
  check(end <= text_.size(), "a scalar ends behind the text");
  const std::string_view raw = text_.substr(start, end - start);
  if (style == FYSS_SINGLE_QUOTED) return unquote_single(raw);
  if (auto content = unquote_double(raw)) return std::move(*content);
  refuse(at_, "unknown escape in a double-quoted string");
  return {};
}

void Builder::take_scalar(fy_event& event) {
  Node node;
  node.at = at_;
  node.kind = Kind::scalar;
  node.text = content_of(event.scalar.value);
  const bool plain =
      event.scalar.value == nullptr || fy_token_scalar_style(event.scalar.value) == FYSS_PLAIN;
  node.style = plain ? Style::plain : Style::quoted;
  if (plain && resolve_core(node.text) == ScalarType::null) node.kind = Kind::null;
  apply_tag(node, event);
  ++written_;
  if (count(1, node.at)) add(std::move(node), std::string(text_of(event.scalar.anchor)));
}

void Builder::open_collection(fy_event& event, Kind kind) {
  Open open;
  open.node.at = at_;
  open.node.kind = kind;
  open.anchor = text_of(fy_event_get_anchor_token(&event));
  apply_tag(open.node, event);
  ++written_;
  if (!count(1, at_)) return;
  open_.push_back(std::move(open));
  if (static_cast<int>(open_.size()) >= limits_.depth_max) {
    refuse(at_, fmt::format("nested more than {} levels deep", limits_.depth_max));
  }
}

void Builder::close_collection() {
  check(!open_.empty(), "a collection ends that did not start");
  Open done = std::move(open_.back());
  open_.pop_back();
  if (done.node.kind == Kind::mapping) close_mapping(done.node);
  if (!error_) add(std::move(done.node), done.anchor);
}

void Builder::add(Node node, const std::string& anchor) {
  if (!anchor.empty()) {
    Anchored anchored{node, count_nodes(node), height(node)};
    anchors_.insert_or_assign(anchor, std::move(anchored));
  }
  if (open_.empty()) {
    check(!documents_.empty(), "a node outside of a document");
    documents_.back().root = std::move(node);
    return;
  }
  Open& parent = open_.back();
  if (parent.node.kind == Kind::sequence) {
    parent.node.items.push_back(std::move(node));
  } else if (parent.key) {
    parent.node.entries.push_back({std::move(*parent.key), std::move(node)});
    parent.key.reset();
  } else if (node.kind != Kind::scalar) {
    refuse(node.at, fmt::format("a key must be a scalar, not {}", describe(node)));
  } else {
    parent.key = std::move(node);
  }
}

void Builder::take_alias(fy_event& event) {
  const std::string_view name = text_of(event.alias.anchor);
  const auto found = anchors_.find(name);
  ++written_;
  if (found == anchors_.end()) {
    for (const Open& open : open_) {
      if (open.anchor == name)
        return refuse(at_, fmt::format("the alias *{} contains itself", name));
    }
    return refuse(at_, fmt::format("there is no anchor &{} before this alias", name));
  }
  const Anchored& anchored = found->second;
  if (static_cast<int>(open_.size()) + anchored.height > limits_.depth_max) {
    return refuse(at_, fmt::format("nested more than {} levels deep", limits_.depth_max));
  }
  if (!count(anchored.nodes, at_)) return;
  // A few aliases in a small file are no bomb, so the growth counts from a floor.
  constexpr std::size_t floor = 1'000;
  if (total_ > floor && total_ > limits_.alias_growth_max * written_) {
    return refuse(at_, fmt::format("aliases make the text more than {} times as large",
                                   limits_.alias_growth_max));
  }
  Node copy = anchored.node;
  copy.at = at_;
  add(std::move(copy), {});
}

void Builder::close_mapping(Node& mapping) {
  std::unordered_set<std::string_view> seen;
  bool merges = false;
  for (const Entry& entry : mapping.entries) {
    if (!seen.insert(entry.key.text).second) {
      return refuse(entry.key.at, fmt::format("the key \"{}\" appears twice", entry.key.text));
    }
    merges = merges || (entry.key.text == "<<" && entry.key.style == Style::plain);
  }
  if (merges) merge(mapping);
}

/// `<<: *base` or `<<: [*first, *second]`: what the mapping says itself wins, then the first
/// source.
void Builder::merge(Node& mapping) {
  std::set<std::string, std::less<>> taken;
  for (const Entry& entry : mapping.entries) taken.insert(entry.key.text);
  std::vector<Entry> merged;
  for (Entry& entry : mapping.entries) {
    if (entry.key.text != "<<" || entry.key.style != Style::plain) {
      merged.push_back(std::move(entry));
      continue;
    }
    const Node& source = entry.value;
    const std::size_t sources = source.is_sequence() ? source.items.size() : 1;
    for (std::size_t i = 0; i < sources; ++i) {
      const Node& from = source.is_sequence() ? source.items[i] : source;
      if (!from.is_mapping()) {
        return refuse(from.at, fmt::format("<< wants a mapping, not {}", describe(from)));
      }
      for (const Entry& inherited : from.entries) {
        if (taken.insert(inherited.key.text).second) merged.push_back(inherited);
      }
    }
  }
  mapping.entries = std::move(merged);
}

SyntaxError Builder::library_error(fy_diag* diag) const {
  void* at = nullptr;
  if (const fy_diag_error* error = fy_diag_errors_iterate(diag, &at)) {
    return {file_, Position{error->line, error->column}, error->msg};
  }
  return {file_, at_, "this is not YAML"};
}

tl::expected<Documents, SyntaxError> Builder::run(std::string_view text) {
  text_ = text;
  fy_diag_cfg diag_config;
  fy_diag_cfg_default(&diag_config);
  diag_config.level = FYET_ERROR;
  const std::unique_ptr<fy_diag, DestroyDiag> diag(fy_diag_create(&diag_config));
  check(diag != nullptr, "no memory for a YAML parser");
  fy_diag_set_collect_errors(diag.get(), true);
  fy_parse_cfg config{};
  config.flags = static_cast<fy_parse_cfg_flags>(FYPCF_QUIET | FYPCF_COLLECT_DIAG |
                                                 FYPCF_DEFAULT_VERSION_1_2 | FYPCF_JSON_NONE);
  config.diag = diag.get();
  const std::unique_ptr<fy_parser, DestroyParser> parser(fy_parser_create(&config));
  check(parser != nullptr, "no memory for a YAML parser");
  check(fy_parser_set_string(parser.get(), text.data(), text.size()) == 0, "no YAML input");
  bool ended = false;
  while (fy_event* event = fy_parser_parse(parser.get())) {
    ended = event->type == FYET_STREAM_END;
    take(*event);
    fy_parser_event_free(parser.get(), event);
    if (error_) return tl::unexpected(*error_);
  }
  if (!ended || fy_parser_get_stream_error(parser.get())) {
    return tl::unexpected(library_error(diag.get()));
  }
  return std::move(documents_);
}

}  // namespace

std::string to_text(const std::string& file, Position at) {
  return fmt::format("{}:{}:{}", file, at.line, at.column);
}

std::string Document::where(const Node& node) const { return to_text(file, node.at); }

std::string SyntaxError::message() const { return fmt::format("{}: {}", to_text(file, at), what); }

tl::expected<Documents, SyntaxError> parse_or_explain(std::string_view text,
                                                      const std::string& file_name,
                                                      const Limits& limits) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (auto unreadable = find_unreadable(text, file_name, limits)) {
    return tl::unexpected(std::move(*unreadable));
  }
  return Builder(file_name, limits).run(text);
}

Result<Documents> parse(std::string_view text, const std::string& file_name, const Limits& limits) {
  auto documents = parse_or_explain(text, file_name, limits);
  if (!documents) return fail(Errc::invalid, documents.error().message());
  return std::move(*documents);
}

tl::expected<Document, SyntaxError> parse_single(std::string_view text,
                                                 const std::string& file_name,
                                                 const Limits& limits) {
  auto documents = parse_or_explain(text, file_name, limits);
  if (!documents) return forward_error(documents);
  if (documents->empty())
    return tl::unexpected(SyntaxError{file_name, {1, 1}, "the file is empty"});
  if (documents->size() > 1) {
    const Position at = (*documents)[1].root.at;
    return tl::unexpected(SyntaxError{file_name, at, "only one document is allowed here"});
  }
  return std::move(documents->front());
}

}  // namespace ichor::yaml
