#include "cli/completion_script.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "cli/command_list.h"

namespace ichor {

namespace {

/// A command with everything that may stand behind it.
struct Entry {
  const CommandSpec* command;
  std::vector<FlagSet::Declared> flags;
};

std::vector<Entry> entries() {
  std::vector<Entry> list;
  for (const CommandSpec& command : commands()) {
    list.push_back({&command, flags_of(command)});
  }
  return list;
}

/// The first words: commands and groups, each once, in order.
std::vector<std::string> first_words() {
  std::vector<std::string> words;
  for (const CommandSpec& command : commands()) {
    std::string page(command.page());
    if (std::find(words.begin(), words.end(), page) == words.end())
      words.push_back(std::move(page));
  }
  return words;
}

/// The words that may follow a group: "lab" gives start, status and so on.
std::map<std::string, std::vector<std::string>> groups() {
  std::map<std::string, std::vector<std::string>> found;
  for (const CommandSpec& command : commands()) {
    if (command.page() == command.name) continue;
    found[std::string(command.page())].emplace_back(command.name.substr(command.page().size() + 1));
  }
  return found;
}

/// "lab|secrets" for a shell's case; a dash, which is not a command, if there are none.
std::string group_pattern() {
  std::string pattern;
  for (const auto& [group, members] : groups()) {
    pattern += pattern.empty() ? group : "|" + group;
  }
  return pattern.empty() ? "-" : pattern;
}

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

bool is_path(const FlagSet::Declared& flag) { return flag.hint == "FILE" || flag.hint == "DIR"; }

/// The names that `ichor completion --names` gives for the value; empty if it has none.
std::string_view names_for(const FlagSet::Declared& flag) {
  if (flag.hint == "NODE" || flag.hint == "NODES") return "nodes";
  if (flag.names.back() == "--cluster") return "clusters";
  if (flag.hint == "FAULT") return "faults";
  if (flag.hint == "ID") return "ids";
  return flag.is_argument && (flag.hint == "RUN" || flag.hint == "A" || flag.hint == "B") ? "runs"
                                                                                          : "";
}

/// Whether several names may be given, with commas between.
bool is_list(const FlagSet::Declared& flag) { return flag.hint == "NODES"; }

/// What may follow a group that is a command, too: "history" gives diff.
std::vector<std::string> members_of(std::string_view name) {
  const auto found = groups();
  const auto group = found.find(std::string(name));
  return group == found.end() ? std::vector<std::string>() : group->second;
}

std::string bash_value(const FlagSet::Declared& flag) {
  if (is_path(flag)) return "COMPREPLY=($(compgen -f -- \"$cur\"))";
  const std::string_view names = names_for(flag);
  if (names.empty()) {
    return fmt::format("COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))", join(flag.choices));
  }
  return fmt::format("_ichor_{} {}", is_list(flag) ? "list" : "one", names);
}

std::string bash_flags(const Entry& entry) {
  std::vector<std::string> words = members_of(entry.command->name);
  std::string values;
  for (const FlagSet::Declared& flag : entry.flags) {
    if (flag.is_argument) {
      words.insert(words.end(), flag.choices.begin(), flag.choices.end());
      const std::string_view names = names_for(flag);
      if (!names.empty()) words.push_back(fmt::format("$(_ichor_names {})", names));
      continue;
    }
    words.insert(words.end(), flag.names.begin(), flag.names.end());
    if (flag.hint.empty()) continue;
    values +=
        fmt::format("        {}) {}; return ;;\n", fmt::join(flag.names, "|"), bash_value(flag));
  }
  std::string text = fmt::format("    \"{}\")\n", entry.command->name);
  if (!values.empty()) text += fmt::format("      case \"$prev\" in\n{}      esac\n", values);
  return text + fmt::format("      words=\"{}\" ;;\n", join(words));
}

std::string bash_script() {
  std::string cases;
  for (const Entry& entry : entries()) cases += bash_flags(entry);
  for (const auto& [group, members] : groups()) {
    cases += fmt::format("    \"{}\") words=\"{}\" ;;\n", group, join(members));
  }
  return fmt::format(R"sh(# bash completion of ichor; source it, or put it into bash_completion.d.
# Names of nodes, clusters, faults and runs come from ichor itself, by the flags on the line.
_ichor_names() {{
  local with=() i
  for ((i = 1; i + 1 < COMP_CWORD; i++)); do
    case "${{COMP_WORDS[i]}}" in
      -p|--profile|--state-dir|--lab-state) with+=("${{COMP_WORDS[i]}}" "${{COMP_WORDS[i+1]}}") ;;
    esac
  done
  "${{COMP_WORDS[0]}}" completion --names "$1" "${{with[@]}}" 2>/dev/null
}}
_ichor_one() {{ COMPREPLY=($(compgen -W "$(_ichor_names "$1")" -- "$cur")); }}
_ichor_list() {{
  local head=""
  [[ $cur == *,* ]] && head="${{cur%,*}},"
  COMPREPLY=($(compgen -P "$head" -W "$(_ichor_names "$1")" -- "${{cur##*,}}"))
}}
_ichor() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" command="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "${{COMP_WORDS[i-1]}}" in
      -p|--profile|--cluster|--state-dir|--lab-state|-o|--output|--format) continue ;;
    esac
    case " {} " in
      *" ${{COMP_WORDS[i]}} "*) [[ $command == "" ]] && command="${{COMP_WORDS[i]}}" && continue ;;
    esac
    case "$command" in
      {}) [[ ${{COMP_WORDS[i]}} != -* ]] && command="$command ${{COMP_WORDS[i]}}" && break ;;
    esac
  done
  case "$command" in
    "") words="{}" ;;
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o default -F _ichor ichor
)sh",
                     join(first_words()), group_pattern(), join(first_words()), cases);
}

