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

/// "lab|secrets" for a shell's case; a dash, which is no command, if there are none.
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

std::string bash_flags(const Entry& entry) {
  std::vector<std::string> words;
  std::string values;
  for (const FlagSet::Declared& flag : entry.flags) {
    if (flag.is_argument) {
      words.insert(words.end(), flag.choices.begin(), flag.choices.end());
      continue;
    }
    words.insert(words.end(), flag.names.begin(), flag.names.end());
    if (flag.hint.empty()) continue;
    const std::string answer =
        is_path(flag) ? "compgen -f" : fmt::format("compgen -W \"{}\"", join(flag.choices));
    values += fmt::format("        {}) COMPREPLY=($({} -- \"$cur\")); return ;;\n",
                          fmt::join(flag.names, "|"), answer);
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
  return fmt::format(R"(# bash completion of ichor; source it, or put it into bash_completion.d.
_ichor() {{
  local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" command="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
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
)",
                     join(first_words()), group_pattern(), join(first_words()), cases);
}

/// One argument of zsh's _arguments.
std::string zsh_flag(const FlagSet::Declared& flag, std::string_view name) {
  if (flag.hint.empty()) return fmt::format(" '{}'", name);
  const std::string answer = is_path(flag) ? "_files" : fmt::format("({})", join(flag.choices));
  return fmt::format(" '{}:{}:{}'", name, flag.hint, answer);
}

std::string zsh_script() {
  std::string cases;
  for (const Entry& entry : entries()) {
    std::string flags;
    for (const FlagSet::Declared& flag : entry.flags) {
      if (flag.is_argument) {
        flags += fmt::format(" '*:{}:({})'", flag.hint, join(flag.choices));
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
    grouped += fmt::format(
        "  if [[ $words[2] == {} ]]; then\n    if (( CURRENT == 3 )); then compadd {}; return; fi\n"
        "    name=\"$words[2] $words[3]\"\n  fi\n",
        group, join(members));
  }
  return fmt::format(R"(#compdef ichor
# zsh completion of ichor; put it as _ichor into a folder of $fpath.
_ichor() {{
  local -a list
  local name="$words[2]"
  list=({})
  if (( CURRENT == 2 )); then _describe command list; return; fi
{}  case "$name" in
{}  esac
}}
if [[ $funcstack[1] == _ichor ]]; then _ichor "$@"; else compdef _ichor ichor; fi
)",
                     described, grouped, cases);
}

std::string fish_flag(const FlagSet::Declared& flag, std::string_view seen) {
  std::string line = fmt::format("complete -c ichor -n '{}'", seen);
  if (flag.is_argument) return line + fmt::format(" -xa '{}'\n", join(flag.choices));
  for (const std::string& name : flag.names) {
    const bool is_long = name.starts_with("--");
    line += fmt::format(" {} {}", is_long ? "-l" : "-s", name.substr(is_long ? 2 : 1));
  }
  if (!flag.hint.empty()) {
    line += is_path(flag) ? " -rF" : fmt::format(" -xa '{}'", join(flag.choices));
  }
  return line + "\n";
}

std::string fish_script() {
  std::string text = "# fish completion of ichor.\ncomplete -c ichor -f\n";
  for (const std::string& word : first_words()) {
    const auto command = std::find_if(commands().begin(), commands().end(),
                                      [&](const CommandSpec& one) { return one.name == word; });
    text += fmt::format("complete -c ichor -n __fish_use_subcommand -a {}", word);
    text += command == commands().end() ? "\n" : fmt::format(" -d '{}'\n", command->summary);
  }
  for (const auto& [group, members] : groups()) {
    text += fmt::format("complete -c ichor -n '__fish_seen_subcommand_from {}' -a '{}'\n", group,
                        join(members));
  }
  for (const Entry& entry : entries()) {
    const std::string_view name = entry.command->name;
    const std::string seen =
        fmt::format("__fish_seen_subcommand_from {}", name.substr(name.rfind(' ') + 1));
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
