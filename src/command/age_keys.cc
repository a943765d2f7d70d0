#include "command/age_keys.h"

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

class Search {
 public:
  explicit Search(Desk& desk) : desk_(desk) {}

  void in_variable() {
    const auto text = desk_.environment(kKey);
    if (!text) return nothing(kKey, "not set");
    take(*text, kKey, age::KeyLayout::words);
  }

  void in_named_file() {
    const auto path = desk_.environment(kKeyFile);
    if (!path) return nothing(kKeyFile, "not set");
    in_file(*path, fmt::format("{} ({})", kKeyFile, *path));
  }

  void in_default_file() {
    const auto config = desk_.environment("XDG_CONFIG_HOME");
    const auto home = desk_.environment("HOME");
    std::string folder;
    if (config && !config->empty()) {
      folder = *config;
    } else if (home && !home->empty()) {
      folder = *home + "/.config";
    } else {
      return nothing("the configuration folder", "HOME is not set");
    }
    const std::string path = folder + "/sops/age/keys.txt";
    if (!desk_.has_file(path)) return nothing(path, "no such file");
    in_file(path, path);
  }

  void by_command(const std::vector<std::string>& recipients) {
    const auto line = desk_.environment(kKeyCommand);
    if (!line) return nothing(kKeyCommand, "not set");
    const auto words = secrets::shell_words(*line);
    if (!words || words->empty()) return trouble(kKeyCommand, "a quote is open, or it is empty");
    const std::size_t runs = std::min(std::max<std::size_t>(recipients.size(), 1), kCommandRunsMax);
    for (std::size_t i = 0; i < runs; ++i) {
      ProgramCall call;
      call.arguments = *words;
      if (i < recipients.size()) call.variables["SOPS_AGE_RECIPIENT"] = recipients[i];
      const auto done = desk_.run_program(call);
      if (!done) return trouble(kKeyCommand, done.error().message);
      if (done->exit != 0) {
        trouble(kKeyCommand, fmt::format("{} ended with {}", words->front(), done->exit));
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
    auto text = desk_.read_input(path);
    if (!text) return trouble(where, text.error().message);
    const SecretString secret(*std::move(text));
    take(secret.reveal(), where, age::KeyLayout::lines);
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

  Desk& desk_;
  AgeKeys keys_;
};

}  // namespace

std::string AgeKeys::text() const {
  std::string out = fmt::format("keys were looked for in {}", fmt::join(places, "; "));
  if (!troubles.empty()) out += fmt::format(". Not usable: {}", fmt::join(troubles, "; "));
  return out;
}

AgeKeys find_age_keys(const std::vector<std::string>& recipients, Desk& desk) {
  Search search(desk);
  search.in_variable();
  search.in_named_file();
  search.by_command(recipients);
  search.in_default_file();
  return search.done();
}

}  // namespace ichor
