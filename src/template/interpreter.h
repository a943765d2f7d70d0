#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "template/ast.h"
#include "template/meter.h"
#include "template/object.h"
#include "template/render.h"
#include "template/scope.h"

namespace ichor::jinja {

/// Renders parsed templates. One object is one rendering: it keeps the templates it read, counts
/// what it spends and collects what was skipped.
class Interpreter {
 public:
  Interpreter(const Value& variables, const Options& options, Loader* loader);

  /// Reads and renders a template. An error has a place.
  Outcome<std::string> run(std::string_view text, const std::string& file);
  std::vector<Skipped> take_skipped() { return std::move(skipped_); }

  Meter& meter() { return meter_; }

  // For filters, objects and methods.
  Outcome<Value> call(const Value& callee, const Arguments& arguments);
  Outcome<Value> apply_filter(std::string_view name, const Value& input,
                              const Arguments& arguments);
  Outcome<bool> apply_test(std::string_view name, const Value& input, const Arguments& arguments);
  /// `value.name` and `value[key]`: undefined if there is no such thing.
  Outcome<Value> attribute(const Value& value, std::string_view name);
  Outcome<Value> item(const Value& value, const Value& key);

  /// The text of a macro's body, or of one more level of a recursive loop.
  Outcome<std::string> run_macro(const Signature& signature, const Body& body,
                                 const ScopePtr& outer, const Items& values,
                                 const std::vector<bool>& is_given,
                                 const std::vector<std::pair<std::string, Value>>& extra);
  Outcome<std::string> run_loop(const ForStatement& loop, const ScopePtr& outer,
                                const Value& iterable, int depth);

  /// For `self`: the block of that name of the template that is being rendered.
  bool has_block(std::string_view name) const;
  Outcome<Value> render_own_block(const std::string& name);

 private:
  enum class Flow { next, leave_loop, next_round };

  // Expressions, in evaluate.cc.
  Outcome<Value> evaluate(const Expr& expr);
  Outcome<Value> eval(const Expr& expr, const Literal& node);
  Outcome<Value> eval(const Expr& expr, const Name& node);
  Outcome<Value> eval(const Expr& expr, const ListExpr& node);
  Outcome<Value> eval(const Expr& expr, const TupleExpr& node);
  Outcome<Value> eval(const Expr& expr, const DictExpr& node);
  Outcome<Value> eval(const Expr& expr, const AttributeExpr& node);
  Outcome<Value> eval(const Expr& expr, const ItemExpr& node);
  Outcome<Value> eval(const Expr& expr, const SliceExpr& node);
  Outcome<Value> eval(const Expr& expr, const CallExpr& node);
  Outcome<Value> eval(const Expr& expr, const FilterExpr& node);
  Outcome<Value> eval(const Expr& expr, const TestExpr& node);
  Outcome<Value> eval(const Expr& expr, const UnaryExpr& node);
  Outcome<Value> eval(const Expr& expr, const ArithmeticExpr& node);
  Outcome<Value> eval(const Expr& expr, const CompareExpr& node);
  Outcome<Value> eval(const Expr& expr, const LogicExpr& node);
  Outcome<Value> eval(const Expr& expr, const ConcatExpr& node);
  Outcome<Value> eval(const Expr& expr, const ConditionalExpr& node);
  Outcome<Items> eval_all(const std::vector<ExprPtr>& exprs);
  Outcome<Arguments> eval_arguments(const CallArguments& given);
  Outcome<Value> apply_filters(const Expr& filter, const Value& input);
  Value missing_member(const Value& owner, const Expr& expr, const Expr& object,
                       std::string_view name) const;

  // Statements, in execute.cc.
  Outcome<Flow> execute(const Body& body);
  Outcome<Flow> execute(const Statement& statement);
  Outcome<Flow> exec(const Statement& at, const DataStatement& node);
  Outcome<Flow> exec(const Statement& at, const OutputStatement& node);
  Outcome<Flow> exec(const Statement& at, const IfStatement& node);
  Outcome<Flow> exec(const Statement& at, const ForStatement& node);
  Outcome<Flow> exec(const Statement& at, const SetStatement& node);
  Outcome<Flow> exec(const Statement& at, const SetBlock& node);
  Outcome<Flow> exec(const Statement& at, const FilterBlock& node);
  Outcome<Flow> exec(const Statement& at, const WithBlock& node);
  Outcome<Flow> exec(const Statement& at, const MacroStatement& node);
  Outcome<Flow> exec(const Statement& at, const CallBlock& node);
  Outcome<Flow> exec(const Statement& at, const IncludeStatement& node);
  Outcome<Flow> exec(const Statement& at, const ImportStatement& node);
  Outcome<Flow> exec(const Statement& at, const ExtendsStatement& node);
  Outcome<Flow> exec(const Statement& at, const BlockStatement& node);
  Outcome<Flow> exec(const Statement& at, const DoStatement& node);
  Outcome<Flow> exec(const Statement& at, const BreakStatement& node);
  Outcome<Flow> exec(const Statement& at, const ContinueStatement& node);
  Outcome<void> go_through(const ForStatement& node, const Value& iterable, int depth);
  Outcome<void> assign(const Target& target, const Value& value);
  Outcome<void> write(std::string_view text);
  /// The text that a body writes, in a scope of its own.
  Outcome<std::string> capture(const Body& body, const ScopePtr& scope);
  void note_skipped(const Position& at, const std::string& text);

  // Inheritance, in inherit.cc.
  struct Family;
  /// A template with those that it inherits from.
  Outcome<std::string> render_family(const Template& first, const ScopePtr& scope);
  /// The text of a block, by the template that is `level` steps from the one that inherits most.
  Outcome<std::string> render_block(Family& family, const std::string& name, std::size_t level,
                                    const ScopePtr& scope);
  /// Whether what is written here counts for nothing, because a parent writes instead.
  bool is_silent() const;

  // Other templates, in include.cc.
  Outcome<const Template*> load(const std::string& name);
  Outcome<const Template*> load_first(const Value& names, bool ignore_missing);
  Outcome<Value> import_module(const ImportStatement& node);
  ScopePtr scope_for(bool with_context) const;

  /// Runs `work` in a scope and comes back to the one before.
  template <class Work>
  auto within(ScopePtr scope, Work work) {
    std::swap(scope_, scope);
    auto result = work();
    std::swap(scope_, scope);
    return result;
  }

  bool is_written(const std::string& name) const;
  /// Adds near names to an error about a name, and the name itself if it is not a secret.
  void explain(Trouble& problem) const;

  const Options& options_;
  Loader* loader_;
  Meter meter_;
  std::map<std::string, std::unique_ptr<Template>> templates_;
  std::vector<ScopePtr> modules_;  // kept, because their macros only point to them
  ScopePtr scope_;
  std::string* out_{nullptr};
  int macro_depth_{0};
  int include_depth_{0};
  Family* family_{nullptr};
  std::vector<Skipped> skipped_;
  std::set<std::pair<const std::string*, std::pair<int, int>>> skipped_places_;
};

}  // namespace ichor::jinja
