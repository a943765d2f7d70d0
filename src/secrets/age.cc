#include "secrets/age.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

#include "base/check.h"
#include "secrets/age_armor.h"
#include "secrets/age_header.h"
#include "secrets/cipher.h"
#include "secrets/digest.h"
#include "secrets/random.h"

namespace ichor::age {

namespace {

using secrets::Aead;
using secrets::kTagSize;

constexpr std::string_view kX25519 = "X25519";
constexpr std::string_view kX25519Info = "age-encryption.org/v1/X25519";
constexpr std::size_t kKeySize = 32;
constexpr std::size_t kFileKeySize = 16;
constexpr std::size_t kPayloadNonceSize = 16;
constexpr std::size_t kChunkSize = 64u << 10;
/// Each wrap key is used once, so its nonce may be constant.
constexpr std::string_view kZeroNonce{"\0\0\0\0\0\0\0\0\0\0\0\0", 12};

SecretString wrap_key(const SecretString& shared, std::string_view share, std::string_view point) {
  std::string salt(share);
  salt += point;
  return secrets::hkdf_sha256(shared.reveal(), salt, kX25519Info, kKeySize);
}

Stanza wrap(const SecretString& file_key, const Recipient& recipient) {
  check(recipient.kind() == KeyKind::x25519, "only X25519 recipients are ours");
  const SecretString secret = pki::random_bytes(kKeySize);
  const std::string share = secrets::x25519_public(secret);
  const auto shared = secrets::x25519(secret, recipient.point());
  check(shared.has_value(), "a recipient of low order is not parsed");
  return {std::string(kX25519),
          {base64_raw(share)},
          secrets::seal(Aead::chacha20_poly1305, wrap_key(*shared, share, recipient.point()),
                        kZeroNonce, {}, file_key.reveal())};
}

Result<std::optional<SecretString>> unwrap(const Stanza& stanza, const Identity& identity) {
  if (stanza.arguments.size() != 1) {
    return fail(Errc::invalid, "the age file is damaged: an X25519 line has not one argument");
  }
  const auto share = from_base64_raw(stanza.arguments.front());
  if (!share) return forward_error(share);
  if (share->size() != kKeySize || stanza.body.size() != kFileKeySize + kTagSize) {
    return fail(Errc::invalid, "the age file is damaged: an X25519 line has another size");
  }
  const auto shared = secrets::x25519(identity.secret(), *share);
  if (!shared) {
    return fail(Errc::invalid, "the age file is damaged: an X25519 share is no valid point");
  }
  return secrets::open(Aead::chacha20_poly1305,
                       wrap_key(*shared, *share, identity.recipient().point()), kZeroNonce, {},
                       stanza.body);
}

SecretString header_mac(const SecretString& file_key, std::string_view authenticated) {
  const SecretString key = secrets::hkdf_sha256(file_key.reveal(), {}, "header", kKeySize);
  const Digest digest = pki::hmac_sha256(key, authenticated);
  return SecretString(
      std::string(reinterpret_cast<const char*>(digest.bytes.data()), digest.bytes.size()));
}

/// The nonce of a chunk: its number, and whether it is the last one.
std::string chunk_nonce(std::uint64_t number, bool last) {
  std::string nonce(12, '\0');
  for (std::size_t i = 0; i < 8; ++i) nonce[10 - i] = static_cast<char>(number >> 8 * i & 0xff);
  nonce[11] = last ? 1 : 0;
  return nonce;
}

std::string seal_payload(const SecretString& file_key, std::string_view plain) {
  const SecretString nonce = pki::random_bytes(kPayloadNonceSize);
  const SecretString key =
      secrets::hkdf_sha256(file_key.reveal(), nonce.reveal(), "payload", kKeySize);
  std::string payload(nonce.reveal());
  for (std::uint64_t number = 0;; ++number) {
    const std::string_view chunk = plain.substr(0, kChunkSize);
    plain.remove_prefix(chunk.size());
    const bool last = plain.empty();
    payload += secrets::seal(Aead::chacha20_poly1305, key, chunk_nonce(number, last), {}, chunk);
    if (last) return payload;
  }
}

Result<SecretString> open_payload(const SecretString& file_key, std::string_view payload) {
  const auto damaged = [](std::string_view why) {
    return fail(Errc::invalid, fmt::format("the age file is damaged: {}", why));
  };
  if (payload.size() < kPayloadNonceSize + kTagSize) return damaged("it ends too early");
  const SecretString key = secrets::hkdf_sha256(
      file_key.reveal(), payload.substr(0, kPayloadNonceSize), "payload", kKeySize);
  payload.remove_prefix(kPayloadNonceSize);
  std::string plain;
  plain.reserve(payload.size());  // never grown, so no copy stays behind
  bool good = true;
  for (std::uint64_t number = 0; good; ++number) {
    const std::string_view chunk = payload.substr(0, kChunkSize + kTagSize);
    payload.remove_prefix(chunk.size());
    const bool last = payload.empty();
    const auto opened =
        secrets::open(Aead::chacha20_poly1305, key, chunk_nonce(number, last), {}, chunk);
    // Only a file without content has an empty chunk.
    good = opened && (number == 0 || !opened->empty());
    if (good) plain += opened->reveal();
    if (last) break;
  }
  SecretString result(std::move(plain));
  if (!good) return damaged("its content was changed or cut");
  return result;
}

std::string_view describe(std::string_view type) {
  if (type == "scrypt") return "a passphrase";
  if (type == "mlkem768x25519") return "a post-quantum key";
  if (type.starts_with("ssh-")) return "an ssh key";
  return "a key of a kind that is unknown here";
}

tl::unexpected<Error> nobody(const Header& header) {
  std::vector<std::string_view> others;
  bool own = false;
  for (const Stanza& stanza : header.stanzas) {
    if (stanza.type == kX25519) {
      own = true;
    } else if (const auto what = describe(stanza.type);
               std::find(others.begin(), others.end(), what) == others.end()) {
      others.push_back(what);
    }
  }
  std::string message = own ? "none of the age keys at hand fits" : "it is for no X25519 key";
  if (!others.empty()) message += fmt::format("; it can be read with {}", fmt::join(others, ", "));
  return fail(Errc::invalid, std::move(message));
}

Result<SecretString> find_file_key(const Header& header, const Identities& identities) {
  const bool alone = header.stanzas.size() == 1;
  for (const Stanza& stanza : header.stanzas) {
    if (stanza.type == "scrypt" && !alone) {
      return fail(Errc::invalid, "the age file is damaged: a passphrase is never one of several");
    }
    if (stanza.type != kX25519) continue;
    for (const Identity& identity : identities.own) {
      auto key = unwrap(stanza, identity);
      if (!key) return forward_error(key);
      if (*key) return **std::move(key);
    }
  }
  return nobody(header);
}

}  // namespace

bool looks_encrypted(std::string_view text) { return is_armored(text) || is_age_file(text); }

std::string encrypt(std::string_view plain, const std::vector<Recipient>& recipients) {
  check(!recipients.empty(), "a file has at least one recipient");
  const SecretString file_key = pki::random_bytes(kFileKeySize);
  std::vector<Stanza> stanzas;
  for (const Recipient& recipient : recipients) stanzas.push_back(wrap(file_key, recipient));
  std::string file = write_stanzas(stanzas);
  file += ' ' + base64_raw(header_mac(file_key, file).reveal()) + '\n';
  file += seal_payload(file_key, plain);
  return add_armor(file);
}

Result<SecretString> decrypt(std::string_view file, const Identities& identities) {
  std::string bare;
  if (is_armored(file)) {
    auto bytes = remove_armor(file);
    if (!bytes) return forward_error(bytes);
    bare = *std::move(bytes);
    file = bare;
  }
  const auto parsed = parse_header(file);
  if (!parsed) return forward_error(parsed);
  const auto file_key = find_file_key(parsed->header, identities);
  if (!file_key) return forward_error(file_key);
  if (file_key->size() != kFileKeySize) {
    return fail(Errc::invalid, "the age file is damaged: its key has another size");
  }
  if (!(header_mac(*file_key, parsed->authenticated) == SecretString(parsed->header.mac))) {
    return fail(Errc::invalid, "the age file is damaged: its header was changed");
  }
  return open_payload(*file_key, parsed->payload);
}

}  // namespace ichor::age
