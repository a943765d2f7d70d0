#include <fmt/format.h>

#include "template/interpreter.h"
#include "template/objects.h"

// Templates that inherit: a child names its parent with extends, and the parent writes the text,
// with the child's blocks in place of its own. As in jinja2, a child's names are set before its
// parent is rendered, what it writes outside of blocks is dropped, and a block sees the names of
// the top of the template, or with `scoped` those around it.

namespace ichor::jinja {

/// A template that is being rendered, with those that it inherits from.
struct Interpreter::Family {
  ScopePtr top;
  const Template* parent{nullptr};  // the one that was named by extends
  /// By name, the block of the template that inherits most first.
  std::map<std::string, std::vector<const BlockStatement*>> blocks;
  int block_depth{0};
  int macro_depth{0};  // at which the family started

  void add(const Template& member) {
    for (const BlockStatement* block : member.blocks) blocks[block->name].push_back(block);
  }
};

bool Interpreter::is_silent() const {
  return family_ != nullptr && family_->parent != nullptr && family_->block_depth == 0 &&
         macro_depth_ == family_->macro_depth;
}

Outcome<std::string> Interpreter::render_family(const Template& first, const ScopePtr& scope) {
  Family family;
  family.top = scope;
  family.macro_depth = macro_depth_;
  family.add(first);
  Family* const outer = std::exchange(family_, &family);
  std::string whole;
  const Template* member = &first;
  Outcome<void> done;
  for (int depth = 0; done && member != nullptr; ++depth) {
    if (depth >= options_.limits.include_depth_max) {
      done = trouble(fmt::format("more than {} templates inherit from each other",
                                 options_.limits.include_depth_max),
                     "look for a template that extends itself");
      break;
    }
    if (depth > 0) family.add(*member);
    family.parent = nullptr;
    auto text = capture(member->body, scope);
    if (!text) {
      done = forward_error(text);
      break;
    }
    whole += *text;
    member = family.parent;
  }
  family_ = outer;
  if (!done) return forward_error(done);
  return whole;
}

Outcome<std::string> Interpreter::render_block(Family& family, const std::string& name,
                                               std::size_t level, const ScopePtr& scope) {
  const std::vector<const BlockStatement*>& levels = family.blocks[name];
  if (level >= levels.size()) {
    return trouble(fmt::format("no parent has a block '{}'", name), "remove the call of super()");
  }
  const BlockStatement& block = *levels[level];
  if (block.is_required) {
    return trouble(fmt::format("the block '{}' is required, and no template has it", name),
                   "add it to the template that extends this one");
  }
  const ScopePtr inner = inner_scope(scope);
  const auto super = [this, &family, name, level, scope](const Value&, const Arguments&,
                                                         Interpreter&) -> Outcome<Value> {
    auto text = render_block(family, name, level + 1, scope);
    if (!text) return forward_error(text);
    return Value::string(*std::move(text));
  };
  inner->set("super", Value::object(std::make_shared<Function>(Value::none(), super)));
  ++family.block_depth;
  auto text = capture(block.body, inner);
  --family.block_depth;
  return text;
}

bool Interpreter::has_block(std::string_view name) const {
  return family_ != nullptr && family_->blocks.contains(std::string(name));
}

Outcome<Value> Interpreter::render_own_block(const std::string& name) {
  if (!has_block(name)) return trouble(fmt::format("there is no block '{}'", name), "add it");
  auto text = render_block(*family_, name, 0, family_->top);
  if (!text) return forward_error(text);
  return Value::string(*std::move(text));
}

Outcome<std::optional<Value>> Self::attribute(std::string_view name, Interpreter& interpreter) {
  if (!interpreter.has_block(name)) return std::optional<Value>();
  const auto render = [name = std::string(name)](const Value&, const Arguments&,
                                                 Interpreter& now) -> Outcome<Value> {
    return now.render_own_block(name);
  };
  return std::optional(Value::object(std::make_shared<Function>(Value::none(), render)));
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const ExtendsStatement& node) {
  if (family_->parent != nullptr) {
    return trouble("a template extends two others", "keep one extends");
  }
  auto name = evaluate(*node.name);
  if (!name) return forward_error(name);
  auto found = load_first(*name, false);
  if (!found) {
    if (found.error().at.file == nullptr) found.error().at = node.name->at;
    return forward_error(found);
  }
  family_->parent = *found;
  return Flow::next;
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const BlockStatement& node) {
  if (is_silent()) return Flow::next;
  auto text = render_block(*family_, node.name, 0, node.is_scoped ? scope_ : family_->top);
  if (!text) return forward_error(text);
  auto written = write(*text);
  if (!written) return forward_error(written);
  return Flow::next;
}

}  // namespace ichor::jinja
