#include "machineconfig/cel/type.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace ichor::cel {

namespace {

using Kind = Type::Kind;

bool fits_anywhere(const Type& type) { return type.kind == Kind::dyn || type.kind == Kind::wrong; }

/// Whether a value of the type may be null.
bool is_nullable(const Type& type) {
  switch (type.kind) {
    case Kind::null:
    case Kind::object:
    case Kind::optional:
    case Kind::timestamp:
    case Kind::duration: return true;
    default: return false;
  }
}

bool is_general(const Type& one, const Type& other) {
  if (one.kind == Kind::dyn || one.kind == Kind::variable) return true;
  if (other.kind == Kind::dyn || other.kind == Kind::variable) return false;
  if (one.kind != other.kind) return false;
  if (one.kind == Kind::type) return true;
  if (one.name != other.name) return false;
  for (std::size_t i = 0; i < one.parts.size() && i < other.parts.size(); ++i) {
    if (!is_general(one.parts[i], other.parts[i])) return false;
  }
  return true;
}

}  // namespace

std::string to_text(const Type& type) {
  const auto with = [&](std::string_view word) {
    std::vector<std::string> parts;
    for (const Type& part : type.parts) parts.push_back(to_text(part));
    return fmt::format("{}({})", word, fmt::join(parts, ", "));
  };
  switch (type.kind) {
    case Kind::wrong: return "error";
    case Kind::dyn: return "dyn";
    case Kind::null: return "null";
    case Kind::boolean: return "bool";
    case Kind::integer: return "int";
    case Kind::unsigned_integer: return "uint";
    case Kind::floating: return "double";
    case Kind::text: return "string";
    case Kind::bytes: return "bytes";
    case Kind::timestamp: return "timestamp";
    case Kind::duration: return "duration";
    case Kind::list: return with("list");
    case Kind::map: return with("map");
    case Kind::optional: return with("optional");
    case Kind::type: return with("type");
    case Kind::object: return type.name.substr(type.name.rfind('.') + 1);
    case Kind::variable: return "dyn";
  }
  return "";
}

const Type& more_general(const Type& one, const Type& other) {
  return is_general(one, other) ? one : other;
}

Type Bindings::fresh() { return {Kind::variable, "#" + std::to_string(count_++), {}}; }

bool Bindings::fits(const Type& from, const Type& to) { return all_fit({from}, {to}); }

bool Bindings::all_fit(const std::vector<Type>& from, const std::vector<Type>& to) {
  if (from.size() != to.size()) return false;
  auto before = bound_;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (unify(from[i], to[i])) continue;
    bound_ = std::move(before);
    return false;
  }
  return true;
}

bool Bindings::unify(const Type& from, const Type& to) {
  if (to.kind == Kind::variable) {
    bool was_bound = false;
    if (bind(to, from, was_bound)) return true;
    if (was_bound) return false;
  }
  if (from.kind == Kind::variable) {
    bool was_bound = false;
    return bind(from, to, was_bound);
  }
  if (fits_anywhere(from) || fits_anywhere(to)) return true;
  if (from.kind == Kind::null) return is_nullable(to);
  if (to.kind == Kind::null) return is_nullable(from);
  if (from.kind != to.kind) return false;
  if (from.kind == Kind::type) return true;
  if (from.name != to.name || from.parts.size() != to.parts.size()) return false;
  for (std::size_t i = 0; i < from.parts.size(); ++i) {
    if (!unify(from.parts[i], to.parts[i])) return false;
  }
  return true;
}

bool Bindings::bind(const Type& variable, const Type& to, bool& was_bound) {
  was_bound = true;
  if (variable == to) return true;
  const auto found = bound_.find(variable.name);
  if (found == bound_.end()) {
    was_bound = false;
    if (mentions(to, variable.name)) return false;
    bound_.emplace(variable.name, to);
    return true;
  }
  const Type known = found->second;
  if (known == to) return true;
  if (!unify(to, known)) return false;
  const Type wider = more_general(to, known);
  if (!mentions(wider, variable.name)) bound_[variable.name] = wider;
  return true;
}

bool Bindings::mentions(const Type& type, const std::string& variable) const {
  if (type.kind == Kind::variable) {
    if (type.name == variable) return true;
    const auto found = bound_.find(type.name);
    return found != bound_.end() && mentions(found->second, variable);
  }
  return std::any_of(type.parts.begin(), type.parts.end(),
                     [&](const Type& part) { return mentions(part, variable); });
}

Type Bindings::resolve(const Type& type) const {
  if (type.kind == Kind::variable) {
    const auto found = bound_.find(type.name);
    return found == bound_.end() ? type : resolve(found->second);
  }
  Type out = type;
  for (Type& part : out.parts) part = resolve(part);
  return out;
}

Type Bindings::close(const Type& type) const {
  Type out = resolve(type);
  if (out.kind == Kind::variable) return make_type(Kind::dyn);
  for (Type& part : out.parts) part = close(part);
  return out;
}

}  // namespace ichor::cel
