#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "template/ast.h"
#include "template/object.h"
#include "template/scope.h"

namespace ichor::jinja {

/// What `macro` defines, and the body of a call block as `caller`. It only points to its scope,
/// which holds it: a macro must not be called after the block in which it was defined.
class Macro final : public Object {
 public:
  Macro(std::string name, const Signature& signature, const Body& body, const ScopePtr& scope)
      : name_(std::move(name)), signature_(signature), body_(body), scope_(scope) {}
  std::string_view type() const override { return "macro"; }
  bool is_callable() const override { return true; }
  Outcome<std::optional<Value>> attribute(std::string_view name, Interpreter&) override;
  Outcome<Value> call(Interpreter& interpreter, const Arguments& arguments) override;

 private:
  std::string name_;
  const Signature& signature_;
  const Body& body_;
  std::weak_ptr<Scope> scope_;
};

/// `namespace(…)`: attributes that can be set from within loops.
class Namespace final : public Object {
 public:
  explicit Namespace(Value attributes) : attributes_(std::move(attributes)) {}
  std::string_view type() const override { return "namespace"; }
  Outcome<std::optional<Value>> attribute(std::string_view name, Interpreter&) override;
  Outcome<std::string> print(Meter& meter) const override;
  void held(Items& out) const override { out.push_back(attributes_); }
  void set(std::string_view name, Value value);

 private:
  Value attributes_;
};

/// `loop` within a for loop.
class Loop final : public Object {
 public:
  /// Gives the next item that the loop's condition lets through; nothing at the end.
  using Pull = std::function<Outcome<std::optional<Value>>()>;
  /// `count` is unset if only going through the items can tell how many they are.
  Loop(Value iterable, Pull pull, std::optional<std::int64_t> count, int depth)
      : iterable_(std::move(iterable)), pull_(std::move(pull)), count_(count), depth_(depth) {}

  /// Goes on to the next item; nothing at the end.
  Outcome<std::optional<Value>> advance();
  /// For `loop(…)` in a recursive loop.
  void make_recursive(const ForStatement& statement, const ScopePtr& outer) {
    statement_ = &statement;
    outer_ = outer;
  }

  std::string_view type() const override { return "loop"; }
  bool is_callable() const override { return true; }
  Outcome<std::optional<Value>> attribute(std::string_view name, Interpreter&) override;
  Outcome<Value> call(Interpreter& interpreter, const Arguments& arguments) override;
  Outcome<std::string> print(Meter& meter) const override;
  void held(Items& out) const override;

  Outcome<bool> changed(const Items& values, Meter& meter);
  std::int64_t index0() const { return index0_; }
  /// When the loop is over nothing can be pulled any more: what it needed for that is gone.
  void close() { pull_ = nullptr; }

 private:
  Outcome<bool> look_ahead();
  Outcome<std::int64_t> length();

  Value iterable_;
  Pull pull_;
  std::optional<std::int64_t> count_;
  int depth_;
  std::int64_t index0_{-1};
  std::optional<Value> before_, current_;
  std::deque<Value> ahead_;
  std::optional<Items> last_changed_;
  const ForStatement* statement_{nullptr};
  std::weak_ptr<Scope> outer_;
};

/// An imported template: what it assigned at its top.
class Module final : public Object {
 public:
  Module(ScopePtr scope, std::string text) : scope_(std::move(scope)), text_(std::move(text)) {}
  std::string_view type() const override { return "imported template"; }
  Outcome<std::optional<Value>> attribute(std::string_view name, Interpreter&) override;
  Outcome<std::string> print(Meter& meter) const override;
  void held(Items& out) const override;

 private:
  std::weak_ptr<Scope> scope_;
  std::string text_;
};

/// A function with a value that it is a method of, if it is one.
class Function final : public Object {
 public:
  using Body = std::function<Outcome<Value>(const Value& self, const Arguments&, Interpreter&)>;
  Function(Value self, Body body) : self_(std::move(self)), body_(std::move(body)) {}
  std::string_view type() const override { return "function"; }
  bool is_callable() const override { return true; }
  Outcome<Value> call(Interpreter& interpreter, const Arguments& arguments) override {
    return body_(self_, arguments, interpreter);
  }
  void held(Items& out) const override { out.push_back(self_); }

 private:
  Value self_;
  Body body_;
};

/// `self`: the blocks of the template that is being rendered, as functions.
class Self final : public Object {
 public:
  std::string_view type() const override { return "template"; }
  Outcome<std::optional<Value>> attribute(std::string_view name, Interpreter&) override;
};

/// `cycler(…)`: one value after the other, and again from the first.
class Cycler final : public Object {
 public:
  explicit Cycler(Items items) : items_(Value::tuple(std::move(items))) {}
  std::string_view type() const override { return "cycler"; }
  Outcome<std::optional<Value>> attribute(std::string_view name, Interpreter&) override;
  void held(Items& out) const override { out.push_back(items_); }

 private:
  Value items_;
  std::shared_ptr<std::size_t> place_{std::make_shared<std::size_t>(0)};
};

/// `joiner(…)`: nothing the first time, then its text.
class Joiner final : public Object {
 public:
  explicit Joiner(Value text) : text_(std::move(text)) {}
  std::string_view type() const override { return "joiner"; }
  bool is_callable() const override { return true; }
  Outcome<Value> call(Interpreter& interpreter, const Arguments& arguments) override;

 private:
  Value text_;
  bool is_used_{false};
};

}  // namespace ichor::jinja
