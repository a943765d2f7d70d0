#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "template/limits.h"
#include "template/syntax.h"
#include "template/value.h"

namespace ichor::jinja {

/// Where included and imported templates come from. There is no other way to a file.
class Loader {
 public:
  virtual ~Loader() = default;
  /// The text of the template of that name; nothing if there is none. The name was checked: it is
  /// relative, has no `..` in it and is not empty.
  virtual Result<std::optional<std::string>> load(const std::string& name) = 0;
};

struct Options {
  Syntax syntax;
  Limits limits;
};

/// Why a template could not be rendered. It names variables and types, never a value: a value may
/// be a secret.
struct TemplateError {
  std::string file;
  int line{0};
  int column{0};
  std::string what;
  std::string fix;

  /// "file:line:column".
  std::string where() const;
  /// "file:line:column: what (fix)".
  std::string message() const;
};

/// A condition that was false, or a loop over nothing, without an else: why something is missing
/// from the result.
struct Skipped {
  std::string file;
  int line{0};
  int column{0};
  std::string text;  // "if loki_enabled | default(false)", as it was written
};

struct Rendering {
  std::string text;
  /// Each place once, in the order in which they were come to; not those within macros. At most
  /// 100.
  std::vector<Skipped> skipped;

  /// Whether there is nothing but white space.
  bool is_empty() const;
};

/// Renders a template as jinja2 does with StrictUndefined: a name without a value is an error where
/// it is used. `variables` is a dict and stays as it is. Without a loader nothing can be included.
tl::expected<Rendering, TemplateError> render(std::string_view text, const std::string& file,
                                              const Value& variables, const Options& options,
                                              Loader* loader = nullptr);

}  // namespace ichor::jinja
