#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "yaml/node.h"

namespace ichor::yaml {

/// What a file may cost us. A text within the limits is read in well under a second and 64 MiB,
/// whatever is in it.
struct Limits {
  std::size_t bytes_max{4u << 20};
  int depth_max{64};
  std::size_t nodes_max{100'000};    // after aliases are resolved
  std::size_t alias_growth_max{10};  // nodes after resolving over nodes written
  std::size_t documents_max{10'000};
};

struct Document {
  std::string file;
  Node root;

  /// "file:line:column" of a node of this document.
  std::string where(const Node& node) const;
};

/// Why and where a text is not YAML that we take.
struct SyntaxError {
  std::string file;
  Position at;
  std::string what;

  /// "file:line:column: what".
  std::string message() const;
};

/// "file:line:column".
std::string to_text(const std::string& file, Position at);

using Documents = std::vector<Document>;

/// Reads all documents of a text. A UTF-8 byte order mark and CRLF line ends are taken; other
/// encodings, NUL and control characters, duplicate keys, keys that are not scalars, unknown tags
/// and aliases to themselves are refused. An empty text has no documents; an empty document has a
/// null root.
tl::expected<Documents, SyntaxError> parse_or_explain(std::string_view text,
                                                      const std::string& file_name,
                                                      const Limits& limits = {});

/// The same, with the error as text.
Result<Documents> parse(std::string_view text, const std::string& file_name,
                        const Limits& limits = {});

/// For files that hold exactly one document.
tl::expected<Document, SyntaxError> parse_single(std::string_view text,
                                                 const std::string& file_name,
                                                 const Limits& limits = {});

}  // namespace ichor::yaml
