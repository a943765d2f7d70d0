#include <fmt/format.h>

#include "template/interpreter.h"
#include "template/objects.h"
#include "template/operate.h"

namespace ichor::jinja {

namespace {

Value no_item(std::string_view which) {
  Undefined why;
  why.what = fmt::format("there is no {} item in the loop", which);
  return Value::undefined(std::move(why));
}

Outcome<Value> cycle_method(const Value& self, const Arguments& arguments, Interpreter&) {
  const auto& values = arguments.positional;
  if (values.empty()) return trouble("loop.cycle needs values", "write them in its parentheses");
  const auto& loop = static_cast<const Loop&>(*self.as_object());
  return values[static_cast<std::size_t>(loop.index0()) % values.size()];
}

Outcome<Value> changed_method(const Value& self, const Arguments& arguments,
                              Interpreter& interpreter) {
  auto& loop = static_cast<Loop&>(*self.as_object());
  for (const Value& value : arguments.positional) {
    if (auto allowed = refuse_cycle(self, value, interpreter.meter()); !allowed) {
      return forward_error(allowed);
    }
  }
  const auto different = loop.changed(arguments.positional, interpreter.meter());
  if (!different) return forward_error(different);
  return Value::boolean(*different);
}

}  // namespace

Outcome<bool> Loop::look_ahead() {
  if (!ahead_.empty()) return true;
  if (!pull_) return false;
  auto next = pull_();
  if (!next) return forward_error(next);
  if (!*next) return false;
  ahead_.push_back(**next);
  return true;
}

Outcome<std::optional<Value>> Loop::advance() {
  const auto has_next = look_ahead();
  if (!has_next) return forward_error(has_next);
  if (!*has_next) return std::optional<Value>();
  ++index0_;
  before_ = std::move(current_);
  current_ = std::move(ahead_.front());
  ahead_.pop_front();
  return current_;
}

Outcome<std::int64_t> Loop::length() {
  if (count_) return *count_;
  while (pull_) {
    auto next = pull_();
    if (!next) return forward_error(next);
    if (!*next) break;
    ahead_.push_back(**next);
  }
  count_ = index0_ + 1 + static_cast<std::int64_t>(ahead_.size());
  return *count_;
}

Outcome<bool> Loop::changed(const Items& values, Meter& meter) {
  if (last_changed_ && last_changed_->size() == values.size()) {
    bool is_same = true;
    for (std::size_t i = 0; is_same && i < values.size(); ++i) {
      const auto same = is_equal((*last_changed_)[i], values[i], meter);
      if (!same) return same;
      is_same = *same;
    }
    if (is_same) return false;
  }
  last_changed_ = values;
  return true;
}

Outcome<std::optional<Value>> Loop::attribute(std::string_view name, Interpreter&) {
  const auto integer = [](std::int64_t number) { return Value::integer(number); };
  if (name == "index") return integer(index0_ + 1);
  if (name == "index0") return integer(index0_);
  if (name == "first") return Value::boolean(index0_ == 0);
  if (name == "depth") return integer(depth_ + 1);
  if (name == "depth0") return integer(depth_);
  if (name == "previtem") return before_ ? *before_ : no_item("previous");
  if (name == "last" || name == "nextitem") {
    const auto has_next = look_ahead();
    if (!has_next) return forward_error(has_next);
    if (name == "last") return Value::boolean(!*has_next);
    return *has_next ? ahead_.front() : no_item("next");
  }
  if (name == "length" || name == "revindex" || name == "revindex0") {
    const auto count = length();
    if (!count) return forward_error(count);
    if (name == "length") return integer(*count);
    return integer(*count - index0_ - (name == "revindex0" ? 1 : 0));
  }
  if (name == "cycle" || name == "changed") {
    const Value self = Value::object(shared_from_this());
    return Value::object(
        std::make_shared<Function>(self, name == "cycle" ? cycle_method : changed_method));
  }
  return std::optional<Value>();
}

Outcome<Value> Loop::call(Interpreter& interpreter, const Arguments& arguments) {
  const auto outer = outer_.lock();
  if (statement_ == nullptr || outer == nullptr) {
    return trouble("loop(…) in a loop that is not recursive", "write: for … in … recursive");
  }
  if (arguments.positional.size() != 1 || !arguments.named.empty()) {
    return trouble("loop(…) takes one argument", "give it the items of the next level");
  }
  auto text = interpreter.run_loop(*statement_, outer, arguments.positional[0], depth_ + 1);
  if (!text) return forward_error(text);
  return Value::string(*std::move(text));
}

Outcome<std::string> Loop::print(Meter&) const {
  const std::int64_t count =
      count_.value_or(index0_ + 1 + static_cast<std::int64_t>(ahead_.size()));
  return fmt::format("<LoopContext {}/{}>", index0_ + 1, count);
}

void Loop::held(Items& out) const {
  out.push_back(iterable_);
  if (before_) out.push_back(*before_);
  if (current_) out.push_back(*current_);
  out.insert(out.end(), ahead_.begin(), ahead_.end());
  if (last_changed_) out.insert(out.end(), last_changed_->begin(), last_changed_->end());
}

}  // namespace ichor::jinja
