#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "template/value.h"

namespace ichor::jinja {

/// The names that one block assigned. A name is looked for from the inside out.
struct Scope {
  std::shared_ptr<Scope> parent;
  std::vector<std::pair<std::string, Value>> names;
  /// An included file looks through here at the names of the file that includes it; it sees `loop`
  /// only of a loop that names it itself.
  bool is_include{false};
  bool shows_loop{true};
  std::shared_ptr<const Dict> variables;  // given by the caller; only the outermost scope has them

  void set(std::string_view name, Value value) {
    for (auto& [known, held] : names) {
      if (known != name) continue;
      held = std::move(value);
      return;
    }
    names.emplace_back(name, std::move(value));
  }

  const Value* find(std::string_view name) const {
    bool is_included = false;
    for (const Scope* scope = this; scope != nullptr; scope = scope->parent.get()) {
      const bool is_hidden = is_included && !scope->shows_loop && name == "loop";
      for (const auto& [known, held] : scope->names) {
        if (known == name && !is_hidden) return &held;
      }
      if (scope->variables != nullptr) return scope->variables->find(name);
      is_included |= scope->is_include;
    }
    return nullptr;
  }
};

using ScopePtr = std::shared_ptr<Scope>;

inline ScopePtr inner_scope(ScopePtr parent) {
  auto scope = std::make_shared<Scope>();
  scope->parent = std::move(parent);
  return scope;
}

inline ScopePtr outer_scope(std::shared_ptr<const Dict> variables) {
  auto scope = std::make_shared<Scope>();
  scope->variables = std::move(variables);
  return scope;
}

}  // namespace ichor::jinja
