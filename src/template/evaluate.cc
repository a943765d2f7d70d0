#include <fmt/format.h>

#include "base/nearest_name.h"
#include "template/filters.h"
#include "template/globals.h"
#include "template/interpreter.h"
#include "template/methods.h"
#include "template/objects.h"
#include "template/predicates.h"
#include "template/print.h"

namespace ichor::jinja {

namespace {

/// "node.network.ip" for an expression that is such a path; empty for any other.
std::string path_of(const Expr& expr) {
  if (const auto* name = std::get_if<Name>(&expr.node)) return name->name;
  if (const auto* member = std::get_if<AttributeExpr>(&expr.node)) {
    const std::string object = path_of(*member->object);
    return object.empty() ? object : object + "." + member->name;
  }
  if (const auto* item = std::get_if<ItemExpr>(&expr.node)) {
    const std::string object = path_of(*item->object);
    const auto* key = std::get_if<Literal>(&item->key->node);
    if (object.empty() || key == nullptr) return {};
    if (key->value.is_string()) return fmt::format("{}['{}']", object, key->value.as_string());
    if (key->value.is(Kind::integer)) return fmt::format("{}[{}]", object, key->value.as_integer());
  }
  return {};
}

/// The index of a slice; nothing if it was left out.
Outcome<std::optional<std::int64_t>> slice_index(const Value& value) {
  if (value.is_none()) return std::optional<std::int64_t>();
  if (auto defined = need_defined(value); !defined) return forward_error(defined);
  if (value.is_integral()) return std::optional<std::int64_t>(value.as_integer());
  return trouble(fmt::format("{} as the bound of a slice", type_name(value)), "use an integer");
}

}  // namespace

void Interpreter::explain(Trouble& problem) const {
  if (!problem.doubtful_name.empty()) {
    const std::string name = std::exchange(problem.doubtful_name, {});
    if (is_written(name)) problem.what += fmt::format(": '{}'", name);
  }
  if (!problem.fix.empty() || problem.missing_variable.empty()) return;
  std::vector<std::string_view> known;
  for (const Scope* scope = scope_.get(); scope != nullptr; scope = scope->parent.get()) {
    for (const auto& [name, value] : scope->names) known.push_back(name);
    if (scope->variables == nullptr) continue;
    for (const auto& entry : scope->variables->entries()) {
      if (entry.key.is_string()) known.push_back(entry.key.as_string());
    }
  }
  const std::string_view nearest = nearest_name(problem.missing_variable, known);
  problem.fix = nearest.empty() ? "define it, or use | default(…)"
                                : fmt::format(
                                      "did you mean \"{}\"? else define it, or use "
                                      "| default(…)",
                                      nearest);
}

Outcome<Value> Interpreter::evaluate(const Expr& expr) {
  const auto result = [&]() -> Outcome<Value> {
    if (auto paid = meter_.spend(); !paid) return forward_error(paid);
    const Meter::Level level(meter_);
    if (auto ok = level.ok(); !ok) return forward_error(ok);
    return std::visit([&](const auto& node) { return eval(expr, node); }, expr.node);
  };
  auto value = result();
  if (!value) {
    if (value.error().at.file == nullptr) value.error().at = expr.at;
    explain(value.error());
  }
  return value;
}

Outcome<Value> Interpreter::eval(const Expr&, const Literal& node) { return node.value; }

Outcome<Value> Interpreter::eval(const Expr& expr, const Name& node) {
  if (const Value* found = scope_->find(node.name)) return *found;
  if (auto global = find_global(node.name)) return *std::move(global);
  if (node.name == "self") return Value::object(std::make_shared<Self>());
  Undefined why;
  why.what = fmt::format("'{}' is undefined", node.name);
  why.name = node.name;
  why.is_variable = true;
  why.at = expr.at;
  return Value::undefined(std::move(why));
}

Outcome<Items> Interpreter::eval_all(const std::vector<ExprPtr>& exprs) {
  Items items;
  items.reserve(exprs.size());
  for (const ExprPtr& expr : exprs) {
    auto value = evaluate(*expr);
    if (!value) return forward_error(value);
    items.push_back(*std::move(value));
  }
  return items;
}

Outcome<Value> Interpreter::eval(const Expr&, const ListExpr& node) {
  auto items = eval_all(node.items);
  if (!items) return forward_error(items);
  return Value::list(*std::move(items));
}

Outcome<Value> Interpreter::eval(const Expr&, const TupleExpr& node) {
  auto items = eval_all(node.items);
  if (!items) return forward_error(items);
  return Value::tuple(*std::move(items));
}

Outcome<Value> Interpreter::eval(const Expr&, const DictExpr& node) {
  Value dict = Value::dict();
  for (const auto& [key_expr, value_expr] : node.entries) {
    auto key = evaluate(*key_expr);
    if (!key) return key;
    auto value = evaluate(*value_expr);
    if (!value) return value;
    if (auto put = put_into(*dict.as_dict(), *key, *std::move(value)); !put) {
      return forward_error(put);
    }
  }
  return dict;
}

/// What a dict or an object does not have. The owner's keys are remembered, not copied: mostly the
/// value gets a default without a warning.
Value Interpreter::missing_member(const Value& owner, const Expr& expr, const Expr& object,
                                  std::string_view name) const {
  Undefined why;
  const std::string path = path_of(expr);
  why.what = path.empty() ? fmt::format("{} has no attribute or item{}", type_name(owner),
                                        name.empty() ? "" : fmt::format(" '{}'", name))
                          : fmt::format("'{}' is undefined", path);
  const std::string owner_path = path_of(object);
  if (!path.empty() && !owner_path.empty() && !name.empty()) {
    why.what += fmt::format(": '{}' is a {} without '{}'", owner_path, type_name(owner), name);
  }
  why.name = name;
  if (owner.is(Kind::dict)) why.owner = owner.as_dict();
  why.at = expr.at;
  return Value::undefined(std::move(why));
}

Outcome<Value> Interpreter::eval(const Expr& expr, const AttributeExpr& node) {
  auto object = evaluate(*node.object);
  if (!object) return object;
  auto value = attribute(*object, node.name);
  if (value && value->is_undefined() && value->as_undefined().at.file == nullptr) {
    return missing_member(*object, expr, *node.object, node.name);
  }
  return value;
}

Outcome<Value> Interpreter::eval(const Expr& expr, const ItemExpr& node) {
  auto object = evaluate(*node.object);
  if (!object) return object;
  auto key = evaluate(*node.key);
  if (!key) return key;
  auto value = item(*object, *key);
  if (value && value->is_undefined() && value->as_undefined().at.file == nullptr) {
    // A key that is not written in the template may be a secret.
    const auto* literal = std::get_if<Literal>(&node.key->node);
    const bool is_written = literal != nullptr && literal->value.is_string();
    return missing_member(*object, expr, *node.object,
                          is_written ? literal->value.as_string() : std::string_view());
  }
  return value;
}

Outcome<Value> Interpreter::eval(const Expr&, const SliceExpr& node) {
  auto object = evaluate(*node.object);
  if (!object) return object;
  std::array<std::optional<std::int64_t>, 3> bounds;
  const std::array<const Expr*, 3> exprs{node.start.get(), node.stop.get(), node.step.get()};
  for (std::size_t i = 0; i < exprs.size(); ++i) {
    if (exprs[i] == nullptr) continue;
    auto value = evaluate(*exprs[i]);
    if (!value) return value;
    auto index = slice_index(*value);
    if (!index) return forward_error(index);
    bounds[i] = *index;
  }
  return slice_of(*object, {bounds[0], bounds[1], bounds[2].value_or(1)}, meter_);
}

Outcome<Arguments> Interpreter::eval_arguments(const CallArguments& given) {
  auto positional = eval_all(given.positional);
  if (!positional) return forward_error(positional);
  Arguments arguments{*std::move(positional), {}};
  for (const auto& [name, expr] : given.named) {
    auto value = evaluate(*expr);
    if (!value) return forward_error(value);
    arguments.named.emplace_back(name, *std::move(value));
  }
  if (given.spread) {
    auto value = evaluate(*given.spread);
    if (!value) return forward_error(value);
    auto items = items_of(*value, meter_);
    if (!items) return forward_error(items);
    arguments.positional.insert(arguments.positional.end(), items->begin(), items->end());
  }
  if (given.spread_named) {
    auto value = evaluate(*given.spread_named);
    if (!value) return forward_error(value);
    if (!value->is(Kind::dict)) return trouble("** needs a dict", "use * for a list");
    for (const auto& [key, held] : value->as_dict()->entries()) {
      if (!key.is_string()) return trouble("** needs a dict with texts as keys", "check its keys");
      for (const auto& [name, known] : arguments.named) {
        if (name == key.as_string()) return trouble("an argument is given twice", "remove one");
      }
      arguments.named.emplace_back(key.as_string(), held);
    }
  }
  return arguments;
}

Outcome<Value> Interpreter::eval(const Expr&, const CallExpr& node) {
  // A method is called on its object directly, without making a value of it.
  if (const auto* member = std::get_if<AttributeExpr>(&node.callee->node)) {
    auto object = evaluate(*member->object);
    if (!object) return object;
    if (const Method method = find_method(object->kind(), member->name)) {
      auto arguments = eval_arguments(node.arguments);
      if (!arguments) return forward_error(arguments);
      return method(*object, *arguments, *this);
    }
    auto callee = attribute(*object, member->name);
    if (!callee) return callee;
    if (callee->is_undefined() && callee->as_undefined().at.file == nullptr) {
      callee = missing_member(*object, *node.callee, *member->object, member->name);
    }
    auto arguments = eval_arguments(node.arguments);
    if (!arguments) return forward_error(arguments);
    return call(*callee, *arguments);
  }
  auto callee = evaluate(*node.callee);
  if (!callee) return callee;
  auto arguments = eval_arguments(node.arguments);
  if (!arguments) return forward_error(arguments);
  return call(*callee, *arguments);
}

Outcome<Value> Interpreter::eval(const Expr&, const FilterExpr& node) {
  auto input = evaluate(*node.input);
  if (!input) return input;
  auto arguments = eval_arguments(node.arguments);
  if (!arguments) return forward_error(arguments);
  return apply_filter(node.name, *input, *arguments);
}

/// A chain of filters whose innermost one gets `input`.
Outcome<Value> Interpreter::apply_filters(const Expr& filter, const Value& input) {
  const auto& node = std::get<FilterExpr>(filter.node);
  const Meter::Level level(meter_);
  if (auto ok = level.ok(); !ok) return forward_error(ok);
  auto value = node.input == nullptr ? Outcome<Value>(input) : apply_filters(*node.input, input);
  if (!value) return value;
  auto arguments = eval_arguments(node.arguments);
  if (!arguments) return forward_error(arguments);
  auto result = apply_filter(node.name, *value, *arguments);
  if (!result && result.error().at.file == nullptr) result.error().at = filter.at;
  return result;
}

Outcome<Value> Interpreter::eval(const Expr&, const TestExpr& node) {
  auto input = evaluate(*node.input);
  if (!input) return input;
  auto arguments = eval_arguments(node.arguments);
  if (!arguments) return forward_error(arguments);
  const auto holds = apply_test(node.name, *input, *arguments);
  if (!holds) return forward_error(holds);
  return Value::boolean(*holds);
}

Outcome<Value> Interpreter::eval(const Expr&, const UnaryExpr& node) {
  auto operand = evaluate(*node.operand);
  if (!operand) return operand;
  if (node.sign == UnaryExpr::Sign::no) {
    const auto truth = is_true(*operand);
    if (!truth) return forward_error(truth);
    return Value::boolean(!*truth);
  }
  if (auto defined = need_defined(*operand); !defined) return forward_error(defined);
  if (!operand->is_number()) {
    return trouble(fmt::format("a sign before {}", type_name(*operand)),
                   "convert it with | int or | float");
  }
  if (node.sign == UnaryExpr::Sign::minus) return negate(*operand);
  return operand->is(Kind::boolean) ? Value::integer(operand->as_integer()) : *operand;
}

Outcome<Value> Interpreter::eval(const Expr&, const ArithmeticExpr& node) {
  auto left = evaluate(*node.left);
  if (!left) return left;
  auto right = evaluate(*node.right);
  if (!right) return right;
  return operate(node.operation, *left, *right, meter_);
}

Outcome<Value> Interpreter::eval(const Expr&, const CompareExpr& node) {
  auto left = evaluate(*node.first);
  if (!left) return left;
  for (const CompareExpr::Step& step : node.steps) {
    auto right = evaluate(*step.operand);
    if (!right) return right;
    using StepKind = CompareExpr::Step::Kind;
    auto holds = step.kind == StepKind::relation ? compare(step.relation, *left, *right, meter_)
                                                 : contains(*right, *left, meter_);
    if (!holds) return forward_error(holds);
    if (step.kind == StepKind::not_in) holds = !*holds;
    if (!*holds) return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

Outcome<Value> Interpreter::eval(const Expr&, const LogicExpr& node) {
  auto left = evaluate(*node.left);
  if (!left) return left;
  const auto truth = is_true(*left);
  if (!truth) return forward_error(truth);
  return *truth == node.is_and ? evaluate(*node.right) : left;
}

Outcome<Value> Interpreter::eval(const Expr&, const ConcatExpr& node) {
  std::string text;
  for (const ExprPtr& part : node.parts) {
    auto value = evaluate(*part);
    if (!value) return value;
    auto printed = print(*value, meter_);
    if (!printed) {
      if (printed.error().at.file == nullptr) printed.error().at = part->at;
      return forward_error(printed);
    }
    text += *printed;
    if (auto paid = meter_.spend_text(text.size()); !paid) return forward_error(paid);
  }
  return Value::string(std::move(text));
}

Outcome<Value> Interpreter::eval(const Expr& expr, const ConditionalExpr& node) {
  auto condition = evaluate(*node.condition);
  if (!condition) return condition;
  const auto truth = is_true(*condition);
  if (!truth) return forward_error(truth);
  if (*truth) return evaluate(*node.then);
  if (node.otherwise) return evaluate(*node.otherwise);
  Undefined why;
  why.what = "an inline if whose condition is false has no else";
  why.prints_nothing = true;
  why.at = expr.at;
  return Value::undefined(std::move(why));
}

}  // namespace ichor::jinja
