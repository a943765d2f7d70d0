#include "secrets/sops.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "secrets/age.h"
#include "secrets/random.h"
#include "secrets/sops_value.h"
#include "yaml/document.h"

namespace ichor::sops {
namespace {

class Sops : public ::testing::Test {
 protected:
  Sops() { identities_.own.push_back(me_); }

  std::string sealed(const std::string& plain, Format format = Format::yaml, Rules rules = {}) {
    EncryptOptions options;
    options.input = format;
    options.output = format;
    options.recipients = {me_.recipient()};
    options.rules = std::move(rules);
    options.now = WallTime{1'700'000'000'000};
    auto file = encrypt(plain, "secrets", options);
    EXPECT_TRUE(file) << file.error().message;
    return file.value_or("");
  }

  Result<SecretString> opened(const std::string& file, Format format = Format::yaml) {
    return decrypt(file, "secrets", {format, format}, identities_);
  }

  std::string round_trip(const std::string& plain, Format format = Format::yaml, Rules rules = {}) {
    const auto back = opened(sealed(plain, format, std::move(rules)), format);
    return back ? std::string(back->reveal()) : "ERROR " + back.error().message;
  }

  std::string error_of(const std::string& file, Format format = Format::yaml) {
    const auto plain = opened(file, format);
    EXPECT_FALSE(plain) << "a damaged file was read";
    return plain ? "" : plain.error().message;
  }

