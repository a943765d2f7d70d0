#include "profile/go_template.h"

#include <fmt/format.h>
#include <vector>

namespace ichor {

namespace {

constexpr std::string_view kBlank = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

class Renderer {
 public:
  explicit Renderer(const std::map<std::string, std::string>& fields) : fields_(fields) {}

  tl::expected<std::string, std::string> run(std::string_view text) {
    while (true) {
      const std::size_t open = text.find("{{");
      write(text.substr(0, open));
      if (open == std::string_view::npos) break;
      text.remove_prefix(open + 2);
      const std::size_t close = text.find("}}");
      if (close == std::string_view::npos) return tl::unexpected(std::string("{{ without }}"));
      std::string_view action = text.substr(0, close);
      text.remove_prefix(close + 2);
      if (action.starts_with("- ")) {
        result_.resize(result_.find_last_not_of(kBlank) + 1);
        action.remove_prefix(1);
      }
      if (action.ends_with(" -")) {
        action.remove_suffix(1);
        text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
      }
      if (std::string wrong = act(trimmed(action)); !wrong.empty()) {
        return tl::unexpected(std::move(wrong));
      }
    }
    if (!conditions_.empty()) return tl::unexpected(std::string("{{ if }} without {{ end }}"));
    return result_;
  }

 private:
  bool writing() const {
    for (const bool condition : conditions_) {
      if (!condition) return false;
    }
    return true;
  }
  void write(std::string_view text) {
    if (writing()) result_ += text;
  }

  /// The error, or nothing.
  std::string act(std::string_view action) {
    if (action == "end" || action == "else") {
      if (conditions_.empty()) return fmt::format("{{{{ {} }}}} without {{{{ if }}}}", action);
      if (action == "end") {
        conditions_.pop_back();
      } else {
        conditions_.back() = !conditions_.back();
      }
      return {};
    }
    const bool is_if = action.starts_with("if ");
    const std::string_view field = is_if ? trimmed(action.substr(3)) : action;
    const auto found =
        field.starts_with('.') ? fields_.find(std::string(field.substr(1))) : fields_.end();
    if (found == fields_.end()) {
      return fmt::format("`{{{{ {} }}}}` is more of Go's templates than ichor knows", action);
    }
    const std::string& value = found->second;
    if (is_if) {
      conditions_.push_back(!value.empty() && value != "false");
    } else {
      write(value);
    }
    return {};
  }

  const std::map<std::string, std::string>& fields_;
  std::string result_;
  std::vector<bool> conditions_;
};

}  // namespace

tl::expected<std::string, std::string> render_go_template(
    std::string_view text, const std::map<std::string, std::string>& fields) {
  return Renderer(fields).run(text);
}

}  // namespace ichor
