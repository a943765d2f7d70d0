#include "secrets/age.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "secrets/age_armor.h"
#include "secrets/age_header.h"

namespace ichor::age {
namespace {

Identities holding(const Identity& identity) {
  Identities identities;
  identities.own.push_back(identity);
  return identities;
}

class Age : public ::testing::Test {
 protected:
  std::string error_of(const std::string& file) {
    const auto plain = decrypt(file, holding(alice_));
    EXPECT_FALSE(plain) << "a damaged file was read";
    return plain ? "" : plain.error().message;
  }

  const Identity alice_ = Identity::generate();
  const Identity bob_ = Identity::generate();
};

TEST_F(Age, OnlyTheRecipientsReadTheFile) {
  const std::string file = encrypt("the plan", {alice_.recipient(), bob_.recipient()});
  for (const Identity* reader : {&alice_, &bob_}) {
    const auto plain = decrypt(file, holding(*reader));
    ASSERT_TRUE(plain) << plain.error().message;
    EXPECT_EQ(plain->reveal(), "the plan");
  }
  const auto stranger = decrypt(file, holding(Identity::generate()));
  ASSERT_FALSE(stranger);
  EXPECT_EQ(stranger.error().message, "none of the age keys at hand fits");
}

TEST_F(Age, FilesOfAnySizeComeBack) {
  constexpr std::size_t chunk = 65536;
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 7}) {
    std::string content(size, '\0');
    for (std::size_t i = 0; i < size; ++i) content[i] = static_cast<char>(i * 7 / 3);
    const auto plain = decrypt(encrypt(content, {alice_.recipient()}), holding(alice_));
    ASSERT_TRUE(plain) << size << ": " << plain.error().message;
    EXPECT_TRUE(plain->reveal() == content) << size;
  }
}

TEST_F(Age, AnArmoredFileAndItsBytesAreTheSame) {
  const std::string armored = encrypt("x", {alice_.recipient()});
  EXPECT_TRUE(looks_encrypted(armored));
  const auto bare = remove_armor(armored);
  ASSERT_TRUE(bare);
  EXPECT_TRUE(looks_encrypted(*bare));
  EXPECT_TRUE(decrypt(*bare, holding(alice_)));
  EXPECT_TRUE(decrypt("\n  " + armored + "\r\n", holding(alice_)));
  EXPECT_EQ(add_armor(*bare), armored);
}

TEST_F(Age, AChangedByteIsNoticedWhereverItIs) {
  const auto file = remove_armor(encrypt(std::string(200, 's'), {alice_.recipient()}));
  ASSERT_TRUE(file);
  for (std::size_t i = 0; i < file->size(); ++i) {
    for (const int bit : {1, 0x40}) {
      std::string changed = *file;
      changed[i] = static_cast<char>(changed[i] ^ bit);
      EXPECT_FALSE(decrypt(changed, holding(alice_))) << "byte " << i;
    }
  }
}

