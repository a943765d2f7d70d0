#include "run/provider_access.h"

#include <fmt/format.h>

#include "lab/proxmox/access.h"
#include "profile/profile_layout.h"

namespace ichor {

namespace {

constexpr Duration kProgramLimit = std::chrono::minutes(1);

/// What `pass`, gpg and `op` need of the environment, besides HOME and PATH.
constexpr const char* kVariables[] = {"DBUS_SESSION_BUS_ADDRESS",
                                      "DISPLAY",
                                      "GNUPGHOME",
                                      "GPG_TTY",
                                      "LANG",
                                      "OP_ACCOUNT",
                                      "OP_CONNECT_HOST",
                                      "OP_CONNECT_TOKEN",
                                      "OP_SERVICE_ACCOUNT_TOKEN",
                                      "PASSWORD_STORE_DIR",
                                      "WAYLAND_DISPLAY",
                                      "XDG_CONFIG_HOME",
                                      "XDG_RUNTIME_DIR"};

SecretString trimmed(const SecretString& secret) {
  std::string_view text = secret.reveal();
  const std::size_t end = text.find_first_of("\r\n");
  text = text.substr(0, end);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return SecretString(std::string(text));
}

Result<SecretString> output_of(std::vector<std::string> words, Host& host) {
  ProcessCall call;
  call.program = words.front();
  call.arguments.assign(words.begin() + 1, words.end());
  for (const char* name : kVariables) {
    if (const auto value = host.environment.variable(name)) call.variables[name] = *value;
  }
  call.limit = kProgramLimit;
  auto ended = host.programs.run_program(std::move(call));
  if (!ended) return forward_error(ended);
  if (ended->exit == 0) return std::move(ended->output);
  return fail(Errc::invalid,
              fmt::format("{} ended with {}: {}", words.front(), ended->exit, ended->errors));
}

Result<SecretString> token_of(const SecretSource& source, const std::string& folder, Host& host) {
  if (!source.file.empty()) return host.files.read_secret(at_profile(folder, source.file));
  if (!source.variable.empty()) {
    auto value = host.environment.variable(source.variable);
    if (value) return SecretString(*std::move(value));
    return fail(Errc::invalid, fmt::format("the variable {} is not set", source.variable));
  }
  if (!source.op.empty()) return output_of({"op", "read", "--no-newline", source.op}, host);
  return output_of(source.command, host);
}

/// USER@REALM!TOKENID=SECRET, without a word about what it holds.
bool is_token(std::string_view token) {
  const std::size_t at = token.find('@');
  const std::size_t bang = token.find('!', at == token.npos ? 0 : at);
  const std::size_t equals = token.find('=', bang == token.npos ? 0 : bang);
  if (at == token.npos || bang == token.npos || equals == token.npos) return false;
  if (at == 0 || bang == at + 1 || equals == bang + 1 || equals + 1 == token.size()) return false;
  return token.find_first_of(" \t\r\n") == token.npos;
}

tl::unexpected<RunResult> refuse(std::string id, std::string what, std::string fix) {
  RunResult result;
  result.exit = Exit::findings;
  result.verdict = what;
  result.findings.push_back(
      {Severity::error, std::move(id), {}, "providers.proxmox", std::move(what), std::move(fix)});
  return tl::unexpected(std::move(result));
}

OrEnd<WebServer> real_server(const ProviderPlan& plan, const ProfileInput& input, Host& host) {
  WebServer server;
  server.url = plan.url;
  server.pin = plan.fingerprint;
  if (!plan.ca_file.empty()) {
    auto ca = host.files.read_input(at_profile(input.folder, plan.ca_file));
    if (!ca) {
      return refuse("P7", "the CA of Proxmox cannot be read: " + ca.error().message,
                    "copy /etc/pve/pve-root-ca.pem of the host to that file");
    }
    // An empty text would mean that the authorities of this machine are believed.
    if (ca->empty()) {
      return refuse("P7", "the CA file of Proxmox is empty: " + plan.ca_file,
                    "copy /etc/pve/pve-root-ca.pem of the host to that file");
    }
    server.ca_pem = *std::move(ca);
  }
  const auto token = token_of(plan.token, input.folder, host);
  if (!token) {
    return refuse("P3", "there is no token for Proxmox: " + token.error().message,
                  "put the token where providers.proxmox.token says");
  }
  server.token = trimmed(*token);
  if (!is_token(server.token.reveal())) {
    return refuse("P3", "the token for Proxmox does not have the form USER@REALM!TOKENID=SECRET",
                  "store full-tokenid, = and value of `pveum user token add`, as one line");
  }
  return server;
}

}  // namespace

OrEnd<std::unique_ptr<Provider>> reach_provider(const ProfileInput& input, const RunTarget& target,
                                                Host& host) {
  if (!input.provider) {
    return refuse("P3", "the profile does not say how Proxmox is reached",
                  "add providers.proxmox with url, token, hosts, storage and image: see "
                  "examples/proxmox/ichor.yaml");
  }
  OrEnd<WebServer> server = WebServer{};
  if (target.lab.empty()) {
    server = real_server(*input.provider, input, host);
    if (!server) return forward_error(server);
  } else {
    auto access = lab::read_proxmox_access(target.lab);
    if (!access) return end_with(access.error());
    server->url = access->url;
    server->ca_pem = access->ca_pem;
    server->token = access->token;
  }
  auto provider = host.network.open_provider(*std::move(server));
  if (!provider) return end_with(provider.error());
  return *std::move(provider);
}

}  // namespace ichor
