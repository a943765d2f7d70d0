#include "secrets/sops_file.h"

#include <fmt/format.h>

#include "secrets/age_keys.h"

namespace ichor {

Result<sops::Format> format_wanted(const std::string& flag, const std::string& file) {
  using sops::Format;
  for (const Format format : {Format::yaml, Format::json, Format::dotenv, Format::binary}) {
    if (flag == sops::name_of(format)) return format;
  }
  return sops::format_of(file);
}

Result<SecretString> ask_sops(std::vector<std::string> arguments, std::string_view text,
                              LocalPorts& local) {
  ProcessCall call;
  call.program = "sops";
  call.arguments = std::move(arguments);
  call.variables = variables_for_keys(local);
  call.input = SecretString(std::string(text));
  auto done = local.programs.run_program(std::move(call));
  if (!done) return forward_error(done);
  if (done->exit != 0) {
    return fail(Errc::io, fmt::format("sops ended with {}: {}", done->exit, done->errors));
  }
  return std::move(done->output);
}

Result<SecretString> open_sops(std::string_view text, const std::string& file,
                               const sops::DecryptOptions& options, LocalPorts& local) {
  const auto readers = sops::readers_of(text, file, options.input);
  if (!readers) return forward_error(readers);
  const AgeKeys keys = find_age_keys(readers->recipients, local);
  bool no_key = false;
  auto plain = sops::decrypt(text, file, options, keys.identities, &no_key);
  if (plain || !no_key) return plain;
  std::string message = plain.error().message;
  if (readers->others() || keys.identities.outside > 0) {
    auto asked = ask_sops({"decrypt", "--input-type", std::string(sops::name_of(options.input)),
                           "--output-type", std::string(sops::name_of(options.output))},
                          text, local);
    if (asked || asked.error().code != Errc::invalid) return asked;
    message += ". Keys other than X25519 ones of age need the sops program, which is not installed";
  }
  return fail(Errc::invalid,
              fmt::format("{}. It is encrypted for {}; {}", message, readers->text(), keys.text()));
}

Result<SecretString> open_if_sealed(SecretString text, const std::string& file, LocalPorts& local) {
  const auto format = sops::format_of(file);
  if (!format || !sops::looks_encrypted(text.reveal(), *format)) return text;
  return open_sops(text.reveal(), file, {*format, *format}, local);
}

Result<SecretString> read_secret_file(const std::string& path, LocalPorts& local) {
  auto text = local.files.read_input(path);
  if (!text) return forward_error(text);
  const SecretString secret(*std::move(text));
  const auto format = sops::format_of(path);
  if (format && sops::looks_encrypted(secret.reveal(), *format)) {
    return open_sops(secret.reveal(), path, {*format, *format}, local);
  }
  return local.files.read_secret(path);
}

}  // namespace ichor
