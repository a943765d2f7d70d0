#include "lint/reasons.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <regex>
#include <sstream>

namespace ichor {
namespace {

/// The ids that a page of docs/lint lists in the first column of its table.
std::vector<std::string> ids_of(const std::filesystem::path& page) {
  std::ifstream file(page);
  EXPECT_TRUE(file.good()) << page;
  std::vector<std::string> ids;
  static const std::regex id("`([a-z]+\\.[a-z-]+)`");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string first = line.substr(0, line.find('|', 1));
    for (std::sregex_iterator found(first.begin(), first.end(), id), end; found != end; ++found) {
      ids.push_back((*found)[1]);
    }
  }
  return ids;
}

TEST(Reasons, EveryFindingOfARuleHasItsOwn) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("docs/lint")) {
    if (entry.path().filename() == "profile.md") continue;
    for (const std::string& id : ids_of(entry.path())) {
      EXPECT_FALSE(reason_of(id).empty()) << id;
      ++count;
    }
  }
  EXPECT_GT(count, 40u);
}

TEST(Reasons, AnUnknownIdHasNone) { EXPECT_EQ(reason_of("patch.surprise"), ""); }

}  // namespace
}  // namespace ichor
