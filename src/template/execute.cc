#include <fmt/format.h>

#include "template/interpreter.h"
#include "template/objects.h"
#include "template/operate.h"
#include "template/print.h"

namespace ichor::jinja {

namespace {

constexpr std::size_t kSkippedMax = 100;

/// Ends a loop's way to its items, whichever way it is left.
class OpenLoop {
 public:
  explicit OpenLoop(std::shared_ptr<Loop> loop) : loop_(std::move(loop)) {}
  ~OpenLoop() { loop_->close(); }
  OpenLoop(const OpenLoop&) = delete;
  OpenLoop& operator=(const OpenLoop&) = delete;
  Loop* operator->() const { return loop_.get(); }
  Value value() const { return Value::object(loop_); }

 private:
  std::shared_ptr<Loop> loop_;
};

}  // namespace

Outcome<Interpreter::Flow> Interpreter::execute(const Body& body) {
  for (const Statement& statement : body) {
    auto flow = execute(statement);
    if (!flow || *flow != Flow::next) return flow;
  }
  return Flow::next;
}

Outcome<Interpreter::Flow> Interpreter::execute(const Statement& statement) {
  const auto run = [&]() -> Outcome<Flow> {
    if (auto paid = meter_.spend(); !paid) return forward_error(paid);
    const Meter::Level level(meter_);
    if (auto ok = level.ok(); !ok) return forward_error(ok);
    return std::visit([&](const auto& node) { return exec(statement, node); }, statement.node);
  };
  auto flow = run();
  if (!flow) {
    if (flow.error().at.file == nullptr) flow.error().at = statement.at;
    explain(flow.error());
  }
  return flow;
}

Outcome<void> Interpreter::write(std::string_view text) {
  if (auto paid = meter_.spend_text(text.size()); !paid) return paid;
  if (out_->size() + text.size() > meter_.limits().output_bytes_max) {
    return meter_.spend_text(out_->size() + text.size());
  }
  *out_ += text;
  return {};
}

Outcome<std::string> Interpreter::capture(const Body& body, const ScopePtr& scope) {
  std::string text;
  std::string* const outer = std::exchange(out_, &text);
  auto flow = within(scope, [&] { return execute(body); });
  out_ = outer;
  if (!flow) return forward_error(flow);
  return text;
}

void Interpreter::note_skipped(const Position& at, const std::string& text) {
  if (macro_depth_ > 0 || skipped_.size() >= kSkippedMax) return;
  if (!skipped_places_.insert({at.file, {at.line, at.column}}).second) return;
  skipped_.push_back({*at.file, at.line, at.column, text});
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const DataStatement& node) {
  if (is_silent()) return Flow::next;
  auto written = write(node.text);
  if (!written) return forward_error(written);
  return Flow::next;
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const OutputStatement& node) {
  if (is_silent()) return Flow::next;
  auto value = evaluate(*node.value);
  if (!value) return forward_error(value);
  auto text = print(*value, meter_);
  if (text) {
    auto written = write(*text);
    if (!written) text = forward_error(written);
  }
  if (text) return Flow::next;
  if (text.error().at.file == nullptr) text.error().at = node.value->at;
  return forward_error(text);
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const IfStatement& node) {
  for (const IfStatement::Branch& branch : node.branches) {
    auto condition = evaluate(*branch.condition);
    if (!condition) return forward_error(condition);
    auto truth = is_true(*condition);
    if (!truth) {
      if (truth.error().at.file == nullptr) truth.error().at = branch.condition->at;
      return forward_error(truth);
    }
    if (*truth) return execute(branch.body);
  }
  if (node.otherwise) return execute(*node.otherwise);
  for (const IfStatement::Branch& branch : node.branches) {
    note_skipped(branch.at, branch.text);
  }
  return Flow::next;
}

Outcome<void> Interpreter::go_through(const ForStatement& node, const Value& iterable, int depth) {
  auto cursor = Cursor::over(iterable, meter_);
  if (!cursor) {
    if (cursor.error().at.file == nullptr) cursor.error().at = node.iterable->at;
    return forward_error(cursor);
  }
  const ScopePtr outer = scope_;
  const auto items = std::make_shared<Cursor>(*std::move(cursor));
  // Items are asked for one by one, because the condition may depend on what the body does.
  const auto pull = [this, &node, items, outer]() -> Outcome<std::optional<Value>> {
    while (true) {
      auto next = items->next();
      if (!next || !*next || !node.condition) return next;
      auto truth = within(inner_scope(outer), [&]() -> Outcome<bool> {
        if (auto done = assign(node.target, **next); !done) return forward_error(done);
        auto condition = evaluate(*node.condition);
        if (!condition) return forward_error(condition);
        return is_true(*condition);
      });
      if (!truth) return forward_error(truth);
      if (*truth) return next;
    }
  };
  const auto count = node.condition ? std::nullopt : std::optional(items->size());
  const OpenLoop loop(std::make_shared<Loop>(iterable, pull, count, depth));
  if (node.is_recursive) loop->make_recursive(node, outer);

  bool was_any_whole = false;
  bool is_left = false;
  while (!is_left) {
    auto next = loop->advance();
    if (!next) return forward_error(next);
    if (!*next) break;
    const ScopePtr scope = inner_scope(outer);
    scope->shows_loop = node.uses_loop;
    auto flow = within(scope, [&]() -> Outcome<Flow> {
      scope->set("loop", loop.value());
      if (auto done = assign(node.target, **next); !done) return forward_error(done);
      return execute(node.body);
    });
    if (!flow) return forward_error(flow);
    was_any_whole |= *flow == Flow::next;
    is_left = *flow == Flow::leave_loop;
  }
  if (was_any_whole) return {};
  // As in jinja2, a loop whose rounds were all cut short by break or continue counts as empty.
  if (!node.otherwise) {
    if (loop->index0() < 0) note_skipped(node.at, node.text);
    return {};
  }
  auto flow = within(inner_scope(outer), [&] { return execute(*node.otherwise); });
  if (!flow) return forward_error(flow);
  return {};
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const ForStatement& node) {
  auto iterable = evaluate(*node.iterable);
  if (!iterable) return forward_error(iterable);
  auto done = go_through(node, *iterable, 0);
  if (!done) return forward_error(done);
  return Flow::next;
}

Outcome<std::string> Interpreter::run_loop(const ForStatement& loop, const ScopePtr& outer,
                                           const Value& iterable, int depth) {
  std::string text;
  std::string* const before = std::exchange(out_, &text);
  auto done = within(outer, [&] { return go_through(loop, iterable, depth); });
  out_ = before;
  if (!done) return forward_error(done);
  return text;
}

Outcome<void> Interpreter::assign(const Target& target, const Value& value) {
  if (!target.is_tuple && target.attribute.empty()) {
    scope_->set(target.name, value);
    return {};
  }
  if (!target.is_tuple) {
    const Value* found = scope_->find(target.name);
    auto* const space = found != nullptr && found->is(Kind::object)
                            ? dynamic_cast<Namespace*>(found->as_object().get())
                            : nullptr;
    if (space == nullptr) {
      return trouble(fmt::format("'{}' is no namespace", target.name),
                     fmt::format("write: set {} = namespace()", target.name));
    }
    if (auto allowed = refuse_cycle(*found, value, meter_); !allowed) return allowed;
    space->set(target.attribute, value);
    return {};
  }
  auto items = items_of(value, meter_);
  if (!items) return forward_error(items);
  if (items->size() != target.parts.size()) {
    return trouble(fmt::format("{} names for {} values", target.parts.size(), items->size()),
                   "unpack as many as there are");
  }
  for (std::size_t i = 0; i < items->size(); ++i) {
    if (auto done = assign(target.parts[i], (*items)[i]); !done) return done;
  }
  return {};
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const SetStatement& node) {
  auto value = evaluate(*node.value);
  if (!value) return forward_error(value);
  auto done = assign(node.target, *value);
  if (!done) return forward_error(done);
  return Flow::next;
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const SetBlock& node) {
  auto text = capture(node.body, inner_scope(scope_));
  if (!text) return forward_error(text);
  Outcome<Value> value = Value::string(*std::move(text));
  if (node.filter) value = apply_filters(*node.filter, *value);
  if (!value) return forward_error(value);
  auto done = assign(node.target, *value);
  if (!done) return forward_error(done);
  return Flow::next;
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const FilterBlock& node) {
  auto text = capture(node.body, inner_scope(scope_));
  if (!text) return forward_error(text);
  auto value = apply_filters(*node.filter, Value::string(*std::move(text)));
  if (!value) return forward_error(value);
  auto printed = print(*value, meter_);
  if (!printed) return forward_error(printed);
  auto written = write(*printed);
  if (!written) return forward_error(written);
  return Flow::next;
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const WithBlock& node) {
  const ScopePtr scope = inner_scope(scope_);
  for (const auto& [target, expr] : node.values) {
    auto value = evaluate(*expr);
    if (!value) return forward_error(value);
    auto done = within(scope, [&] { return assign(target, *value); });
    if (!done) return forward_error(done);
  }
  return within(scope, [&] { return execute(node.body); });
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const MacroStatement& node) {
  scope_->set(node.name,
              Value::object(std::make_shared<Macro>(node.name, node.signature, node.body, scope_)));
  return Flow::next;
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const CallBlock& node) {
  const auto& call_expr = std::get<CallExpr>(node.call->node);
  auto callee = evaluate(*call_expr.callee);
  if (!callee) return forward_error(callee);
  auto arguments = eval_arguments(call_expr.arguments);
  if (!arguments) return forward_error(arguments);
  arguments->named.emplace_back("caller", Value::object(std::make_shared<Macro>(
                                              "caller", node.signature, node.body, scope_)));
  auto value = call(*callee, *arguments);
  if (!value) return forward_error(value);
  auto text = print(*value, meter_);
  if (!text) return forward_error(text);
  auto written = write(*text);
  if (!written) return forward_error(written);
  return Flow::next;
}

Outcome<std::string> Interpreter::run_macro(
    const Signature& signature, const Body& body, const ScopePtr& outer, const Items& values,
    const std::vector<bool>& is_given, const std::vector<std::pair<std::string, Value>>& extra) {
  const ScopePtr scope = inner_scope(outer);
  for (const auto& [name, value] : extra) scope->set(name, value);
  const std::size_t without_default = signature.names.size() - signature.defaults.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = signature.names[i];
    if (is_given[i]) {
      scope->set(name, values[i]);
    } else if (i < without_default) {
      Undefined why;
      why.what = fmt::format("the parameter '{}' was not given", name);
      why.name = name;
      scope->set(name, Value::undefined(std::move(why)));
    } else {
      // A default may use the parameters before it.
      const Expr& expr = *signature.defaults[i - without_default];
      auto value = within(scope, [&] { return evaluate(expr); });
      if (!value) return forward_error(value);
      scope->set(name, *value);
    }
  }
  ++macro_depth_;
  auto text = capture(body, scope);
  --macro_depth_;
  return text;
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const DoStatement& node) {
  auto value = evaluate(*node.value);
  if (!value) return forward_error(value);
  return Flow::next;
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const BreakStatement&) {
  return Flow::leave_loop;
}

Outcome<Interpreter::Flow> Interpreter::exec(const Statement&, const ContinueStatement&) {
  return Flow::next_round;
}

}  // namespace ichor::jinja
