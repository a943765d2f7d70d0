#include "secrets/secret_words.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(SecretWords, ReplaceTheValuesOfADecryptedFile) {
  SecretWords words;
  words.learn(SecretString("machine:\n  token: canary-token\n  n: 12\n  list: [canary]\n"));
  EXPECT_EQ(words.hide("`canary-token` is no token, nor is canary"),
            "`(hidden)` is no token, nor is (hidden)");
  EXPECT_EQ(words.hide("machine.token at 12"), "machine.token at 12");
}

TEST(SecretWords, ReplaceTheLinesOfWhatIsNoYaml) {
  SecretWords words;
  words.learn(SecretString("a: [canary-one\n"));
  EXPECT_EQ(words.hide("near `a: [canary-one`"), "near `(hidden)`");
}

}  // namespace
}  // namespace ichor
