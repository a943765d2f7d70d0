#include "secrets/bech32.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace ichor::secrets {
namespace {

// The valid and invalid texts are those that BIP 173 gives for implementers to check themselves.

TEST(Bech32, TakesTheTextsThatTheStandardCallsValid) {
  for (const char* text : {
           "A12UEL5L",
           "a12uel5l",
           "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1"
           "tt5tgs",
           "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
           "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w",
       }) {
    EXPECT_TRUE(from_bech32(text)) << text;
  }
}

TEST(Bech32, RefusesTheTextsThatTheStandardCallsInvalid) {
  for (const char* text : {"pzry9x0s0muk", "1pzry9x0s0muk", "x1b4n0q5v", "li1dgmt3", "A1G7SGD8",
                           "10a06t8", "1qzzfhee", "a12uEL5L", "", "1", "age1"}) {
    EXPECT_FALSE(from_bech32(text)) << text;
  }
}

RC_GTEST_PROP(Bech32, GivesBackWhatItWasGiven, (const std::string& bytes)) {
  const auto back = from_bech32(to_bech32("prefix", bytes));
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->prefix == "prefix");
  RC_ASSERT(back->bytes.reveal() == bytes);
}

RC_GTEST_PROP(Bech32, NoticesAWrongLetter, ()) {
  std::string text = to_bech32("age", "0123456789abcdef0123456789abcdef");
  const auto at = *rc::gen::inRange<std::size_t>(4, text.size());
  text[at] = text[at] == 'q' ? 'p' : 'q';
  RC_ASSERT(!from_bech32(text));
}

}  // namespace
}  // namespace ichor::secrets