/// What zsh offers for a value.
std::string zsh_answer(const FlagSet::Declared& flag) {
  if (is_path(flag)) return "_files";
  const std::string_view names = names_for(flag);
  if (names.empty()) return fmt::format("({})", join(flag.choices));
  return fmt::format("{{_ichor_names {}}}", names);
}

/// One argument of zsh's _arguments.
std::string zsh_flag(const FlagSet::Declared& flag, std::string_view name) {
  if (flag.hint.empty()) return fmt::format(" '{}'", name);
  return fmt::format(" '{}:{}:{}'", name, flag.hint, zsh_answer(flag));
}

std::string zsh_script() {
  std::string cases;
  for (const Entry& entry : entries()) {
    std::string flags;
    for (const FlagSet::Declared& flag : entry.flags) {
      if (flag.is_argument) {
        flags += fmt::format(" '*:{}:{}'", flag.hint, zsh_answer(flag));
        continue;
      }
      for (const std::string& name : flag.names) flags += zsh_flag(flag, name);
    }
    cases += fmt::format("    '{}') _arguments{} ;;\n", entry.command->name, flags);
  }
  std::string described;
  for (const CommandSpec& command : commands()) {
    if (command.page() == command.name) {
      described += fmt::format(" '{}:{}'", command.name, command.summary);
    }
  }
  std::string grouped;
  for (const auto& [group, members] : groups()) {
    described += fmt::format(" '{0}:{0} {1}'", group, fmt::join(members, "|"));
    // A group that is a command, too, goes on with its own flags.
    const bool is_command =
        std::any_of(commands().begin(), commands().end(),
                    [&group = group](const CommandSpec& command) { return command.name == group; });
    grouped += fmt::format(
        "  if [[ $words[2] == {} ]]; then\n    if (( CURRENT == 3 )); then compadd {}; {}fi\n"
        "    [[ \" {} \" == *\" $words[3] \"* ]] && name=\"$words[2] $words[3]\"\n  fi\n",
        group, join(members), is_command ? "" : "return; ", join(members));
  }
  return fmt::format(R"sh(#compdef ichor
# zsh completion of ichor; put it as _ichor into a folder of $fpath.
# Names of nodes, clusters, faults and runs come from ichor itself, by the flags on the line.
_ichor_names() {{
  local -a with found
  local i
  for ((i = 2; i + 1 < CURRENT; i++)); do
    case "$words[i]" in
      -p|--profile|--state-dir|--lab-state) with+=("$words[i]" "$words[i+1]") ;;
    esac
  done
  found=(${{(f)"$($words[1] completion --names $1 $with 2>/dev/null)"}})
  [[ $1 == nodes ]] && compset -P '*,'
  compadd -a found
}}
_ichor() {{
  local -a list
  local name="$words[2]"
  list=({})
  if (( CURRENT == 2 )); then _describe command list; return; fi
{}  case "$name" in
{}  esac
}}
if [[ $funcstack[1] == _ichor ]]; then _ichor "$@"; else compdef _ichor ichor; fi
)sh",
                     described, grouped, cases);
}

