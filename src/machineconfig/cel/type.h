#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ichor::cel {

/// A type of the Common Expression Language.
struct Type {
  enum class Kind {
    wrong,  // of what is already reported: fits everywhere, so that each mistake appears once
    dyn,
    null,
    boolean,
    integer,
    unsigned_integer,
    floating,
    text,
    bytes,
    timestamp,
    duration,
    list,      // of parts[0]
    map,       // from parts[0] to parts[1]
    optional,  // of parts[0]
    type,      // the type of the type parts[0]
    object,    // `name` is that of its message
    variable,  // `name` is unique in an expression
  };
  Kind kind{Kind::dyn};
  std::string name;
  std::vector<Type> parts;

  bool is_dynamic() const { return kind == Kind::dyn; }
  bool operator==(const Type&) const = default;
};

inline Type make_type(Type::Kind kind) { return {kind, {}, {}}; }
inline Type list_of(Type item) { return {Type::Kind::list, {}, {std::move(item)}}; }
inline Type map_of(Type key, Type value) {
  return {Type::Kind::map, {}, {std::move(key), std::move(value)}};
}
inline Type optional_of(Type item) { return {Type::Kind::optional, {}, {std::move(item)}}; }

/// "uint", "list(string)", "map(int, double)": as people write it.
std::string to_text(const Type& type);

/// What is known about the type variables of an expression.
class Bindings {
 public:
  Type fresh();

  /// Whether a value of type `from` may stand where `to` is wanted; variables are bound on the way,
  /// and remain as they were if the answer is no.
  bool fits(const Type& from, const Type& to);
  bool all_fit(const std::vector<Type>& from, const std::vector<Type>& to);

  /// The type with every bound variable replaced.
  Type resolve(const Type& type) const;
  /// The same, and what is still open is dynamic.
  Type close(const Type& type) const;

 private:
  bool unify(const Type& from, const Type& to);
  bool bind(const Type& variable, const Type& to, bool& was_bound);
  bool mentions(const Type& type, const std::string& variable) const;

  std::map<std::string, Type> bound_;
  int count_{0};
};

/// Of two types that fit each other the one that says less.
const Type& more_general(const Type& one, const Type& other);

}  // namespace ichor::cel
