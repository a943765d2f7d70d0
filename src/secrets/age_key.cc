#include "secrets/age_key.h"

#include <fmt/format.h>

#include "secrets/bech32.h"
#include "secrets/cipher.h"
#include "secrets/random.h"

namespace ichor::age {

namespace {

constexpr std::size_t kKeySize = 32;
constexpr std::size_t kIdentitiesMax = 1'000;
constexpr std::string_view kRecipientPrefix = "age";
constexpr std::string_view kSecretPrefix = "age-secret-key-";

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/// The next word of `text`, which loses it; empty at the end.
std::string_view take_word(std::string_view& text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  std::size_t size = 0;
  while (size < text.size() && !is_blank(text[size])) ++size;
  const std::string_view word = text.substr(0, size);
  text.remove_prefix(size);
  return word;
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

bool is_outside_identity(std::string_view word) {
  return word.starts_with("AGE-SECRET-KEY-PQ-1") || word.starts_with("AGE-PLUGIN-");
}

}  // namespace

Result<Recipient> Recipient::parse(std::string_view text) {
  const auto refused = [&](std::string_view why) {
    return fail(Errc::invalid, fmt::format("\"{}\" is not an age recipient: {}", text, why));
  };
  if (text.starts_with("ssh-")) return Recipient(std::string(text), {});
  if (!text.starts_with("age1")) return refused("one begins with age1");
  const auto decoded = secrets::from_bech32(text);
  if (!decoded) return refused("a letter is wrong or missing (the checksum does not fit)");
  if (decoded->prefix != kRecipientPrefix) return Recipient(std::string(text), {});
  if (decoded->bytes.size() != kKeySize) return refused("it has not 32 bytes");
  // A point of low order gives zero with every secret: everybody could read the file.
  if (!secrets::x25519(SecretString(std::string(kKeySize, '\1')), decoded->bytes.reveal())) {
    return refused("it is a weak key, with which anyone could read the file");
  }
  return Recipient(std::string(text), std::string(decoded->bytes.reveal()));
}

Identity::Identity(SecretString secret)
    : secret_(std::move(secret)), recipient_(std::string(), secrets::x25519_public(secret_)) {
  recipient_.text_ = secrets::to_bech32(kRecipientPrefix, recipient_.point_);
}

Identity Identity::generate() { return Identity(pki::random_bytes(kKeySize)); }

Result<Identity> Identity::parse(std::string_view text) {
  auto decoded = secrets::from_bech32(text);
  if (!decoded || !text.starts_with("AGE-SECRET-KEY-1") || decoded->prefix != kSecretPrefix ||
      decoded->bytes.size() != kKeySize) {
    return fail(Errc::invalid, "no age identity, or a letter of it is wrong");
  }
  return Identity(std::move(decoded->bytes));
}

SecretString Identity::text() const {
  return SecretString(upper(secrets::to_bech32(kSecretPrefix, secret_.reveal())));
}

void Identities::add(Identities more) {
  for (Identity& identity : more.own) own.push_back(std::move(identity));
  outside += more.outside;
}

Result<Identities> parse_identities(std::string_view text, const std::string& where,
                                    KeyLayout layout) {
  Identities found;
  int number = 0;
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    ++number;
    if (line.starts_with('#')) continue;
    while (true) {
      const std::string_view word = take_word(line);
      if (word.empty()) break;
      if (is_outside_identity(word)) {
        ++found.outside;
      } else if (auto identity = Identity::parse(word)) {
        found.own.push_back(*std::move(identity));
      } else {
        return fail(Errc::invalid,
                    fmt::format("{}, line {}: {}", where, number, identity.error().message));
      }
      if (found.own.size() > kIdentitiesMax) {
        return fail(Errc::invalid, fmt::format("{}: more than {} keys", where, kIdentitiesMax));
      }
      if (layout == KeyLayout::words) continue;
      if (!take_word(line).empty()) {
        return fail(Errc::invalid,
                    fmt::format("{}, line {}: more than one key on a line", where, number));
      }
      break;
    }
  }
  return found;
}

}  // namespace ichor::age
