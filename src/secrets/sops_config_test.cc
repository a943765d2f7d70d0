#include "secrets/sops_config.h"

#include <gtest/gtest.h>

#include "secrets/shell_words.h"

namespace ichor::sops {
namespace {

constexpr const char* kConfig =
    "creation_rules:\n"
    "  - path_regex: talos/.*\\.sops\\.ya?ml$\n"
    "    mac_only_encrypted: true\n"
    "    encrypted_regex: ^(data|secrets)$\n"
    "    age: >-\n"
    "      age1aaa,\n"
    "      age1bbb\n"
    "  - path_regex: groups\n"
    "    key_groups:\n"
    "      - age: [age1ccc]\n"
    "        pgp: [ABCD]\n"
    "      - age: [age1ddd]\n"
    "  - age: [age1eee, age1eee]\n";

CreationRule rule_for(const std::string& path) {
  const auto rule = creation_rule(kConfig, ".sops.yaml", path);
  EXPECT_TRUE(rule && *rule) << path;
  return rule && *rule ? **rule : CreationRule{};
}

TEST(SopsConfig, TheFirstRuleThatFitsThePathCounts) {
  const CreationRule talos = rule_for("talos/talsecret.sops.yaml");
  EXPECT_EQ(talos.recipients, (std::vector<std::string>{"age1aaa", "age1bbb"}));
  EXPECT_TRUE(talos.rules.mac_only_encrypted);
  EXPECT_EQ(talos.rules.encrypted_regex, "^(data|secrets)$");
  EXPECT_EQ(rule_for("other.yaml").recipients, std::vector<std::string>{"age1eee"});
}

TEST(SopsConfig, GroupsAndOtherKeysAreSeen) {
  const CreationRule rule = rule_for("groups/x.yaml");
  EXPECT_TRUE(rule.split_key);
  EXPECT_EQ(rule.other_keys, std::vector<std::string>{"pgp"});
  EXPECT_EQ(rule.recipients, (std::vector<std::string>{"age1ccc", "age1ddd"}));
}

TEST(SopsConfig, AFileThatNoRuleFitsIsRefused) {
  const auto rule =
      creation_rule("creation_rules:\n  - path_regex: x\n    age: a\n", ".sops.yaml", "y");
  ASSERT_FALSE(rule);
  EXPECT_NE(rule.error().message.find("no creation rule fits y"), std::string::npos);
}

TEST(SopsConfig, AConfigWithoutRulesSaysNothing) {
  const auto rule = creation_rule("stores: {}\n", ".sops.yaml", "y");
  ASSERT_TRUE(rule);
  EXPECT_FALSE(*rule);
}

TEST(SopsConfig, WrongEntriesAreNamedByTheirPlace) {
  const auto regex = creation_rule("creation_rules:\n  - path_regex: (\n", ".sops.yaml", "y");
  ASSERT_FALSE(regex);
  EXPECT_EQ(regex.error().message.rfind(".sops.yaml:2:17: ", 0), 0u) << regex.error().message;
  EXPECT_FALSE(creation_rule("creation_rules:\n  - age: {a: b}\n", ".sops.yaml", "y"));
}

TEST(ShellWords, AreSplitAsAShellSplitsThem) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(secrets::shell_words("op read  'op://a b/c' \"x\\\"y\" p\\ q # end"),
            (Words{"op", "read", "op://a b/c", "x\"y", "p q"}));
  EXPECT_EQ(secrets::shell_words("''"), Words{""});
  EXPECT_EQ(secrets::shell_words(" \n"), Words{});
  EXPECT_FALSE(secrets::shell_words("'open"));
  EXPECT_FALSE(secrets::shell_words("end\\"));
}

}  // namespace
}  // namespace ichor::sops
