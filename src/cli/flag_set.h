#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ichor {

/// The flags and arguments of one command line: declared first, then parsed once. The one door to
/// the parsing library.
///
/// `names` are written as "-p,--profile". A value is handed to its `take`, which stores it and
/// returns what is wrong with it, or an empty text. Targets must outlive the call of parse().
class FlagSet {
 public:
  using Take = std::function<std::string(const std::string&)>;
  enum class Times { once, many };

  /// What was declared, for help, completion and the test that both are complete.
  struct Declared {
    std::vector<std::string> names;    // of an argument: its hint
    std::string hint;                  // "FILE"; empty for a flag without a value
    std::vector<std::string> choices;  // if only these are taken
    bool is_argument{false};
  };

  FlagSet();
  ~FlagSet();

  void flag(const std::string& names, bool& target);
  /// A flag that may be written as --name=false, for what is on by default.
  void toggle(const std::string& names, bool& target);
  void value(const std::string& names, std::string hint, Take take, Times times = Times::once);
  void text(const std::string& names, std::string hint, std::string& target);
  /// A integer from `min` to `max`.
  void number(const std::string& names, std::string hint, std::int64_t min, std::int64_t max,
              std::function<void(std::int64_t)> store);

  /// One of a few words.
  template <class T>
  void choice(const std::string& names, std::string hint,
              std::vector<std::pair<std::string, T>> words, T& target) {
    std::vector<std::string> known;
    for (const auto& [word, meaning] : words) known.push_back(word);
    value(names, std::move(hint), [known, words, &target](const std::string& text) {
      for (const auto& [word, meaning] : words) {
        if (word == text) {
          target = meaning;
          return std::string();
        }
      }
      return not_one_of(text, known);
    });
    declared_.back().choices = std::move(known);
  }

  /// A word without a dash, in the order of declaration.
  enum class Need { optional, required };
  void argument(std::string hint, Need need, Take take, std::vector<std::string> choices = {});

  /// Any number of words without a dash.
  void arguments(std::string hint, Take take);

  /// Asked after all flags were taken; returns what is wrong with them together.
  void rule(std::function<std::string()> broken) { rules_.push_back(std::move(broken)); }

  /// Nothing if all is well; else what is wrong, in words for the person who typed it.
  std::optional<std::string> parse(std::vector<std::string> words);

  const std::vector<Declared>& declared() const { return declared_; }

 private:
  static std::string not_one_of(const std::string& text, const std::vector<std::string>& known);
  std::string unknown(const std::string& word) const;

  struct Parser;
  std::unique_ptr<Parser> parser_;
  std::vector<Declared> declared_;
  std::vector<std::function<std::string()>> rules_;
};

}  // namespace ichor
