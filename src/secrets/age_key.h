#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/secret.h"

namespace ichor::age {

/// What a key is made for. Only X25519 is ours; `outside` ones are left to the sops program.
enum class KeyKind { x25519, outside };

/// A recipient of an encrypted file.
class Recipient {
 public:
  /// Reads `age1…`. Post-quantum (`age1pq1…`), plugin and ssh recipients are taken as `outside`.
  static Result<Recipient> parse(std::string_view text);

  KeyKind kind() const { return point_.empty() ? KeyKind::outside : KeyKind::x25519; }
  const std::string& text() const { return text_; }
  /// 32 bytes; empty if it is `outside`.
  const std::string& point() const { return point_; }

 private:
  Recipient(std::string text, std::string point)
      : text_(std::move(text)), point_(std::move(point)) {}
  friend class Identity;

  std::string text_;
  std::string point_;
};

/// The secret half of an X25519 recipient.
class Identity {
 public:
  /// From the system's cryptographic source.
  static Identity generate();
  /// Reads `AGE-SECRET-KEY-1…`. The error never repeats the input.
  static Result<Identity> parse(std::string_view text);

  /// `AGE-SECRET-KEY-1…`.
  SecretString text() const;
  const Recipient& recipient() const { return recipient_; }
  const SecretString& secret() const { return secret_; }

 private:
  explicit Identity(SecretString secret);

  SecretString secret_;
  Recipient recipient_;
};

/// The keys that were found.
struct Identities {
  std::vector<Identity> own;
  int outside{0};  // keys of kinds that only other programs understand

  void add(Identities more);
};

/// How the keys stand in a text: one on each line, or several with blanks between.
enum class KeyLayout { lines, words };

/// Reads a key file as age and sops write it: empty lines and lines that begin with # are skipped.
/// `where` names the text in errors, which never repeat it.
Result<Identities> parse_identities(std::string_view text, const std::string& where,
                                    KeyLayout layout);

}  // namespace ichor::age