TEST_F(Age, AFileThatWasCutOrLengthenedIsNoticed) {
  const auto file = remove_armor(encrypt(std::string(70'000, 's'), {alice_.recipient()}));
  ASSERT_TRUE(file);
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{10}, std::size_t{100}, file->size() - 1, file->size() - 4500}) {
    EXPECT_FALSE(decrypt(file->substr(0, size), holding(alice_))) << size;
  }
  // At the end of the first chunk a file could end as well, if the chunk did not know better.
  const std::size_t header = file->size() - 70'000 - 2 * 16 - 16;
  EXPECT_NE(error_of(file->substr(0, header + 16 + 65'536 + 16)).find("changed or cut"),
            std::string::npos);
  error_of(*file + "x");
}

TEST_F(Age, ARecipientCannotBeAddedBehindTheWritersBack) {
  const auto file = remove_armor(encrypt("x", {alice_.recipient()}));
  ASSERT_TRUE(file);
  std::string more = *file;
  more.insert(more.find("---"), "-> X25519 extra\nAAAA\n");
  EXPECT_FALSE(decrypt(more, holding(alice_)));
  std::string unknown = *file;
  unknown.insert(unknown.find("---"), "-> grease x\nAAAA\n");
  EXPECT_EQ(error_of(unknown), "the age file is damaged: its header was changed");
}

TEST_F(Age, WhatOnlyOthersCanReadIsNamed) {
  const std::string begin = "age-encryption.org/v1\n";
  const std::string end = "--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n";
  EXPECT_EQ(error_of(begin + "-> scrypt AAAA 18\nAAAA\n" + end),
            "it is for no X25519 key; it can be read with a passphrase");
  EXPECT_EQ(error_of(begin + "-> ssh-ed25519 AAAA BBBB\nAAAA\n" + end),
            "it is for no X25519 key; it can be read with an ssh key");
  EXPECT_EQ(error_of(begin + "-> mlkem768x25519 AAAA\nAAAA\n" + end),
            "it is for no X25519 key; it can be read with a post-quantum key");
  EXPECT_NE(error_of(begin + "-> scrypt A 1\nAAAA\n-> scrypt A 1\nAAAA\n" + end).find("never one"),
            std::string::npos);
}

TEST_F(Age, OneFileHasOneForm) {
  const auto file = remove_armor(encrypt("x", {alice_.recipient()}));
  ASSERT_TRUE(file);
  std::string windows = *file;
  windows.insert(windows.find('\n'), "\r");
  error_of(windows);
  // Base64 with bits set that no byte needs.
  EXPECT_FALSE(from_base64_raw("AB"));
  EXPECT_TRUE(from_base64_raw("AA"));
  EXPECT_FALSE(from_base64_raw("AA=="));
  error_of("age-encryption.org/v2\n");
  error_of("-----BEGIN AGE ENCRYPTED FILE-----\nAAAA\nAAAA\n-----END AGE ENCRYPTED FILE-----\n");
  error_of("-----BEGIN AGE ENCRYPTED FILE-----\nAAAA\n");
}

TEST(AgeKey, AnIdentityKeepsItsTextAndItsRecipient) {
  const Identity identity = Identity::generate();
  const auto back = Identity::parse(identity.text().reveal());
  ASSERT_TRUE(back);
  EXPECT_TRUE(identity.text().reveal().starts_with("AGE-SECRET-KEY-1"));
  EXPECT_TRUE(identity.recipient().text().starts_with("age1"));
  EXPECT_EQ(back->recipient().text(), identity.recipient().text());
}

TEST(AgeKey, ARecipientWithAWrongLetterIsRefused) {
  std::string text = Identity::generate().recipient().text();
  EXPECT_TRUE(Recipient::parse(text));
  text[20] = text[20] == 'q' ? 'p' : 'q';
  EXPECT_FALSE(Recipient::parse(text));
  EXPECT_FALSE(Recipient::parse("AGE1QQ"));
  EXPECT_FALSE(Recipient::parse(""));
}

TEST(AgeKey, RecipientsOfOtherKindsAreLeftToOtherPrograms) {
  const auto ssh = Recipient::parse("ssh-ed25519 AAAAC3Nz");
  ASSERT_TRUE(ssh);
  EXPECT_EQ(ssh->kind(), KeyKind::outside);
}

TEST(AgeKey, AKeyFileMayHaveCommentsAndEmptyLines) {
  const std::string one(Identity::generate().text().reveal());
  const std::string two(Identity::generate().text().reveal());
  const auto found =
      parse_identities("# created: today\n\n" + one + "\r\n" + two + "\nAGE-SECRET-KEY-PQ-1XYZ\n",
                       "keys.txt", KeyLayout::lines);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->own.size(), 2u);
  EXPECT_EQ(found->outside, 1);
  EXPECT_TRUE(parse_identities(one + " " + two, "SOPS_AGE_KEY", KeyLayout::words));
  EXPECT_FALSE(parse_identities(one + " " + two, "keys.txt", KeyLayout::lines));
}

TEST(AgeKey, AWrongKeyIsNamedByItsLineAndNotRepeated) {
  const std::string canary = "AGE-SECRET-KEY-1CANARY";
  const auto found = parse_identities("# x\n" + canary + "\n", "keys.txt", KeyLayout::lines);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().message, "keys.txt, line 2: no age identity, or a letter of it is wrong");
}

}  // namespace
}  // namespace ichor::age