std::string fish_value(const FlagSet::Declared& flag) {
  const std::string_view names = names_for(flag);
  if (names.empty()) return fmt::format("-xa '{}'", join(flag.choices));
  if (is_list(flag))
    return fmt::format("-xa '(__fish_complete_list , \"__ichor_names {}\")'", names);
  return fmt::format("-xa '(__ichor_names {})'", names);
}

std::string fish_flag(const FlagSet::Declared& flag, std::string_view seen) {
  std::string line = fmt::format("complete -c ichor -n '{}'", seen);
  if (flag.is_argument) return line + " " + fish_value(flag) + "\n";
  for (const std::string& name : flag.names) {
    const bool is_long = name.starts_with("--");
    line += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
  }
  if (!flag.hint.empty()) line += is_path(flag) ? " -rF" : " " + fish_value(flag);
  return line + "\n";
}

/// Whether the line is one of this command: `lab status` is not `status`.
std::string fish_seen(const CommandSpec& command) {
  const std::string_view page = command.page();
  if (page != command.name) {
    return fmt::format("__fish_seen_subcommand_from {}; and __fish_seen_subcommand_from {}", page,
                       command.name.substr(page.size() + 1));
  }
  std::string others;
  for (const auto& [group, members] : groups()) {
    const bool has_one = std::find(members.begin(), members.end(), command.name) != members.end();
    if (has_one) others += " " + group;
  }
  const std::vector<std::string> own = members_of(command.name);
  if (!own.empty()) others += " " + join(own);
  std::string seen = fmt::format("__fish_seen_subcommand_from {}", command.name);
  if (!others.empty()) seen += fmt::format("; and not __fish_seen_subcommand_from{}", others);
  return seen;
}

constexpr std::string_view kFishHead = R"(# fish completion of ichor.
# Names of nodes, clusters, faults and runs come from ichor itself, by the flags on the line.
function __ichor_names
    set -l line (commandline -opc)
    set -l with
    for i in (seq 2 (math (count $line) - 1))
        if contains -- $line[$i] -p --profile --state-dir --lab-state
            set -a with $line[$i] $line[(math $i + 1)]
        end
    end
    $line[1] completion --names $argv[1] $with 2>/dev/null
end
complete -c ichor -f
)";

std::string fish_script() {
  std::string text(kFishHead);
  for (const std::string& word : first_words()) {
    const auto command = std::find_if(commands().begin(), commands().end(),
                                      [&](const CommandSpec& one) { return one.name == word; });
    text += fmt::format("complete -c ichor -n __fish_use_subcommand -a {}", word);
    text += command == commands().end() ? "\n" : fmt::format(" -d '{}'\n", command->summary);
  }
  for (const auto& [group, members] : groups()) {
    text += fmt::format(
        "complete -c ichor -n '__fish_seen_subcommand_from {0}; and not "
        "__fish_seen_subcommand_from {1}' -a '{1}'\n",
        group, join(members));
  }
  for (const Entry& entry : entries()) {
    const std::string seen = fish_seen(*entry.command);
    for (const FlagSet::Declared& flag : entry.flags) text += fish_flag(flag, seen);
  }
  return text;
}

}  // namespace

std::string completion_script(Shell shell) {
  switch (shell) {
    case Shell::bash: return bash_script();
    case Shell::zsh: return zsh_script();
    case Shell::fish: return fish_script();
  }
  return {};
}

}  // namespace ichor
