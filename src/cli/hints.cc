#include "cli/hints.h"

#include <algorithm>
#include <array>

#include "base/words.h"
#include "cli/command_list.h"

namespace ichor {

namespace {

/// What says which cluster, which machines and which lab are meant. What says how a command works,
/// as patience, consents and formats do, belongs to one run only.
constexpr std::array<std::string_view, 12> kRepeated = {
    "--profile",    "--cluster",     "--state-dir", "--lab-state", "--lab",     "--time-scale",
    "--config-dir", "--talosconfig", "--context",   "--endpoints", "--address", "--exclude"};

/// Commands that work on a cluster.
constexpr std::array<std::string_view, 28> kOnClusters = {
    "up",          "plan",         "apply",        "upgrade",     "reset",         "verify",
    "preflight",   "discover",     "bootstrap",    "health",      "status",        "unlock",
    "phase",       "wait",         "report",       "etcd status", "etcd snapshot", "etcd defrag",
    "drift",       "certs status", "certs renew",  "kubeconfig",  "doctor",        "etcd restore",
    "node remove", "node add",     "node replace", "upgrade-k8s"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

const FlagSet::Declared* find_flag(const std::vector<FlagSet::Declared>& declared,
                                   std::string_view name) {
  const auto found = std::find_if(declared.begin(), declared.end(), [&](const auto& flag) {
    return !flag.is_argument &&
           std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end();
  });
  return found == declared.end() ? nullptr : &*found;
}

/// The words before the first flag or argument name the command: the longest that is one.
const CommandSpec* command_in(std::string_view words) {
  const CommandSpec* found = nullptr;
  for (const CommandSpec& command : commands()) {
    const bool begins = words.starts_with(command.name) &&
                        (words.size() == command.name.size() || words[command.name.size()] == ' ');
    if (begins && (!found || found->name.size() < command.name.size())) found = &command;
  }
  return found;
}

/// Whether a command is about a cluster. `doctor ID` explains a row, whichever the cluster.
bool is_on_cluster(const CommandSpec& command, std::string_view arguments) {
  if (command.name != "doctor") return contains(kOnClusters, command.name);
  return !arguments.empty() && !(arguments.front() >= 'A' && arguments.front() <= 'Z');
}

bool has_flag(std::string_view arguments, const FlagSet::Declared& flag) {
  return std::any_of(flag.names.begin(), flag.names.end(), [&](const std::string& name) {
    const std::size_t at = arguments.find(name);
    if (at == std::string_view::npos) return false;
    const std::size_t end = at + name.size();
    const bool whole = end == arguments.size() || arguments[end] == ' ' || arguments[end] == '=';
    return whole && (at == 0 || arguments[at - 1] == ' ');
  });
}

}  // namespace

std::vector<TypedFlag> typed_flags(const std::vector<std::string>& words,
                                   const std::vector<FlagSet::Declared>& declared) {
  std::vector<TypedFlag> typed;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::size_t equals = words[i].find('=');
    const FlagSet::Declared* flag = find_flag(declared, words[i].substr(0, equals));
    if (!flag) continue;
    TypedFlag& one = typed.emplace_back();
    one.name = flag->names.back();
    if (flag->hint.empty()) continue;
    if (equals != std::string::npos) {
      one.value = words[i].substr(equals + 1);
    } else if (i + 1 < words.size()) {
      one.value = words[++i];
    }
  }
  return typed;
}

Hints::Hints(std::vector<TypedFlag> typed) : kept_(std::move(typed)) {
  std::erase_if(kept_, [](const TypedFlag& flag) { return !contains(kRepeated, flag.name); });
}

void Hints::set_lab(const std::string& folder) {
  std::erase_if(kept_, [](const TypedFlag& flag) { return flag.name == "--lab-state"; });
  kept_.push_back({"--lab-state", folder});
}

std::string Hints::command(std::string_view text) const {
  constexpr std::string_view kProgram = "ichor ";
  if (kept_.empty() || !text.starts_with(kProgram)) return std::string(text);
  const std::string_view words = text.substr(kProgram.size());
  const CommandSpec* command = command_in(words);
  if (!command) return std::string(text);
  const std::string_view rest = words.substr(command->name.size());
  const std::string_view arguments = rest.empty() ? rest : rest.substr(1);
  const bool on_cluster = is_on_cluster(*command, arguments);
  const bool reads_profile = command->name == "lint" || command->name == "lab start";
  std::string complete(text.substr(0, kProgram.size() + command->name.size()));
  const std::vector<FlagSet::Declared> taken = flags_of(*command);
  for (const TypedFlag& flag : kept_) {
    const FlagSet::Declared* declared = find_flag(taken, flag.name);
    const bool wanted = on_cluster || (reads_profile && flag.name == "--profile");
    if (!declared || !wanted || has_flag(arguments, *declared)) continue;
    complete += " " + (flag.name == "--profile" ? std::string("-p") : flag.name);
    if (!declared->hint.empty()) complete += " " + shell_quoted(flag.value);
  }
  return complete + std::string(rest);
}

std::string Hints::in(std::string text) const {
  std::string complete;
  std::size_t done = 0;
  while (true) {
    const std::size_t begin = text.find("`ichor ", done);
    const std::size_t end = begin == std::string::npos ? begin : text.find('`', begin + 1);
    if (end == std::string::npos) return complete + text.substr(done);
    complete += text.substr(done, begin + 1 - done);
    complete += command(std::string_view(text).substr(begin + 1, end - begin - 1));
    done = end;
  }
}

}  // namespace ichor