  const age::Identity me_ = age::Identity::generate();
  age::Identities identities_;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

/// The encrypted value of a key on a line of its own.
std::string value_of(const std::string& file, const std::string& key) {
  const std::size_t at = file.find(key + ": ENC[");
  EXPECT_NE(at, std::string::npos) << key;
  const std::size_t begin = at + key.size() + 2;
  return file.substr(begin, file.find('\n', begin) - begin);
}

constexpr const char* kPlain =
    "cluster:\n"
    "    id: abc\n"
    "    count: 3\n"
    "    ratio: 0.5\n"
    "    on: true\n"
    "    since: 2024-01-01T00:00:00Z\n"
    "    none: null\n"
    "    empty: \"\"\n"
    "    list:\n"
    "        - a\n"
    "        - 5\n"
    "name_unencrypted: shown\n";

TEST_F(Sops, AFileComesBackAsItWas) {
  // "on" is a boolean to some readers, so it is written in quotes.
  EXPECT_EQ(round_trip(kPlain), replaced(kPlain, "    on:", "    \"on\":"));
}

TEST_F(Sops, NothingThatIsSecretCanBeSeen) {
  const std::string file = sealed(kPlain);
  EXPECT_EQ(file.find("abc"), std::string::npos);
  EXPECT_NE(file.find("name_unencrypted: shown"), std::string::npos);
  EXPECT_NE(file.find("none: null"), std::string::npos);
  EXPECT_NE(file.find("empty: \"\""), std::string::npos);
  EXPECT_NE(file.find("lastmodified: \"2023-11-14T22:13:20Z\""), std::string::npos);
  EXPECT_TRUE(looks_encrypted(file, Format::yaml));
  EXPECT_FALSE(looks_encrypted(kPlain, Format::yaml));
}

TEST_F(Sops, EachDocumentIsEncryptedAndTheyBelongTogether) {
  const std::string plain = "a: 1\n---\nb: two\n";
  EXPECT_EQ(round_trip(plain), plain);
  const std::string file = sealed(plain);
  EXPECT_NE(error_of(file.substr(0, file.find("---\nb:"))).find("MAC"), std::string::npos);
}

TEST_F(Sops, JsonAndDotenvAndBytesComeBack) {
  const std::string json = "{\n\t\"b\": [\n\t\t1,\n\t\t\"<x>\"\n\t],\n\t\"a\": {}\n}\n";
  EXPECT_EQ(round_trip(json, Format::json), replaced(json, "<x>", "\\u003cx\\u003e"));
  const std::string env = "#note\nA=1\nB=x=y\\nz\n";
  EXPECT_EQ(round_trip(env, Format::dotenv), env);
  const std::string bytes("any \0 bytes\xff\n", 12);
  EXPECT_EQ(round_trip(bytes, Format::binary), bytes);
  EXPECT_EQ(round_trip("any text\n", Format::binary), "any text\n");
}

TEST_F(Sops, AChangedValueIsNoticedAtItsPlace) {
  const std::string file = sealed("a: one\nb: two\n");
  const std::string value = value_of(file, "a");
  const std::string error = error_of(replaced(file, value, replaced(value, "data:", "data:AAAA")));
  EXPECT_EQ(error.rfind("secrets:1:4: a: this was changed", 0), 0u) << error;
}

TEST_F(Sops, SwappedValuesAreNoticed) {
  const std::string file = sealed("a: one\nb: two\n");
  const std::string a = value_of(file, "a");
  const std::string b = value_of(file, "b");
  std::string swapped = replaced(file, a, "HERE");
  swapped = replaced(replaced(swapped, b, a), "HERE", b);
  EXPECT_NE(error_of(swapped).find("at another place"), std::string::npos);
}

TEST_F(Sops, AnotherOrderOrAMissingKeyIsNoticed) {
  const std::string file = sealed("a: one\nb: two\n");
  const std::string a = "a: " + value_of(file, "a") + "\n";
  const std::string b = "b: " + value_of(file, "b") + "\n";
  EXPECT_NE(error_of(replaced(file, a + b, b + a)).find("MAC does not fit"), std::string::npos);
  EXPECT_NE(error_of(replaced(file, b, "")).find("MAC does not fit"), std::string::npos);
}

TEST_F(Sops, AnAddedPlainValueIsNoticedUnlessOnlyEncryptedOnesCount) {
  const std::string plain = "a: one\nb_unencrypted: two\n";
  EXPECT_NE(error_of(replaced(sealed(plain), "two", "three")).find("MAC"), std::string::npos);
  Rules rules;
  rules.mac_only_encrypted = true;
  const std::string lax = sealed(plain, Format::yaml, rules);
  EXPECT_TRUE(opened(replaced(lax, "two", "three")));
  EXPECT_NE(error_of(replaced(lax, "    mac_only_encrypted: true\n", "")).find("MAC"),
            std::string::npos);
}

TEST_F(Sops, AFileWithoutMacOrWithAnotherTimeIsRefused) {
  const std::string file = sealed("a: one\n");
  EXPECT_NE(error_of(replaced(file, value_of(file, "    mac"), "\"\"")).find("MAC"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(file, "2023-11-14", "2023-11-15")).find("MAC"), std::string::npos);
}

TEST_F(Sops, PlainTextWhereCiphertextBelongsIsRefused) {
  const std::string file = sealed("a: one\n");
  EXPECT_NE(error_of(replaced(file, value_of(file, "a"), "one")).find("should be encrypted"),
            std::string::npos);
  EXPECT_NE(error_of(replaced(file, value_of(file, "a"), "5")).find("should be encrypted"),
            std::string::npos);
}

TEST_F(Sops, TheErrorNeverRepeatsAValue) {
  const std::string file = sealed("a: canary-value\nb: 5\n");
  const std::string a = value_of(file, "a");
  // The type is not authenticated, so it must be doubted.
  const std::string error = error_of(replaced(file, a, replaced(a, "type:str", "type:int")));
  EXPECT_EQ(error.find("canary"), std::string::npos) << error;
  EXPECT_NE(error.find("not of that type"), std::string::npos) << error;
}

TEST_F(Sops, WithoutAFittingKeyTheFileStaysClosed) {
  age::Identities other;
  other.own.push_back(age::Identity::generate());
  bool no_key = false;
  const auto plain =
      decrypt(sealed("a: one\n"), "f.yaml", {Format::yaml, Format::yaml}, other, &no_key);
  ASSERT_FALSE(plain);
  EXPECT_TRUE(no_key);
  EXPECT_EQ(plain.error().message, "f.yaml: none of the age keys at hand fits");
  const auto readers = readers_of(sealed("a: one\n"), "f.yaml", Format::yaml);
  ASSERT_TRUE(readers);
  EXPECT_EQ(readers->text(), me_.recipient().text());
}

TEST_F(Sops, RulesSayWhatIsEncrypted) {
  const std::string plain = "data:\n    x: one\nkind: Secret\npassword_enc: two\n";
  struct Case {
    std::string Rules::*rule;
    const char* text;
    bool x, kind, password;
  };
  for (const Case& one : {
           Case{&Rules::encrypted_regex, "^(data|stringData)$", true, false, false},
           Case{&Rules::unencrypted_regex, "^kind$", true, false, true},
           Case{&Rules::encrypted_suffix, "_enc", false, false, true},
           Case{&Rules::unencrypted_suffix, "_enc", true, true, false},
       }) {
    Rules rules;
    rules.*one.rule = one.text;
    const std::string file = sealed(plain, Format::yaml, rules);
    EXPECT_EQ(file.find("x: one") == std::string::npos, one.x) << one.text;
    EXPECT_EQ(file.find("kind: Secret") == std::string::npos, one.kind) << one.text;
    EXPECT_EQ(file.find("password_enc: two") == std::string::npos, one.password) << one.text;
    EXPECT_EQ(round_trip(plain, Format::yaml, rules), plain) << one.text;
  }
}

TEST_F(Sops, TwoRulesOrABadOneAreRefused) {
  EncryptOptions options;
  options.recipients = {me_.recipient()};
  options.rules.encrypted_regex = "a";
  options.rules.encrypted_suffix = "b";
  EXPECT_FALSE(encrypt("a: 1\n", "f", options));
  options.rules = {};
  options.rules.encrypted_regex = "(";
  EXPECT_FALSE(encrypt("a: 1\n", "f", options));
}

TEST_F(Sops, CommentsAreEncryptedAndComeBack) {
  const std::string plain = "# top\na: one\n# above b\nb:\n    # in b\n    c: two\n# end\n";
  EXPECT_EQ(sealed(plain).find("above"), std::string::npos);
  EXPECT_EQ(round_trip(plain), plain);
  EXPECT_EQ(round_trip("l:\n    # first\n    - x\n    # second\n    - z\n"),
            "l:\n    # first\n    - x\n    # second\n    - z\n");
}

TEST_F(Sops, ACommentCanAskForEncryption) {
  Rules rules;
  rules.encrypted_comment_regex = "sops:enc";
  const std::string plain = "a: one\n# sops:enc\nb: two\nc: three # sops:enc\n";
  const std::string file = sealed(plain, Format::yaml, rules);
  EXPECT_NE(file.find("a: one"), std::string::npos);
  EXPECT_EQ(file.find("two"), std::string::npos);
  EXPECT_EQ(file.find("three"), std::string::npos);
  EXPECT_EQ(round_trip(plain, Format::yaml, rules), plain);
}

TEST_F(Sops, WhatCannotBeEncryptedWholeIsRefused) {
  EncryptOptions options;
  options.recipients = {me_.recipient()};
  const auto error = [&](const std::string& text) {
    const auto file = encrypt(text, "f.yaml", options);
    EXPECT_FALSE(file) << text;
    return file ? "" : file.error().message;
  };
  EXPECT_EQ(error("1: a\n"), "f.yaml:1:1: sops takes only strings as keys; put the key in quotes");
  EXPECT_EQ(error("a: 18446744073709551615\n"),
            "f.yaml:1:4: a number beyond 64 bits; put it in quotes");
  EXPECT_NE(error("- a\n").find("must be a mapping"), std::string::npos);
  EXPECT_NE(error("").find("empty"), std::string::npos);
  EXPECT_NE(error(sealed("a: 1\n")).find("encrypted already"), std::string::npos);
  EXPECT_NE(error("a: 1\na: 2\n").find("twice"), std::string::npos);
}

TEST_F(Sops, KeysThatOthersHoldAreNamed) {
  const std::string file =
      "a: ENC[AES256_GCM,data:AA==,iv:AA==,tag:AAAAAAAAAAAAAAAAAAAAAA==,type:str]\n"
      "sops:\n"
      "    pgp:\n        - fp: ABCD\n          enc: x\n"
      "    lastmodified: \"2024-01-01T00:00:00Z\"\n    mac: x\n    version: 3.9.0\n";
  const auto readers = readers_of(file, "f", Format::yaml);
  ASSERT_TRUE(readers) << readers.error().message;
  EXPECT_TRUE(readers->others());
  EXPECT_EQ(readers->text(), "pgp");
  EXPECT_NE(error_of(file).find("it is for no age key"), std::string::npos);
}

/// Multiplication in GF(2^8) by schoolbook, and a share of a secret on a line: secret + slope * x.
std::uint8_t product(unsigned a, unsigned b) {
  unsigned sum = 0;
  for (unsigned bit = 0; bit < 8; ++bit) sum ^= (b >> bit & 1) != 0 ? a << bit : 0;
  for (unsigned bit = 15; bit >= 8; --bit) {
    if ((sum >> bit & 1) != 0) sum ^= 0x11bU << (bit - 8);
  }
  return static_cast<std::uint8_t>(sum);
}

std::string share_of(std::string_view secret, std::string_view slope, std::uint8_t place) {
  std::string share;
  for (std::size_t i = 0; i < secret.size(); ++i) {
    share += static_cast<char>(static_cast<std::uint8_t>(secret[i]) ^
                               product(static_cast<std::uint8_t>(slope[i]), place));
  }
  return share + static_cast<char>(place);
}

/// As sops writes a file with three groups of keys, two of which are needed.
class SplitSops : public Sops {
 protected:
  std::string split(const std::string& plain) {
    std::string file = sealed(plain);
    const auto document = yaml::parse_single(file, "f");
    EXPECT_TRUE(document);
    const std::string enc = document->root.find_path({"sops", "age"})->items[0].find("enc")->text;
    const auto key = age::decrypt(enc, identities_);
    EXPECT_TRUE(key);
    const SecretString slope = pki::random_bytes(key->size());
    std::string groups = "    shamir_threshold: 2\n    key_groups:\n";
    for (std::size_t i = 0; i < 3; ++i) {
      const std::string part =
          share_of(key->reveal(), slope.reveal(), static_cast<std::uint8_t>(7 + 50 * i));
      std::string armor = age::encrypt(part, {holders_[i].recipient()});
      for (std::size_t at = armor.find('\n'); at != std::string::npos && at + 1 < armor.size();
           at = armor.find('\n', at + 1)) {
        armor.insert(at + 1, "                ");
      }
      groups += "        - age:\n            - recipient: " + holders_[i].recipient().text() +
                "\n              enc: |\n                " + armor + "\n";
    }
    const std::size_t begin = file.find("    age:\n");
    const std::size_t end = file.find("    lastmodified:");
    return file.replace(begin, end - begin, groups);
  }

