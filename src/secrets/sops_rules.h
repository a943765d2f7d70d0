#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "secrets/pattern.h"

namespace ichor::sops {

/// What of a file is encrypted. At most one of the six texts may be set; none: all but the keys
/// that end with `_unencrypted`.
struct Rules {
  std::string unencrypted_suffix;
  std::string encrypted_suffix;
  std::string unencrypted_regex;
  std::string encrypted_regex;
  std::string unencrypted_comment_regex;
  std::string encrypted_comment_regex;
  bool mac_only_encrypted{false};

  /// The names sops gives them, with the texts: in metadata and in .sops.yaml.
  struct Named {
    const char* name;
    std::string Rules::*text;
  };
  static const std::vector<Named>& named();
};

/// Rules made ready to be asked.
class Selector {
 public:
  /// Fails if more than one rule is given, or an expression is none. Without a rule, the one of the
  /// default suffix is put into `rules`.
  static Result<Selector> make(Rules& rules);

  bool mac_only_encrypted() const { return mac_only_encrypted_; }
  /// Whether the rule looks at the comments above a value and above all that it is in, instead of
  /// at the keys from the root to it.
  bool asks_comments() const;
  /// Whether a key, or a comment, is one that the rule names.
  bool names(std::string_view text) const;
  /// Whether a value is encrypted in the file, if one of its keys or comments is named or none.
  bool encrypts(bool is_named) const;
  /// Whether the comment that asks for encryption stays readable itself.
  bool spares_comment() const { return kind_ == Kind::encrypted_comment; }
  /// An encrypted comment that the expression for plain values matches could not be read back.
  bool mistakes(const std::string& sealed_comment) const;

 private:
  enum class Kind {
    unencrypted_suffix,
    encrypted_suffix,
    unencrypted_regex,
    encrypted_regex,
    unencrypted_comment,
    encrypted_comment,
  };
  Selector() = default;

  Kind kind_{Kind::unencrypted_suffix};
  std::string suffix_;
  std::optional<secrets::Pattern> pattern_;
  bool mac_only_encrypted_{false};
};

}  // namespace ichor::sops
