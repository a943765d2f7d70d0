#include "doctor/fault.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>
#include <sstream>

#include "wait/retry_table.h"

namespace ichor {
namespace {

bool is_known(const std::string& id) { return find_fault(id) || find_invariant(id); }

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Every literal of the folder's product sources that has the form of an id, and where it stands.
std::map<std::string, std::string> ids_in(const std::filesystem::path& folder) {
  static const std::regex literal("\"([NTDEALCKOPI][0-9]{1,2})\"");
  std::map<std::string, std::string> ids;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".cc" || path.ends_with("_test.cc")) continue;
    const std::string text = read_file(entry.path());
    for (std::sregex_iterator found(text.begin(), text.end(), literal), end; found != end;
         ++found) {
      ids[(*found)[1]] = path;
    }
  }
  return ids;
}

TEST(Faults, EveryRowOfTheCatalogueIsThereInOrder) {
  const std::map<char, int> counts = {{'N', 15}, {'T', 11}, {'D', 12}, {'E', 10},
                                      {'A', 9},  {'L', 14}, {'C', 8},  {'K', 6},
                                      {'O', 6},  {'P', 9},  {'U', 14}};
  std::size_t at = 0;
  for (const FaultFamily& family : fault_families()) {
    for (int number = 1; number <= counts.at(family.letter); ++number, ++at) {
      ASSERT_LT(at, faults().size());
      EXPECT_EQ(faults()[at].id, family.letter + std::to_string(number));
    }
  }
  EXPECT_EQ(at, faults().size());
}

TEST(Faults, EveryRowSaysEverything) {
  for (const Fault& fault : faults()) {
    SCOPED_TRACE(fault.id);
    EXPECT_FALSE(fault.title.empty());
    EXPECT_FALSE(fault.signs.empty());
    EXPECT_FALSE(fault.cause.empty());
    EXPECT_FALSE(fault.response.empty());
    EXPECT_FALSE(fault.steps.empty());
    EXPECT_FALSE(fault.holds.empty());
  }
}

TEST(Faults, WhatARowHoldsIsAnInvariant) {
  EXPECT_EQ(invariants().size(), 39u);
  for (const Fault& fault : faults()) {
    std::istringstream words{std::string(fault.holds)};
    for (std::string id; words >> id;) EXPECT_TRUE(find_invariant(id)) << fault.id << ": " << id;
  }
}

TEST(Faults, EveryRuleOfTheRetryTableNamesARow) {
  for (const RetryRule& rule : retry_rules()) {
    EXPECT_TRUE(find_fault(rule.fault)) << rule.fault << ": " << rule.hint;
    EXPECT_FALSE(rule.hint.empty()) << rule.fault;
  }
}

TEST(Faults, EveryIdThatTheProductPrintsIsExplained) {
  for (const char* folder : {"src/phase", "src/engine", "src/command", "src/kube", "src/wait"}) {
    for (const auto& [id, path] : ids_in(folder)) EXPECT_TRUE(is_known(id)) << path << ": " << id;
  }
  EXPECT_THAT(ids_in("src/phase"), ::testing::Contains(::testing::Key("E4")));
}

TEST(Faults, EveryFaultOfTheLabNamesARow) {
  const auto ids = ids_in("lab");
  EXPECT_GE(ids.size(), 14u);
  for (const auto& [id, path] : ids) EXPECT_TRUE(find_fault(id)) << path << ": " << id;
}

TEST(Faults, StepsNameCommandsThatExist) {
  const std::string help = read_file("docs/commands/ichor.md");
  static const std::regex command("`ichor ([a-z]+)");
  for (const Fault& fault : faults()) {
    for (const std::string_view step : fault.steps) {
      const std::string text(step);
      for (std::sregex_iterator found(text.begin(), text.end(), command), end; found != end;
           ++found) {
        const std::string name = (*found)[1];
        const bool known = help.find("ichor " + name) != std::string::npos || name == "reset";
        EXPECT_TRUE(known) << fault.id << ": ichor " << name;
      }
    }
  }
}

TEST(FaultIds, AreALetterAndANumber) {
  EXPECT_TRUE(is_fault_id("E4"));
  EXPECT_TRUE(is_fault_id("N15"));
  for (const char* other : {"", "E", "4", "e4", "E4x", "network.overlap"}) {
    EXPECT_FALSE(is_fault_id(other)) << other;
  }
}

}  // namespace
}  // namespace ichor
