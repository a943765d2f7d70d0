#include <fmt/format.h>

#include "base/words.h"
#include "cli/command_list.h"

namespace ichor {

namespace {

void declare_file(FlagSet& flags, std::string& file) {
  flags.argument("FILE", FlagSet::Need::required, [&file](const std::string& text) {
    file = text;
    return std::string(text.empty() ? "a file needs a name" : "");
  });
}

std::vector<std::pair<std::string, std::string>> words(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, std::string>> list;
  for (const std::string& name : names) list.emplace_back(name, name);
  return list;
}

}  // namespace

void declare_secrets_encrypt(FlagSet& flags, Request& request) {
  SecretsEncryptRequest& encrypt = request.emplace<SecretsEncryptRequest>();
  declare_file(flags, encrypt.file);
  flags.value(
      "--age", "RECIPIENT",
      [&encrypt](const std::string& text) {
        for (std::string& one : split_list(text)) encrypt.recipients.push_back(std::move(one));
        return std::string();
      },
      FlagSet::Times::many);
  flags.text("-o,--output", "FILE", encrypt.output);
  flags.flag("-i,--in-place", encrypt.in_place);
  flags.choice<std::string>("--input-type", "TYPE", words({"yaml", "json", "dotenv", "binary"}),
                            encrypt.input_type);
  flags.choice<std::string>("--output-type", "TYPE",
                            words({"yaml", "json", "dotenv", "binary", "age"}),
                            encrypt.output_type);
  flags.text("--encrypted-regex", "REGEX", encrypt.rules.encrypted_regex);
  flags.text("--unencrypted-regex", "REGEX", encrypt.rules.unencrypted_regex);
  flags.text("--encrypted-suffix", "SUFFIX", encrypt.rules.encrypted_suffix);
  flags.text("--unencrypted-suffix", "SUFFIX", encrypt.rules.unencrypted_suffix);
  flags.flag("--mac-only-encrypted", encrypt.rules.mac_only_encrypted);
  flags.rule([&encrypt]() -> std::string {
    if (encrypt.in_place && !encrypt.output.empty()) {
      return "--in-place and --output exclude each other";
    }
    int given = 0;
    for (const std::string* rule :
         {&encrypt.rules.encrypted_regex, &encrypt.rules.unencrypted_regex,
          &encrypt.rules.encrypted_suffix, &encrypt.rules.unencrypted_suffix}) {
      given += rule->empty() ? 0 : 1;
    }
    return given > 1 ? "only one regex or suffix can say what is encrypted" : "";
  });
}

void declare_secrets_decrypt(FlagSet& flags, Request& request) {
  SecretsDecryptRequest& decrypt = request.emplace<SecretsDecryptRequest>();
  declare_file(flags, decrypt.file);
  flags.text("-o,--output", "FILE", decrypt.output);
  flags.choice<std::string>("--input-type", "TYPE", words({"yaml", "json", "dotenv", "binary"}),
                            decrypt.input_type);
  flags.choice<std::string>("--output-type", "TYPE", words({"yaml", "json", "dotenv", "binary"}),
                            decrypt.output_type);
}

}  // namespace ichor
