#include "secrets/sops_value.h"

#include <fmt/format.h>
#include <optional>

#include "base/check.h"
#include "secrets/base64.h"
#include "secrets/cipher.h"
#include "secrets/random.h"
#include "yaml/go_scalar.h"

namespace ichor::sops {

namespace {

using secrets::Aead;
using secrets::kTagSize;

constexpr std::string_view kBegin = "ENC[AES256_GCM,";
constexpr std::size_t kNonceSize = 32;

struct Sealed {
  std::string box;  // data, then tag
  std::string nonce;
  std::string_view type;
};

/// Takes `NAME:text,` (the last part: `NAME:text]`) from the front.
std::optional<std::string_view> take_part(std::string_view& text, std::string_view name, char end) {
  if (!text.starts_with(name)) return std::nullopt;
  text.remove_prefix(name.size());
  const std::size_t size = text.find(end);
  if (size == std::string_view::npos || size == 0) return std::nullopt;
  const std::string_view part = text.substr(0, size);
  text.remove_prefix(size + 1);
  return part;
}

std::optional<Sealed> parse(std::string_view text) {
  if (!text.starts_with(kBegin)) return std::nullopt;
  text.remove_prefix(kBegin.size());
  const auto data = take_part(text, "data:", ',');
  if (!data) return std::nullopt;
  const auto nonce = take_part(text, "iv:", ',');
  if (!nonce) return std::nullopt;
  const auto tag = take_part(text, "tag:", ',');
  if (!tag) return std::nullopt;
  const auto type = take_part(text, "type:", ']');
  if (!type || !text.empty()) return std::nullopt;
  auto box = pki::from_base64(*data);
  auto nonce_bytes = pki::from_base64(*nonce);
  const auto tag_bytes = pki::from_base64(*tag);
  if (!box || !nonce_bytes || !tag_bytes || tag_bytes->size() != kTagSize) return std::nullopt;
  return Sealed{*std::move(box) + *tag_bytes, *std::move(nonce_bytes), *type};
}

std::string_view name_of(Type type) {
  switch (type) {
    case Type::string: return "str";
    case Type::integer: return "int";
    case Type::floating: return "float";
    case Type::boolean: return "bool";
    case Type::time: return "time";
    case Type::comment: return "comment";
    case Type::null:
    case Type::branch:
    case Type::list: break;
  }
  check(false, "only leaves are encrypted");
  return {};
}

/// The value of a decrypted text; nothing if the text is none of its type.
std::optional<Value> typed(std::string_view type, std::string_view text) {
  const auto of = [](Type kind, std::optional<std::string> canonical) -> std::optional<Value> {
    if (!canonical) return std::nullopt;
    return make_value(kind, *std::move(canonical));
  };
  if (type == "str" || type == "bytes") return make_value(Type::string, std::string(text));
  if (type == "comment") return make_value(Type::comment, std::string(text));
  if (type == "int") return of(Type::integer, yaml::go_integer(text));
  if (type == "float") return of(Type::floating, yaml::go_float(text));
  if (type == "bool") return of(Type::boolean, yaml::go_bool(text));
  if (type == "time") return of(Type::time, yaml::go_time(text));
  return std::nullopt;
}

}  // namespace

bool is_sealed(std::string_view text) { return text.starts_with(kBegin) && text.ends_with(']'); }

std::string seal_value(const Value& value, const SecretString& data_key, std::string_view label) {
  if (value.text.empty()) return {};
  const SecretString nonce = pki::random_bytes(kNonceSize);
  const std::string box =
      secrets::seal(Aead::aes256_gcm, data_key, nonce.reveal(), label, value.text);
  const std::string_view sealed(box);
  return fmt::format("ENC[AES256_GCM,data:{},iv:{},tag:{},type:{}]",
                     pki::base64(sealed.substr(0, sealed.size() - kTagSize)),
                     pki::base64(nonce.reveal()),
                     pki::base64(sealed.substr(sealed.size() - kTagSize)), name_of(value.type));
}

Result<Value> open_value(std::string_view sealed, const SecretString& data_key,
                         std::string_view label) {
  if (sealed.empty()) return make_value(Type::string, {});
  const auto parsed = parse(sealed);
  if (!parsed) return fail(Errc::invalid, "this should be encrypted and is not, or is cut");
  const auto plain = secrets::open(Aead::aes256_gcm, data_key, parsed->nonce, label, parsed->box);
  if (!plain) {
    return fail(Errc::invalid, "this was changed, or was encrypted at another place in the file");
  }
  auto value = typed(parsed->type, plain->reveal());
  if (!value) {
    return fail(Errc::invalid, "its type is unknown, or the decrypted value is not of that type");
  }
  return *std::move(value);
}

}  // namespace ichor::sops
