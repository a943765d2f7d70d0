#include <fmt/format.h>

#include "command/commands.h"
#include "run/text_output.h"
#include "secrets/age.h"
#include "secrets/age_keys.h"
#include "secrets/sops_file.h"

namespace ichor {

namespace {

Result<SecretString> open_age(std::string_view text, const std::string& file, Host& host) {
  const AgeKeys keys = find_age_keys({}, host);
  auto plain = age::decrypt(text, keys.identities);
  if (plain) return plain;
  return fail(Errc::invalid, fmt::format("{}: {}; {}", file, plain.error().message, keys.text()));
}

Result<SecretString> open_any(const SecretsDecryptRequest& request, Host& host) {
  const auto text = host.files.read_input(request.file);
  if (!text) return forward_error(text);
  if (request.input_type.empty() && age::looks_encrypted(*text)) {
    return open_age(*text, request.file, host);
  }
  const auto input = format_wanted(request.input_type, request.file);
  if (!input) return forward_error(input);
  sops::DecryptOptions options{*input, *input};
  if (!request.output_type.empty()) {
    options.output = *format_wanted(request.output_type, request.file);
  }
  return open_sops(*text, request.file, options, host);
}

}  // namespace

Exit run(const SecretsDecryptRequest& request, const CommonOptions& common, Host& host) {
  if (!request.output.empty()) {
    if (auto allowed = host.files.may_export(request.output); !allowed) {
      return give_up(allowed.error(), common, host);
    }
  }
  const auto plain = open_any(request, host);
  if (!plain) return give_up(plain.error(), common, host);
  return hand_out(*plain, request.output, common, host);
}

}  // namespace ichor
