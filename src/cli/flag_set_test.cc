#include "cli/flag_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/words.h"

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::Optional;

/// A command with one flag of every kind.
class FlagSetTest : public ::testing::Test {
 protected:
  FlagSetTest() {
    flags_.flag("-q,--quiet", quiet_);
    flags_.text("-p,--profile", "FILE", profile_);
    flags_.number("--jobs", "N", 1, 64, [this](std::int64_t jobs) { jobs_ = jobs; });
    flags_.choice<char>("-o,--output", "FORMAT", {{"table", 't'}, {"json", 'j'}}, output_);
    flags_.value(
        "-n,--nodes", "NODES",
        [this](const std::string& text) {
          for (std::string& node : split_list(text)) nodes_.push_back(std::move(node));
          return std::string();
        },
        FlagSet::Times::many);
    flags_.argument("SHELL", FlagSet::Need::optional,
                    [this](const std::string& text) {
                      shell_ = text;
                      return std::string();
                    },
                    {"bash", "zsh"});
    flags_.rule([this] { return quiet_ && jobs_ == 64 ? std::string("too loud") : std::string(); });
  }

  std::optional<std::string> parse(std::vector<std::string> words) {
    return flags_.parse(std::move(words));
  }

  FlagSet flags_;
  bool quiet_{false};
  std::string profile_, shell_;
  std::int64_t jobs_{1};
  char output_{'t'};
  std::vector<std::string> nodes_;
};

TEST_F(FlagSetTest, TakesEveryKindInAnyOrder) {
  EXPECT_EQ(
      parse({"-n", "cp1,cp2", "bash", "--output=json", "-n", "w1", "-q", "--jobs", "8", "-pF"}),
      std::nullopt);
  EXPECT_TRUE(quiet_);
  EXPECT_EQ(profile_, "F");
  EXPECT_EQ(shell_, "bash");
  EXPECT_EQ(jobs_, 8);
  EXPECT_EQ(output_, 'j');
  EXPECT_THAT(nodes_, ElementsAre("cp1", "cp2", "w1"));
}

TEST_F(FlagSetTest, NamesTheNearestFlag) {
  EXPECT_THAT(parse({"--quite"}),
              Optional(std::string("unknown flag --quite; did you mean --quiet?")));
  EXPECT_THAT(parse({"--wipe=yes"}), Optional(std::string("unknown flag --wipe")));
}

TEST_F(FlagSetTest, RefusesWhatItCannotUse) {
  struct Case {
    std::vector<std::string> words;
    std::string wrong;
  };
  const Case cases[] = {
      {{"--jobs", "0"}, "--jobs: \"0\" is not an integer from 1 to 64"},
      {{"--jobs", "2x"}, "--jobs: \"2x\" is not an integer from 1 to 64"},
      {{"--jobs", "99999999999999999999"},
       "--jobs: \"99999999999999999999\" is not an integer from 1 to 64"},
      {{"-o", "jsno"}, "--output: \"jsno\" is not known; did you mean json?"},
      {{"-o", "xml"}, "--output: \"xml\" is not one of table, json"},
      {{"--profile", ""}, "--profile: must not be empty"},
      {{"fish"}, "SHELL: \"fish\" is not one of bash, zsh"},
      {{"bash", "zsh"}, "unexpected argument \"zsh\""},
      {{"-q", "--jobs", "64"}, "too loud"},
  };
  for (const Case& the : cases) {
    FlagSetTest_RefusesWhatItCannotUse_Test fresh;
    EXPECT_THAT(fresh.parse(the.words), Optional(the.wrong));
  }
}

TEST_F(FlagSetTest, RefusesAFlagThatIsGivenTwiceOrWithoutItsValue) {
  EXPECT_TRUE(parse({"-p", "one", "-p", "other"}).has_value());
  EXPECT_TRUE(parse({"--profile"}).has_value());
}

}  // namespace
}  // namespace ichor
