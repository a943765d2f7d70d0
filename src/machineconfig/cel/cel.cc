#include "machineconfig/cel/cel.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/nearest_name.h"

namespace ichor::cel {

namespace {

using Kind = Type::Kind;

Type wrong() { return make_type(Kind::wrong); }
Type boolean() { return make_type(Kind::boolean); }

bool is_open(const Type& type) { return type.is_dynamic() || type.kind == Kind::wrong; }

/// "a.b.c" of an expression that is only names and dots.
std::optional<std::string> qualified_name(const Expression& expression) {
  if (expression.kind == Expression::Kind::name) return expression.text;
  if (expression.kind != Expression::Kind::select) return std::nullopt;
  auto before = qualified_name(expression.parts[0]);
  if (before) *before += "." + expression.text;
  return before;
}

/// `_+_` as people write it.
std::string_view shown(std::string_view function) {
  if (function == "@in") return "in";
  if (function == "_?_:_") return "? :";
  if (function == "_[_]" || function == "_[?_]") return "[ ]";
  while (function.starts_with('_')) function.remove_prefix(1);
  while (function.ends_with('_')) function.remove_suffix(1);
  return function;
}

class Checker {
 public:
  Checker(const Library& library, std::vector<Problem>& problems)
      : library_(library), problems_(problems) {}

  Type check(const Expression& e) {
    switch (e.kind) {
      case Expression::Kind::literal: return e.type;
      case Expression::Kind::name: return name(e);
      case Expression::Kind::select: return select(e);
      case Expression::Kind::optional_select:
        return types_.resolve(optional_of(unwrapped(field(e))));
      case Expression::Kind::has: field(e); return boolean();
      case Expression::Kind::call: return call(e);
      case Expression::Kind::method: return method(e);
      case Expression::Kind::list: return list(e);
      case Expression::Kind::map: return map(e);
      case Expression::Kind::object: return object(e);
      case Expression::Kind::each: return each(e);
    }
    return wrong();
  }

  Type close(const Type& type) const { return types_.close(type); }

 private:
  void report(std::size_t at, std::string what, std::string fix) {
    problems_.push_back({at, std::move(what), std::move(fix)});
  }

  static Type unwrapped(Type type) {
    return type.kind == Kind::optional ? Type(type.parts[0]) : type;
  }

  const Type* variable(const std::string& name) const {
    for (auto local = locals_.rbegin(); local != locals_.rend(); ++local) {
      if (local->first == name) return &local->second;
    }
    const auto known = library_.variables.find(name);
    return known == library_.variables.end() ? nullptr : &known->second;
  }

  Type name(const Expression& e) {
    if (const Type* known = variable(e.text)) return *known;
    std::vector<std::string_view> names;
    for (const auto& local : locals_) names.push_back(local.first);
    for (const auto& [known, type] : library_.variables) {
      if (type.kind != Kind::type) names.push_back(known);
    }
    report(e.at, fmt::format("`{}` is not known here", e.text), name_hint(e.text, names));
    return wrong();
  }

  Type select(const Expression& e) {
    const auto qualified = qualified_name(e);
    if (qualified) {
      if (const Type* known = variable(*qualified)) return *known;
    }
    return types_.resolve(field(e));
  }

  /// The type of a field; of an optional value an optional one.
  Type field(const Expression& e) {
    const Type of = types_.resolve(check(e.parts[0]));
    const bool optional = of.kind == Kind::optional;
    const Type target = unwrapped(of);
    Type result = make_type(Kind::dyn);
    if (target.kind == Kind::map) {
      result = target.parts[1];
    } else if (target.kind == Kind::object) {
      result = field_of(target.name, e.text, e.at);
    } else if (target.kind == Kind::variable) {
      types_.fits(result, target);
    } else if (!is_open(target)) {
      report(e.at, fmt::format("a value of type {} has no fields", to_text(target)),
             fmt::format("remove `.{}`", e.text));
    }
    return optional ? optional_of(std::move(result)) : result;
  }

  Type field_of(const std::string& object, const std::string& field, std::size_t at) {
    const auto& fields = library_.objects.at(object);
    const auto found = fields.find(field);
    if (found != fields.end()) return found->second;
    std::vector<std::string_view> names;
    for (const auto& known : fields) names.push_back(known.first);
    report(at, fmt::format("there is no field `{}`", field), name_hint(field, names));
    return wrong();
  }

  std::vector<Type> all(const std::vector<Expression>& parts, std::size_t from = 0) {
    std::vector<Type> types;
    for (std::size_t i = from; i < parts.size(); ++i) types.push_back(check(parts[i]));
    return types;
  }

