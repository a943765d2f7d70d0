#include "command/commands.h"
#include "run/text_output.h"
#include "secrets/sops_seal.h"

namespace ichor {

namespace {

Result<SecretString> seal(const SecretsEncryptRequest& request, Host& host) {
  auto text = host.files.read_input(request.file);
  if (!text) return forward_error(text);
  const SecretsRules& rules = request.rules;
  SealOptions options{
      request.file, request.recipients, request.input_type, request.output_type, {}};
  options.rules.encrypted_regex = rules.encrypted_regex;
  options.rules.unencrypted_regex = rules.unencrypted_regex;
  options.rules.encrypted_suffix = rules.encrypted_suffix;
  options.rules.unencrypted_suffix = rules.unencrypted_suffix;
  options.rules.mac_only_encrypted = rules.mac_only_encrypted;
  return seal_text(options, SecretString(*std::move(text)), host.loop.clock().wall(), host);
}

}  // namespace

Exit run(const SecretsEncryptRequest& request, const CommonOptions& common, Host& host) {
  const auto sealed = seal(request, host);
  if (!sealed) return give_up(sealed.error(), common, host);
  return hand_out(*sealed, request.in_place ? request.file : request.output, common, host);
}

}  // namespace ichor
