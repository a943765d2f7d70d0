#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "template/value.h"

namespace ichor::jinja {

class Interpreter;
class Meter;

/// What was written between the parentheses of a call.
struct Arguments {
  Items positional;
  std::vector<std::pair<std::string, Value>> named;
};

/// A value with behaviour of its own.
class Object : public std::enable_shared_from_this<Object> {
 public:
  virtual ~Object() = default;
  /// For messages: "macro", "namespace".
  virtual std::string_view type() const = 0;
  /// Nothing if it has no such attribute.
  virtual Outcome<std::optional<Value>> attribute(std::string_view, Interpreter&) {
    return std::optional<Value>();
  }
  virtual bool is_callable() const { return false; }
  virtual Outcome<Value> call(Interpreter& interpreter, const Arguments& arguments);
  /// How it prints. Fails for what has no text that is the same in every run.
  virtual Outcome<std::string> print(Meter& meter) const;
  /// The values it holds, so that nothing can be put into itself.
  virtual void held(Items&) const {}
};

}  // namespace ichor::jinja
