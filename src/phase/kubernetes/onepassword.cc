#include "phase/kubernetes/onepassword.h"

#include <fmt/format.h>

#include "model/json.h"
#include "phase/kubernetes/json_view.h"
#include "phase/kubernetes/tools.h"

namespace ichor {

namespace {

constexpr Duration kLimit = std::chrono::seconds(20);
constexpr JsonLimits kAnswerLimits{.bytes_max = 1u << 20, .weight_max = 32u << 20};

std::string escaped(std::string_view text) {
  std::string result;
  for (const char byte : text) {
    const auto code = static_cast<unsigned char>(byte);
    const bool plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                       (byte >= '0' && byte <= '9') || byte == '-' || byte == '_' || byte == '.';
    result += plain ? std::string(1, byte) : fmt::format("%{:02X}", code);
  }
  return result;
}

/// 1Password Connect: vault by name, item by title, then the item's field by label.
class Connect {
 public:
  Connect(Context context, KubeWorld& world, const KubernetesMaterial& material)
      : context_(context),
        world_(world),
        host_(material.plan.onepassword.connect_host),
        token_(material.connect_token) {}

  Task<Result<SecretString>> read(SecretReference reference) {
    const auto vault = co_await find("/v1/vaults", "name", reference.vault, "vault");
    if (!vault) co_return forward_error(vault);
    const std::string items = fmt::format("/v1/vaults/{}/items", *vault);
    const auto item = co_await find(items, "title", reference.item, "item");
    if (!item) co_return forward_error(item);
    const auto whole = co_await get(fmt::format("{}/{}", items, *item));
    if (!whole) co_return forward_error(whole);
    co_return field_of(*whole, reference);
  }

 private:
  Task<Result<KubeObject>> get(std::string path) {
    const std::string place = fmt::format("onepassword: Connect at {}", host_);
    std::string url = host_ + path;
    const auto answer = co_await world_.web.get(context_.within(kLimit), std::move(url), token_);
    if (!answer) {
      co_return fail(Errc::io, fmt::format("{} does not answer: {}", place, answer.error().text));
    }
    if (answer->status == 401 || answer->status == 403) {
      co_return fail(Errc::invalid,
                     fmt::format("{} refuses the token (HTTP {}): it must be valid and see the "
                                 "vault",
                                 place, answer->status));
    }
    auto parsed = parse_json(answer->body.reveal(), kAnswerLimits);
    if (answer->status != 200 || !parsed) {
      co_return fail(Errc::io, fmt::format("{} answers {} to {}", place, answer->status,
                                           path.substr(0, path.find('?'))));
    }
    co_return *std::move(parsed);
  }

  /// The id of the one entry of a list that is called so.
  Task<Result<std::string>> find(std::string path, std::string key, std::string name,
                                 std::string what) {
    std::string target = path + "?filter=" + escaped(fmt::format("{} eq \"{}\"", key, name));
    const auto list = co_await get(std::move(target));
    if (!list) co_return forward_error(list);
    if (list->is_array()) {
      for (const KubeObject& entry : *list) {
        if (text_at(entry, {key}) == name) co_return text_at(entry, {"id"});
      }
    }
    co_return fail(Errc::invalid, fmt::format("onepassword: there is no {} \"{}\" that Connect's "
                                              "token can see",
                                              what, name));
  }

  static Result<SecretString> field_of(const KubeObject& item, const SecretReference& reference) {
    const KubeObject& fields = at(item, {"fields"});
    if (fields.is_array()) {
      for (const KubeObject& field : fields) {
        const bool named = text_at(field, {"label"}) == reference.field ||
                           text_at(field, {"id"}) == reference.field;
        const bool placed =
            reference.section.empty() || text_at(field, {"section", "label"}) == reference.section;
        if (named && placed) return SecretString(text_at(field, {"value"}));
      }
    }
    return fail(Errc::invalid, fmt::format("onepassword: item \"{}\" has no field \"{}\"",
                                           reference.item, reference.field));
  }

  Context context_;
  KubeWorld& world_;
  const std::string& host_;
  const SecretString& token_;
};

Task<Result<SecretString>> ask_op(Context context, KubeWorld& world,
                                  const KubernetesMaterial& material, std::string reference) {
  std::vector<std::string> arguments;
  arguments.emplace_back("read");
  arguments.emplace_back("--no-newline");
  arguments.push_back(std::move(reference));
  ProcessCall call = tool_call(world, material, "op", std::move(arguments));
  call.limit = std::chrono::minutes(1);
  co_return co_await tool_output(context, world, std::move(call));
}

}  // namespace

Result<SecretReference> parse_reference(const std::string& text) {
  constexpr std::string_view scheme = "op://";
  std::vector<std::string> parts;
  std::string_view rest = text;
  if (rest.starts_with(scheme)) {
    rest.remove_prefix(scheme.size());
    while (true) {
      const std::size_t slash = rest.find('/');
      parts.emplace_back(rest.substr(0, slash));
      if (slash == std::string_view::npos) break;
      rest.remove_prefix(slash + 1);
    }
  }
  if (parts.size() == 3) return SecretReference{parts[0], parts[1], "", parts[2]};
  if (parts.size() == 4) return SecretReference{parts[0], parts[1], parts[2], parts[3]};
  return fail(Errc::invalid, fmt::format("onepassword: {} is not an op://vault/item/field", text));
}

Task<Result<std::map<std::string, SecretString>>> read_onepassword(
    Context context, KubeWorld& world, const KubernetesMaterial& material,
    std::map<std::string, std::string> references) {
  std::map<std::string, SecretString> values;
  const bool by_connect = material.plan.onepassword.way == KubernetesPlan::OnePasswordWay::connect;
  for (const auto& [key, text] : references) {
    const auto reference = parse_reference(text);
    if (!reference) co_return forward_error(reference);
    Result<SecretString> value;
    if (by_connect) {
      Connect connect(context, world, material);
      value = co_await connect.read(*reference);
    } else {
      value = co_await ask_op(context, world, material, text);
    }
    if (!value) co_return forward_error(value);
    if (value->empty()) {
      co_return fail(Errc::invalid, fmt::format("onepassword: {} is empty", text));
    }
    values[key] = *std::move(value);
  }
  co_return values;
}

}  // namespace ichor
