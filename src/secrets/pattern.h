#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace ichor::secrets {

/// A regular expression as Go reads it, so that a rule means here what it means to sops. A match
/// takes time in proportion to the text, whatever the pattern: patterns come with the files.
class Pattern {
 public:
  static Result<Pattern> compile(const std::string& text);
  ~Pattern();
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;

  /// Whether it is found anywhere in the text.
  bool is_in(std::string_view text) const;

 private:
  explicit Pattern(std::unique_ptr<re2::RE2> expression);

  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace ichor::secrets
