#include "secrets/age_keys.h"

#include <algorithm>
#include <fmt/format.h>

#include "secrets/age.h"
#include "secrets/shell_words.h"

namespace ichor {

namespace {

constexpr const char* kKey = "SOPS_AGE_KEY";
constexpr const char* kKeyFile = "SOPS_AGE_KEY_FILE";
constexpr const char* kKeyCommand = "SOPS_AGE_KEY_CMD";
/// A file with very many recipients must not start very many programs.
constexpr std::size_t kCommandRunsMax = 16;

/// Where key services and password managers look for what opens them. Everything else of our
/// environment stays here.
constexpr const char* kKeyVariables[] = {"AWS_ACCESS_KEY_ID",
                                         "AWS_CONFIG_FILE",
                                         "AWS_CONTAINER_CREDENTIALS_FULL_URI",
                                         "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                                         "AWS_DEFAULT_REGION",
                                         "AWS_PROFILE",
                                         "AWS_REGION",
                                         "AWS_ROLE_ARN",
                                         "AWS_SDK_LOAD_CONFIG",
                                         "AWS_SECRET_ACCESS_KEY",
                                         "AWS_SESSION_TOKEN",
                                         "AWS_SHARED_CREDENTIALS_FILE",
                                         "AWS_WEB_IDENTITY_TOKEN_FILE",
                                         "AZURE_CLIENT_ID",
                                         "AZURE_CLIENT_SECRET",
                                         "AZURE_FEDERATED_TOKEN_FILE",
                                         "AZURE_TENANT_ID",
                                         "BW_SESSION",
                                         "CLOUDSDK_CONFIG",
                                         "DBUS_SESSION_BUS_ADDRESS",
                                         "DISPLAY",
                                         "GNUPGHOME",
                                         "GOOGLE_APPLICATION_CREDENTIALS",
                                         "GOOGLE_CREDENTIALS",
                                         "GPG_TTY",
                                         "HTTPS_PROXY",
                                         "HTTP_PROXY",
                                         "LANG",
                                         "NO_PROXY",
                                         "OP_ACCOUNT",
                                         "OP_CONNECT_HOST",
                                         "OP_CONNECT_TOKEN",
                                         "OP_SERVICE_ACCOUNT_TOKEN",
                                         "PASSWORD_STORE_DIR",
                                         "SOPS_AGE_KEY",
                                         "SOPS_AGE_KEY_CMD",
                                         "SOPS_AGE_KEY_FILE",
                                         "SOPS_AGE_RECIPIENTS",
                                         "SOPS_AGE_SSH_PRIVATE_KEY_FILE",
                                         "SOPS_GPG_EXEC",
                                         "SOPS_KMS_ARN",
                                         "SOPS_PGP_FP",
                                         "SSH_AUTH_SOCK",
                                         "SSL_CERT_DIR",
                                         "SSL_CERT_FILE",
                                         "TMPDIR",
                                         "VAULT_ADDR",
                                         "VAULT_CACERT",
                                         "VAULT_NAMESPACE",
                                         "VAULT_TOKEN",
                                         "WAYLAND_DISPLAY",
                                         "XDG_CONFIG_HOME",
                                         "XDG_RUNTIME_DIR",
                                         "https_proxy",
                                         "http_proxy",
                                         "no_proxy"};

class Search {
 public:
  explicit Search(LocalPorts& local) : local_(local) {}

  void in_variable() {
    const auto text = local_.environment.variable(kKey);
    if (!text) return nothing(kKey, "not set");
    take(*text, kKey, age::KeyLayout::words);
  }

  void in_named_file() {
    const auto path = local_.environment.variable(kKeyFile);
    if (!path) return nothing(kKeyFile, "not set");
    in_file(*path, fmt::format("{} ({})", kKeyFile, *path));
  }

  void in_default_file() {
    const auto config = local_.environment.variable("XDG_CONFIG_HOME");
    const auto home = local_.environment.variable("HOME");
    std::string folder;
    if (config && !config->empty()) {
      folder = *config;
    } else if (home && !home->empty()) {
      folder = *home + "/.config";
    } else {
      return nothing("the configuration folder", "HOME is not set");
    }
    const std::string path = folder + "/sops/age/keys.txt";
    if (!local_.files.has_file(path)) return nothing(path, "no such file");
    in_file(path, path);
  }

  void by_command(const std::vector<std::string>& recipients) {
    const auto line = local_.environment.variable(kKeyCommand);
    if (!line) return nothing(kKeyCommand, "not set");
    const auto words = secrets::shell_words(*line);
    if (!words || words->empty()) return trouble(kKeyCommand, "a quote is open, or it is empty");
    const std::size_t runs = std::min(std::max<std::size_t>(recipients.size(), 1), kCommandRunsMax);
    for (std::size_t i = 0; i < runs; ++i) {
      ProcessCall call;
      call.program = words->front();
      call.arguments.assign(words->begin() + 1, words->end());
      call.variables = variables_for_keys(local_);
      if (i < recipients.size()) call.variables["SOPS_AGE_RECIPIENT"] = recipients[i];
      const auto done = local_.programs.run_program(call);
      if (!done) return trouble(kKeyCommand, done.error().message);
      if (done->exit != 0) {
        trouble(kKeyCommand,
                fmt::format("{} ended with {}: {}", words->front(), done->exit, done->errors));
        continue;
      }
      take(done->output.reveal(), kKeyCommand, age::KeyLayout::lines);
    }
  }

  AgeKeys done() { return std::move(keys_); }

 private:
  void nothing(const std::string& where, std::string_view why) {
    keys_.places.push_back(fmt::format("{}: {}", where, why));
  }
  void trouble(const std::string& where, std::string_view what) {
    keys_.troubles.push_back(fmt::format("{}: {}", where, what));
  }

  void in_file(const std::string& path, const std::string& where) {
    const auto text = local_.files.read_secret(path);
    if (!text) return trouble(where, text.error().message);
    take(text->reveal(), where, age::KeyLayout::lines);
  }

  void take(std::string_view text, const std::string& where, age::KeyLayout layout) {
    if (age::looks_encrypted(text)) {
      return trouble(where, "it is itself encrypted, which is not supported; decrypt it first");
    }
    auto found = age::parse_identities(text, where, layout);
    if (!found) {
      keys_.troubles.push_back(found.error().message);
      return;
    }
    nothing(where,
            fmt::format("{} keys", found->own.size() + static_cast<std::size_t>(found->outside)));
    keys_.identities.add(*std::move(found));
  }

  LocalPorts& local_;
  AgeKeys keys_;
};

}  // namespace

std::string AgeKeys::text() const {
  std::string out = fmt::format("keys were looked for in {}", fmt::join(places, "; "));
  if (!troubles.empty()) out += fmt::format(". Not usable: {}", fmt::join(troubles, "; "));
  return out;
}

std::map<std::string, std::string> variables_for_keys(LocalPorts& local) {
  std::map<std::string, std::string> variables;
  for (const char* name : kKeyVariables) {
    if (auto value = local.environment.variable(name)) variables[name] = *std::move(value);
  }
  return variables;
}

AgeKeys find_age_keys(const std::vector<std::string>& recipients, LocalPorts& local) {
  Search search(local);
  search.in_variable();
  search.in_named_file();
  search.by_command(recipients);
  search.in_default_file();
  return search.done();
}

}  // namespace ichor
