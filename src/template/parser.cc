#include "template/parser.h"

#include "template/statement_parser.h"

namespace ichor::jinja {

Outcome<void> parse(std::string_view text, const Syntax& syntax, Template& into) {
  auto tokens = tokenize(text, into.file, syntax, into.source);
  if (!tokens) return tl::unexpected(tokens.error());
  StatementParser parser(*std::move(tokens), into.source);
  auto body = parser.run();
  if (!body) return tl::unexpected(body.error());
  into.body = *std::move(body);
  return {};
}

}  // namespace ichor::jinja
