#include "doctor/explain.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace ichor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Explain, TellsCauseResponseAndSteps) {
  std::string text;
  for (const std::string& line : explain(*find_fault("E4"))) {
    EXPECT_LE(line.size(), 100u);
    text += line + "\n";
  }
  EXPECT_THAT(text, HasSubstr("E4: two etcd clusters"));
  EXPECT_THAT(text, HasSubstr("  cause     "));
  EXPECT_THAT(text, HasSubstr("  fix       "));
  EXPECT_THAT(text, HasSubstr("`ichor reset NODE -p PROFILE`"));
}

TEST(FillIn, PutsNamesIntoTheirPlaces) {
  EXPECT_EQ(fill_in("`ichor doctor NODE -p PROFILE`", "cp1"), "`ichor doctor cp1`");
  EXPECT_EQ(fill_in("correct `ip` in PROFILE", "cp1"), "correct `ip` in the profile");
  EXPECT_EQ(fill_in("reset NODE", ""), "reset NODE");
  EXPECT_EQ(fill_in("NODE", "NODENODE"), "NODENODE");
}

TEST(Wrapped, BreaksAtSpacesAndKeepsWordsWhole) {
  const std::string word(60, 'x');
  EXPECT_THAT(wrapped(word + " " + word, "  "), ElementsAre("  " + word, "  " + word));
  EXPECT_TRUE(wrapped("", "  ").empty());
}

TEST(Catalogue, IsTheDocument) {
  std::ifstream file("docs/faults.md", std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), catalogue_markdown())
      << "src/doctor has changed: run `make faults` and commit docs/faults.md";
}

}  // namespace
}  // namespace ichor