  const std::vector<age::Identity> holders_{age::Identity::generate(), age::Identity::generate(),
                                            age::Identity::generate()};
};

TEST_F(SplitSops, IsOpenedByKeysOfEnoughGroups) {
  const std::string plain = "a: one\nb:\n    - two\n";
  const std::string file = split(plain);
  for (const auto& [one, other] : {std::pair{0, 1}, {0, 2}, {2, 1}}) {
    identities_.own = {holders_[static_cast<std::size_t>(one)],
                       holders_[static_cast<std::size_t>(other)]};
    const auto back = opened(file);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->reveal(), plain);
  }
  identities_.own = holders_;
  EXPECT_TRUE(opened(file));
}

TEST_F(SplitSops, IsNotOpenedByKeysOfTooFewGroups) {
  const std::string file = split("a: one\n");
  identities_.own = {holders_[1]};
  EXPECT_NE(error_of(file).find("keys of 2 groups are needed, and there are age keys of 1 here"),
            std::string::npos);
}

RC_GTEST_PROP(SopsValue, ComesBackOnlyAtItsPlace, (const std::string& text)) {
  RC_PRE(!text.empty());
  const SecretString key(std::string(32, 'k'));
  const std::string sealed = seal_value(make_value(Type::string, text), key, "a:b:");
  RC_ASSERT(is_sealed(sealed));
  const auto back = open_value(sealed, key, "a:b:");
  RC_ASSERT(back.has_value());
  RC_ASSERT(back->text == text);
  RC_ASSERT(!open_value(sealed, key, "a:c:"));
}

}  // namespace
}  // namespace ichor::sops
