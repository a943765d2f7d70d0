#include "template/parser.h"

#include "template/statement_parser.h"

namespace ichor::jinja {

namespace {

using Blocks = std::vector<const BlockStatement*>;

void collect(const Body& body, Blocks& blocks);

struct Collect {
  Blocks& blocks;

  void operator()(const BlockStatement& node) const {
    blocks.push_back(&node);
    collect(node.body, blocks);
  }
  void operator()(const IfStatement& node) const {
    for (const IfStatement::Branch& branch : node.branches) collect(branch.body, blocks);
    if (node.otherwise) collect(*node.otherwise, blocks);
  }
  void operator()(const ForStatement& node) const {
    collect(node.body, blocks);
    if (node.otherwise) collect(*node.otherwise, blocks);
  }
  void operator()(const SetBlock& node) const { collect(node.body, blocks); }
  void operator()(const FilterBlock& node) const { collect(node.body, blocks); }
  void operator()(const WithBlock& node) const { collect(node.body, blocks); }
  void operator()(const CallBlock& node) const { collect(node.body, blocks); }
  void operator()(const MacroStatement& node) const { collect(node.body, blocks); }
  template <class Other>
  void operator()(const Other&) const {}
};

void collect(const Body& body, Blocks& blocks) {
  for (const Statement& statement : body) std::visit(Collect{blocks}, statement.node);
}

}  // namespace

Outcome<void> parse(std::string_view text, const Syntax& syntax, Template& into) {
  auto tokens = tokenize(text, into.file, syntax, into.source);
  if (!tokens) return forward_error(tokens);
  StatementParser parser(*std::move(tokens), into.source);
  auto body = parser.run();
  if (!body) return forward_error(body);
  into.body = *std::move(body);
  collect(into.body, into.blocks);
  return {};
}

}  // namespace ichor::jinja
