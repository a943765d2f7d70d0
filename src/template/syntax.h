#pragma once

#include <string>

namespace ichor::jinja {

/// How tags differ from text.
struct Delimiters {
  std::string block_begin, block_end;
  std::string variable_begin, variable_end;
  std::string comment_begin, comment_end;
  std::string comment_end_too;  // taken as well if not empty
};

/// `{% %}`, `{{ }}`, `{# #}`: jinja2's own.
Delimiters jinja_delimiters();
/// `#% %#`, `#{ }#`, `#| #|`: what makejinja is set to in cluster-template, so that Renovate and Go
/// templates keep theirs. Older versions of it end a comment with `|#`, which is taken too: a
/// comment ends with whichever comes first.
Delimiters makejinja_delimiters();

struct Syntax {
  Delimiters delimiters{jinja_delimiters()};
  bool trim_blocks{false};    // the newline after a block tag is dropped
  bool lstrip_blocks{false};  // spaces before a block tag are dropped, if it is first in its line
  bool keep_trailing_newline{false};
};

}  // namespace ichor::jinja
