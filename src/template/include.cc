#include <fmt/format.h>

#include "template/interpreter.h"
#include "template/objects.h"
#include "template/parser.h"
#include "template/print.h"

namespace ichor::jinja {

namespace {

/// A path below the template root: relative, with no empty, `.` or `..` part.
bool stays_inside(std::string_view name) {
  if (name.empty() || name.find('\\') != std::string_view::npos ||
      name.find('\0') != std::string_view::npos) {
    return false;
  }
  while (true) {
    const std::size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

}  // namespace

/// Null if there is no template of that name.
Outcome<const Template*> Interpreter::load(const std::string& name) {
  const auto known = templates_.find("/" + name);
  if (known != templates_.end()) return known->second.get();
  if (!stays_inside(name)) {
    return trouble("the name of a template leads out of the template root",
                   "name a file below it, without .. and without a leading slash");
  }
  if (loader_ == nullptr) return static_cast<const Template*>(nullptr);
  auto text = loader_->load(name);
  if (!text) return trouble(text.error().message);
  if (!*text) return static_cast<const Template*>(nullptr);
  if ((*text)->size() > options_.limits.source_bytes_max) {
    return trouble(fmt::format("the included template has more than {} bytes",
                               options_.limits.source_bytes_max),
                   "split it with include");
  }
  auto& made = templates_["/" + name];
  made = std::make_unique<Template>();
  made->file = name;
  if (auto paid = meter_.spend_text((*text)->size()); !paid) return forward_error(paid);
  auto parsed = parse(**text, options_.syntax, *made);
  if (!parsed) return forward_error(parsed);
  return made.get();
}

/// The first of several names that exists, or the only one.
Outcome<const Template*> Interpreter::load_first(const Value& names, bool ignore_missing) {
  if (auto defined = need_defined(names); !defined) return forward_error(defined);
  Items candidates{names};
  if (!names.is_string()) {
    auto items = items_of(names, meter_);
    if (!items) return forward_error(items);
    candidates = *std::move(items);
  }
  for (const Value& candidate : candidates) {
    if (!candidate.is_string()) return trouble("the name of a template must be a text", "quote it");
    auto found = load(candidate.as_string());
    if (!found || *found != nullptr) return found;
  }
  if (ignore_missing) return static_cast<const Template*>(nullptr);
  // A name that stands in a template is not a secret; one that was put together may be.
  std::string wanted;
  for (const Value& candidate : candidates) {
    if (!is_written(candidate.as_string())) continue;
    wanted += fmt::format("{}'{}'", wanted.empty() ? " called " : " or ", candidate.as_string());
  }
  return trouble(fmt::format("there is no template{} below the template root", wanted),
                 "check the name, or add: ignore missing");
}

/// Without context a template sees none of the variables, only the functions.
ScopePtr Interpreter::scope_for(bool with_context) const {
  if (!with_context) return outer_scope(std::make_shared<const Dict>());
  ScopePtr scope = inner_scope(scope_);
  scope->is_include = true;
  return scope;
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const IncludeStatement& node) {
  auto names = evaluate(*node.names);
  if (!names) return forward_error(names);
  auto found = load_first(*names, node.ignore_missing);
  if (!found) {
    if (found.error().at.file == nullptr) found.error().at = node.names->at;
    return forward_error(found);
  }
  if (*found == nullptr) return Flow::next;
  if (include_depth_ >= options_.limits.include_depth_max) {
    return trouble(
        fmt::format("more than {} templates include each other", options_.limits.include_depth_max),
        "look for a template that includes itself");
  }
  ++include_depth_;
  auto text = render_family(**found, scope_for(node.with_context));
  --include_depth_;
  if (!text) return forward_error(text);
  auto written = write(*text);
  if (!written) return forward_error(written);
  return Flow::next;
}

Outcome<Value> Interpreter::import_module(const ImportStatement& node) {
  auto name = evaluate(*node.name);
  if (!name) return name;
  if (auto defined = need_defined(*name); !defined) return forward_error(defined);
  auto found = load_first(*name, false);
  if (!found) {
    if (found.error().at.file == nullptr) found.error().at = node.name->at;
    return forward_error(found);
  }
  if (include_depth_ >= options_.limits.include_depth_max) {
    return trouble(
        fmt::format("more than {} templates import each other", options_.limits.include_depth_max),
        "look for a template that imports itself");
  }
  ++include_depth_;
  const ScopePtr scope = scope_for(node.with_context);
  modules_.push_back(scope);
  auto text = render_family(**found, scope);
  --include_depth_;
  if (!text) return forward_error(text);
  return Value::object(std::make_shared<Module>(scope, *std::move(text)));
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const ImportStatement& node) {
  auto module = import_module(node);
  if (!module) return forward_error(module);
  if (!node.target.empty()) {
    scope_->set(node.target, *module);
    return Flow::next;
  }
  for (const auto& [wanted, alias] : node.names) {
    auto value = module->as_object()->attribute(wanted, *this);
    if (!value) return forward_error(value);
    if (*value) {
      scope_->set(alias, **value);
      continue;
    }
    Undefined why;
    why.what = fmt::format("the imported template has no '{}'", wanted);
    why.name = wanted;
    why.at = node.name->at;
    scope_->set(alias, Value::undefined(std::move(why)));
  }
  return Flow::next;
}

}  // namespace ichor::jinja
