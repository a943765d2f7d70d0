#include "cli/flag_set.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <fmt/format.h>

#include "base/words.h"
#include "cli/nearest.h"

namespace ichor {

struct FlagSet::Parser {
  CLI::App app;
};

namespace {

std::string join(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

/// The longest of "-p,--profile", for messages.
std::string spoken(const std::vector<std::string>& names) {
  return names.empty() ? std::string() : names.back();
}

/// Hands each value to `take`; the library turns the exception into an end of parsing.
CLI::callback_t taking(std::string name, FlagSet::Take take) {
  return [name = std::move(name), take = std::move(take)](const CLI::results_t& values) {
    for (const std::string& text : values) {
      if (std::string wrong = take(text); !wrong.empty()) {
        throw CLI::ValidationError(fmt::format("{}: {}", name, wrong));
      }
    }
    return true;
  };
}

}  // namespace

FlagSet::FlagSet() : parser_(std::make_unique<Parser>()) {
  parser_->app.set_help_flag();
  // What is left over is judged here, so that the nearest known name can be suggested.
  parser_->app.allow_extras();
}

FlagSet::~FlagSet() = default;

void FlagSet::flag(const std::string& names, bool& target) {
  declared_.push_back({split_list(names), {}, {}, false});
  parser_->app.add_flag(names, target)->disable_flag_override();
}

void FlagSet::toggle(const std::string& names, bool& target) {
  declared_.push_back({split_list(names), {}, {}, false});
  parser_->app.add_flag(names, target);
}

void FlagSet::value(const std::string& names, std::string hint, Take take, Times times) {
  declared_.push_back({split_list(names), std::move(hint), {}, false});
  const std::string name = spoken(declared_.back().names);
  CLI::Option* option = parser_->app.add_option(names, taking(name, std::move(take)));
  if (times == Times::many) option->take_all();
}

void FlagSet::text(const std::string& names, std::string hint, std::string& target) {
  value(names, std::move(hint), [&target](const std::string& text) {
    target = text;
    return text.empty() ? std::string("must not be empty") : std::string();
  });
}

void FlagSet::number(const std::string& names, std::string hint, std::int64_t min, std::int64_t max,
                     std::function<void(std::int64_t)> store) {
  value(names, std::move(hint), [=, store = std::move(store)](const std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, number);
    const bool is_number = error == std::errc() && read == end;
    if (!is_number || number < min || number > max) {
      return fmt::format("\"{}\" is not an integer from {} to {}", text, min, max);
    }
    store(number);
    return std::string();
  });
}

void FlagSet::arguments(std::string hint, Take take) {
  parser_->app.add_option(hint, taking(hint, std::move(take)))
      ->expected(1, CLI::detail::expected_max_vector_size)
      ->allow_extra_args();
  declared_.push_back({{hint}, hint, {}, true});
}

void FlagSet::argument(std::string hint, Need need, Take take, std::vector<std::string> choices) {
  Take checked = [choices, take = std::move(take)](const std::string& text) {
    const bool known =
        choices.empty() || std::find(choices.begin(), choices.end(), text) != choices.end();
    return known ? take(text) : not_one_of(text, choices);
  };
  CLI::Option* option = parser_->app.add_option(hint, taking(hint, std::move(checked)));
  if (need == Need::required) option->required();
  declared_.push_back({{hint}, hint, std::move(choices), true});
}

std::string FlagSet::not_one_of(const std::string& text, const std::vector<std::string>& known) {
  const std::string near = nearest(text, known);
  if (!near.empty()) return fmt::format("\"{}\" is not known; did you mean {}?", text, near);
  return fmt::format("\"{}\" is not one of {}", text, join(known));
}

std::string FlagSet::unknown(const std::string& word) const {
  if (!word.starts_with('-') || word == "-" || word == "--") {
    return fmt::format("unexpected argument \"{}\"", word);
  }
  const std::string name = word.substr(0, word.find('='));
  std::vector<std::string> names;
  for (const Declared& declared : declared_) {
    if (!declared.is_argument) {
      names.insert(names.end(), declared.names.begin(), declared.names.end());
    }
  }
  const std::string near = nearest(name, names);
  if (near.empty()) return fmt::format("unknown flag {}", name);
  return fmt::format("unknown flag {}; did you mean {}?", name, near);
}

std::optional<std::string> FlagSet::parse(std::vector<std::string> words) {
  std::reverse(words.begin(), words.end());  // the library takes them from the back
  std::string wrong;
  try {
    parser_->app.parse(std::move(words));
  } catch (const CLI::Error& error) {
    wrong = error.what();
  }
  // An unknown flag is the cause where something else seems to be missing because of it.
  const std::vector<std::string> left = parser_->app.remaining();
  if (!left.empty()) return unknown(left.front());
  if (!wrong.empty()) return wrong;
  for (const auto& rule : rules_) {
    if (std::string broken = rule(); !broken.empty()) return broken;
  }
  return std::nullopt;
}

}  // namespace ichor
