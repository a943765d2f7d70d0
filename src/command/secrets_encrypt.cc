#include "command/commands.h"
#include "command/sops_seal.h"
#include "command/text_output.h"

namespace ichor {

namespace {

Result<SecretString> seal(const SecretsEncryptRequest& request, Desk& desk) {
  auto text = desk.read_input(request.file);
  if (!text) return tl::unexpected(std::move(text).error());
  return seal_text(request, SecretString(*std::move(text)), desk);
}

}  // namespace

Exit run(const SecretsEncryptRequest& request, const CommonOptions& common, Desk& desk) {
  const auto sealed = seal(request, desk);
  if (!sealed) return give_up(sealed.error(), common, desk);
  return hand_out(*sealed, request.in_place ? request.file : request.output, common, desk);
}

}  // namespace ichor
