#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "template/error.h"
#include "template/operate.h"
#include "template/value.h"

namespace ichor::jinja {

/// A template as a tree. It is made once by the parser and then only read. The tree is never higher
/// than the parser allows, so going through it recursively is safe.

struct Expr;
using ExprPtr = std::unique_ptr<Expr>;
struct Statement;
using Body = std::vector<Statement>;

/// What stands between the parentheses of a call.
struct CallArguments {
  std::vector<ExprPtr> positional;
  std::vector<std::pair<std::string, ExprPtr>> named;
  ExprPtr spread;        // *list
  ExprPtr spread_named;  // **dict
};

struct Literal {
  Value value;
};
struct Name {
  std::string name;
};
struct ListExpr {
  std::vector<ExprPtr> items;
};
struct TupleExpr {
  std::vector<ExprPtr> items;
};
struct DictExpr {
  std::vector<std::pair<ExprPtr, ExprPtr>> entries;
};
struct AttributeExpr {
  ExprPtr object;
  std::string name;
};
struct ItemExpr {
  ExprPtr object;
  ExprPtr key;
};
struct SliceExpr {
  ExprPtr object;
  ExprPtr start, stop, step;  // null: left out
};
struct CallExpr {
  ExprPtr callee;
  CallArguments arguments;
};
/// `input` is null for the first filter of a filter block or a block set.
struct FilterExpr {
  ExprPtr input;
  std::string name;
  CallArguments arguments;
};
struct TestExpr {
  ExprPtr input;
  std::string name;
  CallArguments arguments;
};
struct UnaryExpr {
  enum class Sign { minus, plus, no };
  Sign sign;
  ExprPtr operand;
};
struct ArithmeticExpr {
  Arithmetic operation;
  ExprPtr left, right;
};
struct CompareExpr {
  struct Step {
    enum class Kind { relation, in, not_in };
    Kind kind{Kind::relation};
    Relation relation{Relation::equal};
    ExprPtr operand;
  };
  ExprPtr first;
  std::vector<Step> steps;
};
struct LogicExpr {
  bool is_and;
  ExprPtr left, right;
};
struct ConcatExpr {
  std::vector<ExprPtr> parts;
};
struct ConditionalExpr {
  ExprPtr condition, then, otherwise;  // otherwise may be null
};

struct Expr {
  using Node = std::variant<Literal, Name, ListExpr, TupleExpr, DictExpr, AttributeExpr, ItemExpr,
                            SliceExpr, CallExpr, FilterExpr, TestExpr, UnaryExpr, ArithmeticExpr,
                            CompareExpr, LogicExpr, ConcatExpr, ConditionalExpr>;
  Position at;
  Node node;
};

/// What can be assigned to: a name, `namespace.attribute`, or several in parentheses.
struct Target {
  Position at;
  std::string name;
  std::string attribute;      // empty: the name itself
  std::vector<Target> parts;  // not empty, or is_tuple: unpacked
  bool is_tuple{false};
};

struct Signature {
  std::vector<std::string> names;
  std::vector<ExprPtr> defaults;  // of the last names
  bool uses_caller{false}, uses_varargs{false}, uses_kwargs{false};
};

struct DataStatement {
  std::string text;
};
struct OutputStatement {
  ExprPtr value;
};
struct IfStatement {
  struct Branch {
    ExprPtr condition;
    Position at;
    std::string text;  // as it was written, for the report
    Body body;
  };
  std::vector<Branch> branches;
  std::optional<Body> otherwise;
};
struct ForStatement {
  Target target;
  ExprPtr iterable;
  ExprPtr condition;  // null: none
  Position at;
  std::string text;
  bool is_recursive{false};
  bool uses_loop{false};  // the body names `loop`: only then does an included file see it
  Body body;
  std::optional<Body> otherwise;
};
struct SetStatement {
  Target target;
  ExprPtr value;
};
/// `filter` is null, or a chain of filters whose innermost has no input.
struct SetBlock {
  Target target;
  ExprPtr filter;
  Body body;
};
struct FilterBlock {
  ExprPtr filter;
  Body body;
};
struct WithBlock {
  std::vector<std::pair<Target, ExprPtr>> values;
  Body body;
};
struct MacroStatement {
  std::string name;
  Signature signature;
  Body body;
};
struct CallBlock {
  ExprPtr call;
  Signature signature;
  Body body;
};
struct IncludeStatement {
  ExprPtr names;
  bool ignore_missing{false};
  bool with_context{true};
};
struct ImportStatement {
  ExprPtr name;
  std::string target;                                      // import … as target
  std::vector<std::pair<std::string, std::string>> names;  // from … import name as alias
  bool with_context{false};
};
/// What is written here is written by the template that `name` leads to, with this one's blocks.
struct ExtendsStatement {
  ExprPtr name;
};
struct BlockStatement {
  std::string name;
  bool is_scoped{false};    // sees the names around it, such as those of a loop
  bool is_required{false};  // a template that inherits must have it
  Body body;
};
struct DoStatement {
  ExprPtr value;
};
struct BreakStatement {};
struct ContinueStatement {};

struct Statement {
  using Node = std::variant<DataStatement, OutputStatement, IfStatement, ForStatement, SetStatement,
                            SetBlock, FilterBlock, WithBlock, MacroStatement, CallBlock,
                            IncludeStatement, ImportStatement, ExtendsStatement, BlockStatement,
                            DoStatement, BreakStatement, ContinueStatement>;
  Position at;
  Node node;
};

/// A parsed template. Positions point to `file`, so it must not be moved: it is held by pointer.
struct Template {
  std::string file;
  std::string source;
  Body body;
  /// All blocks of the body, however deep, in the order of the text.
  std::vector<const BlockStatement*> blocks;
};

}  // namespace ichor::jinja