  Type call(const Expression& e) {
    std::vector<Type> arguments = all(e.parts);
    if (e.text == "_&&_" || e.text == "_||_") return logical(e, arguments);
    return resolve_call(e, e.text, false, std::move(arguments));
  }

  Type logical(const Expression& e, const std::vector<Type>& arguments) {
    for (std::size_t i = 0; i < arguments.size(); ++i) must_be_bool(e.parts[i], arguments[i]);
    return boolean();
  }

  void must_be_bool(const Expression& e, const Type& type) {
    if (types_.fits(type, boolean())) return;
    report(e.at, fmt::format("this is of type {}, but must be bool", to_text(close(type))),
           "compare it with something");
  }

  Type method(const Expression& e) {
    if (const auto before = qualified_name(e.parts[0])) {
      const std::string whole = *before + "." + e.text;
      if (library_.functions.contains(whole)) {
        return resolve_call(e, whole, false, all(e.parts, 1));
      }
    }
    std::vector<Type> arguments = all(e.parts, 1);
    arguments.insert(arguments.begin(), check(e.parts[0]));
    return resolve_call(e, e.text, true, std::move(arguments));
  }

  Type resolve_call(const Expression& e, const std::string& name, bool method,
                    std::vector<Type> arguments) {
    const auto known = library_.functions.find(name);
    if (known == library_.functions.end()) {
      std::vector<std::string_view> names;
      for (const auto& [function, signatures] : library_.functions) {
        const bool is_word = function.front() >= 'a' && function.front() <= 'z';
        if (is_word && signatures.front().method == method) names.push_back(function);
      }
      report(e.at, fmt::format("there is no function `{}`", name), name_hint(name, names));
      return wrong();
    }
    std::optional<Type> result;
    for (const Signature& signature : known->second) {
      if (signature.method != method) continue;
      std::map<std::string, Type> fresh;
      std::vector<Type> wanted;
      for (const Type& argument : signature.arguments) {
        wanted.push_back(instance(argument, fresh));
      }
      if (!types_.all_fit(arguments, wanted)) continue;
      const Type found = types_.resolve(instance(signature.result, fresh));
      if (!result) {
        result = found;
      } else if (!result->is_dynamic() && !(*result == found)) {
        result = make_type(Kind::dyn);
      }
    }
    if (result) return *result;
    no_overload(e, name, arguments);
    return wrong();
  }

  /// The type with its capital letters replaced by variables of this expression.
  Type instance(const Type& type, std::map<std::string, Type>& fresh) {
    if (type.kind == Kind::variable) {
      const auto [found, is_new] = fresh.try_emplace(type.name);
      if (is_new) found->second = types_.fresh();
      return found->second;
    }
    Type out = type;
    for (Type& part : out.parts) part = instance(part, fresh);
    return out;
  }

  void no_overload(const Expression& e, const std::string& name,
                   const std::vector<Type>& arguments) {
    std::vector<std::string> texts;
    bool has_unsigned = false;
    bool has_signed = false;
    for (const Type& argument : arguments) {
      const Type closed = close(argument);
      texts.push_back(to_text(closed));
      const Type& inner = closed.kind == Kind::list ? closed.parts[0] : closed;
      has_unsigned = has_unsigned || inner.kind == Kind::unsigned_integer;
      has_signed = has_signed || inner.kind == Kind::integer;
    }
    const std::string what = texts.empty() ? fmt::format("`{}` needs arguments", shown(name))
                                           : fmt::format("`{}` cannot be used with {}", shown(name),
                                                         fmt::join(texts, " and "));
    report(e.at, what,
           has_unsigned && has_signed ? "write a number that is compared with a size as 100u"
                                      : "use values of matching types");
  }

  /// The common type of the items of a list or the keys of a map; of different ones, dynamic.
  Type join(std::optional<Type> before, const Type& next) {
    if (!before) return next;
    if (types_.fits(*before, next)) return more_general(*before, next);
    return make_type(Kind::dyn);
  }

  Type optional_part(const Expression& e, std::size_t i, Type type) {
    const auto& optional = e.optional_parts;
    if (std::find(optional.begin(), optional.end(), i) == optional.end()) return type;
    if (type.kind != Kind::optional && !is_open(type)) {
      report(e.parts[i].at, fmt::format("a value of type {} is not optional", to_text(type)),
             "remove the `?`");
    }
    return unwrapped(std::move(type));
  }

