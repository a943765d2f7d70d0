#include "cli/command_line.h"

#include <algorithm>
#include <fmt/format.h>

#include "cli/command_list.h"
#include "cli/help.h"
#include "cli/help_text.h"
#include "cli/nearest.h"

namespace ichor {

namespace {

/// The words of the command's name, and what is left of the line without them.
struct Split {
  std::vector<std::string> name;
  std::vector<std::string> rest;
};

/// Whether the word after `word` is its value.
bool takes_next(const std::string& word, const std::vector<FlagSet::Declared>& common) {
  return std::any_of(common.begin(), common.end(), [&](const FlagSet::Declared& flag) {
    return !flag.hint.empty() &&
           std::find(flag.names.begin(), flag.names.end(), word) != flag.names.end();
  });
}

bool is_group(std::string_view word) {
  return std::any_of(commands().begin(), commands().end(), [&](const CommandSpec& command) {
    return command.name.size() > word.size() && command.name.starts_with(word) &&
           command.name[word.size()] == ' ';
  });
}

/// The first word that is neither a flag nor the value of a common one names the command, and the
/// next such word the command within its group.
Split split_name(const std::vector<std::string>& words) {
  FlagSet common;
  CommonOptions ignored;
  bool help = false;
  declare_common(common, ignored, help);
  Split split;
  bool done = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const bool is_flag = word.starts_with('-');
    if (done || is_flag) split.rest.push_back(word);
    if (done) continue;
    if (is_flag) {
      if (takes_next(word, common.declared()) && i + 1 < words.size()) {
        split.rest.push_back(words[++i]);
      }
      continue;
    }
    split.name.push_back(word);
    done = split.name.size() == 2 || !is_group(word);
  }
  return split;
}

const CommandSpec* find_command(const std::vector<std::string>& name) {
  const std::string joined = fmt::format("{}", fmt::join(name, " "));
  const auto found =
      std::find_if(commands().begin(), commands().end(),
                   [&](const CommandSpec& command) { return command.name == joined; });
  return found == commands().end() ? nullptr : &*found;
}

std::string unknown_command(const std::vector<std::string>& name) {
  const std::string joined = fmt::format("{}", fmt::join(name, " "));
  std::vector<std::string> known;
  for (const CommandSpec& command : commands()) known.emplace_back(command.name);
  if (is_group(joined)) {
    std::erase_if(known, [&](const std::string& one) { return !one.starts_with(joined + " "); });
    return fmt::format("{} what? {}", joined, fmt::join(known, ", "));
  }
  const std::string near = nearest(joined, known);
  if (near.empty()) return fmt::format("unknown command \"{}\"; see `ichor --help`", joined);
  return fmt::format("unknown command \"{}\"; did you mean {}?", joined, near);
}

/// `ichor`, `ichor --help`, `ichor --version`, or flags without a command.
CommandLine without_command(const std::vector<std::string>& words) {
  FlagSet flags;
  CommonOptions common;
  bool help = false;
  bool version = false;
  declare_common(flags, common, help);
  flags.flag("--version", version);
  if (auto wrong = flags.parse(words)) return Misuse{*wrong};
  if (version) return Invocation{common, VersionRequest{}};
  if (help) return HelpWanted{help_text(help_page("ichor"))};
  return Misuse{"which command? see `ichor --help`"};
}

CommandLine help_on(const std::vector<std::string>& words) {
  if (words.empty()) return HelpWanted{help_text(help_page("ichor"))};
  if (find_command(words) || is_group(words.front())) {
    return HelpWanted{help_text(help_page(words.front()))};
  }
  return Misuse{unknown_command(words)};
}

bool asks_for_help(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word == "-h" || word == "--help"; });
}

/// Also where the line cannot be parsed, so that a program that asked for JSON or YAML gets it.
OutputFormat wanted_output(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::string name : {"-o", "--output", "--format"}) {
      std::string value;
      const std::string joined = name == "-o" ? name : name + "=";
      if (words[i] == name && i + 1 < words.size()) {
        value = words[i + 1];
      } else if (words[i].starts_with(joined)) {
        value = words[i].substr(joined.size());
      }
      if (value == "json") return OutputFormat::json;
      if (value == "yaml") return OutputFormat::yaml;
    }
  }
  return OutputFormat::table;
}

/// Several clusters are for commands that can do the same for each.
std::optional<Misuse> check_clusters(const Invocation& invocation, const CommandSpec& command) {
  const CommonOptions& common = invocation.common;
  if (!common.several()) return std::nullopt;
  const auto wrong = [&](std::string_view what) {
    return Misuse{fmt::format("{}: {}", command.name, what)};
  };
  if (!command.each_cluster) return wrong("takes one cluster; leave out the comma in --cluster");
  if (common.all_clusters && !common.cluster.empty()) {
    return wrong("takes --all or --cluster, not both");
  }
  if (invocation.names_profile) {
    return wrong("finds the profiles of several clusters itself; leave out --profile");
  }
  if (common.output == OutputFormat::yaml || common.output == OutputFormat::flat) {
    return wrong("prints a table or -o json for several clusters");
  }
  return std::nullopt;
}

CommandLine parse(const std::vector<std::string>& words) {
  const Split split = split_name(words);
  if (split.name.empty()) return without_command(words);
  if (split.name.front() == "help") return help_on(split.rest);
  const CommandSpec* command = find_command(split.name);
  if (!command) {
    if (is_group(split.name.front()) && asks_for_help(split.rest)) return help_on(split.name);
    // A flag that is not known may have been thought to take the word as its value.
    if (split.name.front() != words.front()) {
      const CommandLine flags_only = without_command(split.rest);
      const Misuse* wrong = std::get_if<Misuse>(&flags_only);
      if (wrong && wrong->message.starts_with("unknown flag")) return *wrong;
    }
    return Misuse{unknown_command(split.name)};
  }
  FlagSet flags;
  Invocation invocation;
  bool help = false;
  declare_common(flags, invocation.common, help, command);
  command->declare(flags, invocation.request);
  const auto wrong = flags.parse(split.rest);
  // Help is given although the rest of the line is wrong: that is why it was asked for.
  if (help || asks_for_help(split.rest)) return HelpWanted{help_text(help_page(command->page()))};
  if (wrong) return Misuse{fmt::format("{}: {}", command->name, *wrong)};
  if (invocation.common.output == OutputFormat::sarif && command->name != "lint") {
    return Misuse{fmt::format("{}: only lint has -o sarif", command->name)};
  }
  // A campaign writes as it goes on, and its figures are no single object.
  if (invocation.common.output == OutputFormat::flat && command->name == "simulate") {
    return Misuse{fmt::format("{}: it has no -o flat; use -o json", command->name)};
  }
  invocation.common.command = command->name;
  const std::vector<TypedFlag> typed = typed_flags(split.rest, flags.declared());
  invocation.names_profile = std::any_of(
      typed.begin(), typed.end(), [](const TypedFlag& flag) { return flag.name == "--profile"; });
  if (auto wrong_choice = check_clusters(invocation, *command)) return *wrong_choice;
  invocation.words = words;
  invocation.hints = Hints(typed);
  return invocation;
}

}  // namespace

CommandLine parse_command_line(const std::vector<std::string>& words) {
  CommandLine line = parse(words);
  if (Misuse* misuse = std::get_if<Misuse>(&line)) misuse->output = wanted_output(words);
  return line;
}

}  // namespace ichor
