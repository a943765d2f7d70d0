#pragma once

#include <optional>
#include <string>
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

/// Keys from the root to a value.
using Path = std::vector<std::string>;
/// The comments above a value and above everything that it is in, outermost first.
using Comments = std::vector<std::vector<std::string>>;

/// Rules made ready to be asked.
class Selector {
 public:
  /// Fails if more than one rule is given, or an expression is none. Without a rule, the one of the
  /// default suffix is put into `rules`.
  static Result<Selector> make(Rules& rules);

  bool mac_only_encrypted() const { return mac_only_encrypted_; }
  /// Whether the value at `path` is encrypted in the file; if it is a comment, it is itself the
  /// last one of `comments`.
  bool encrypts(const Path& path, const Comments& comments, bool is_comment) const;
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
  bool matches(const Path& path) const;
  bool matches(const Comments& comments, bool but_the_last) const;

  Kind kind_{Kind::unencrypted_suffix};
  std::string suffix_;
  std::optional<secrets::Pattern> pattern_;
  bool mac_only_encrypted_{false};
};

}  // namespace ichor::sops