  Type list(const Expression& e) {
    std::optional<Type> item;
    for (std::size_t i = 0; i < e.parts.size(); ++i) {
      item = join(item, optional_part(e, i, check(e.parts[i])));
    }
    return list_of(item ? *item : types_.fresh());
  }

  Type map(const Expression& e) {
    std::optional<Type> key;
    std::optional<Type> value;
    for (std::size_t i = 0; i + 1 < e.parts.size(); i += 2) {
      key = join(key, check(e.parts[i]));
      value = join(value, optional_part(e, i + 1, check(e.parts[i + 1])));
    }
    return map_of(key ? *key : types_.fresh(), value ? *value : types_.fresh());
  }

  Type object(const Expression& e) {
    const auto known = library_.objects.find(e.text);
    const std::vector<Type> values = all(e.parts);
    if (known == library_.objects.end()) {
      report(e.at, fmt::format("there is no type `{}`", e.text), "use the values that are given");
      return wrong();
    }
    for (std::size_t i = 0; i < e.fields.size(); ++i) {
      const Type wanted = field_of(e.text, e.fields[i], e.parts[i].at);
      const Type given = optional_part(e, i, values[i]);
      if (types_.fits(wanted, given)) continue;
      report(e.parts[i].at,
             fmt::format("`{}` is of type {}, not {}", e.fields[i], to_text(wanted),
                         to_text(close(given))),
             "use a value of that type");
    }
    return {Kind::object, e.text, {}};
  }

  Type each(const Expression& e) {
    const Type range = types_.resolve(check(e.parts[0]));
    if (e.text == "optMap" || e.text == "optFlatMap") return each_optional(e, range);
    Type item = make_type(Kind::dyn);
    if (range.kind == Kind::list || range.kind == Kind::map) {
      item = range.parts[0];
    } else if (range.kind == Kind::variable) {
      types_.fits(item, range);
    } else if (!is_open(range)) {
      report(e.parts[0].at,
             fmt::format("{}() needs a list or a map, not {}", e.text, to_text(range)),
             "use it on a list");
      item = wrong();
    }
    locals_.emplace_back(e.variable, item);
    const std::vector<Type> bodies = all(e.parts, 1);
    locals_.pop_back();
    if (e.text == "map") {
      if (bodies.size() == 2) must_be_bool(e.parts[1], bodies[0]);
      return types_.resolve(list_of(bodies.back()));
    }
    must_be_bool(e.parts[1], bodies[0]);
    return e.text == "filter" ? types_.resolve(list_of(item)) : boolean();
  }

  Type each_optional(const Expression& e, const Type& range) {
    const Type item = types_.fresh();
    if (!types_.fits(range, optional_of(item))) {
      report(e.parts[0].at,
             fmt::format("{}() needs an optional value, not {}", e.text, to_text(close(range))),
             "use the value itself");
    }
    locals_.emplace_back(e.variable, types_.resolve(item));
    Type body = check(e.parts[1]);
    locals_.pop_back();
    if (e.text == "optMap") return types_.resolve(optional_of(std::move(body)));
    if (!types_.fits(body, optional_of(types_.fresh()))) {
      report(e.parts[1].at, "optFlatMap() must give an optional value", "use optMap()");
      return wrong();
    }
    return types_.resolve(body);
  }

  const Library& library_;
  std::vector<Problem>& problems_;
  Bindings types_;
  std::vector<std::pair<std::string, Type>> locals_;
};

}  // namespace

std::vector<Problem> check_expression(std::string_view text, Place place, int minor) {
  // Names are few and short, so what is longer was not written by a person; Talos takes no more
  // than 100,000 characters either.
  constexpr std::size_t length_max = 100'000;
  if (text.size() > length_max) {
    return {{0, fmt::format("the expression is longer than {} characters", length_max),
             "write a shorter one"}};
  }
  const Library& library = library_of(place, minor);
  Syntax syntax;
  syntax.optionals = library.optionals;
  syntax.escaped_names = library.escaped_names;
  auto expression = parse(text, syntax);
  if (!expression) return {std::move(expression).error()};
  std::vector<Problem> problems;
  Checker checker(library, problems);
  const Type result = checker.close(checker.check(*expression));
  const Kind wanted = place == Place::oom_ranking ? Kind::floating : Kind::boolean;
  if (problems.empty() && result.kind != wanted) {
    problems.push_back(
        {0,
         fmt::format("the expression gives {}, but must give {}", to_text(result),
                     to_text(make_type(wanted))),
         wanted == Kind::boolean ? "compare it with something" : "convert it with double()"});
  }
  return problems;
}

}  // namespace ichor::cel
