#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/flag_set.h"

namespace ichor {

/// A flag as the user typed it, under its long name.
struct TypedFlag {
  std::string name;   // "--profile"
  std::string value;  // empty for a flag without one
};

/// What was typed, by the flags that were declared.
std::vector<TypedFlag> typed_flags(const std::vector<std::string>& words,
                                   const std::vector<FlagSet::Declared>& declared);

/// The flags of this invocation that a command named in a hint must repeat: with them it works on
/// the same cluster, the same machines or the same lab, so that it can be pasted as it stands.
class Hints {
 public:
  Hints() = default;
  explicit Hints(std::vector<TypedFlag> typed);

  /// The lab's folder, where it was made by this run and not named by anybody.
  void set_lab(const std::string& folder);

  /// A command of ichor with the flags that it takes and does not have yet: "ichor up" becomes
  /// "ichor up --profile infra.yaml --lab-state lab". Other commands stay as they are.
  std::string command(std::string_view text) const;

  /// A text in which every command of ichor between backticks is complete.
  std::string in(std::string text) const;

 private:
  std::vector<TypedFlag> kept_;
};

}  // namespace ichor
