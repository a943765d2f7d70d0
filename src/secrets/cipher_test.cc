#include "secrets/cipher.h"

#include <gtest/gtest.h>

namespace ichor::secrets {
namespace {

std::string from_hex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

TEST(Cipher, HkdfGivesTheKeyOfRfc5869) {
  const SecretString key =
      hkdf_sha256(from_hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"),
                  from_hex("000102030405060708090a0b0c"), from_hex("f0f1f2f3f4f5f6f7f8f9"), 42);
  EXPECT_EQ(key.reveal(), from_hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5b"
                                   "f34007208d5b887185865"));
}

TEST(Cipher, HkdfTakesNoSalt) {
  const SecretString key =
      hkdf_sha256(from_hex("0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b"), {}, {}, 42);
  EXPECT_EQ(key.reveal(), from_hex("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2"
                                   "d9d201395faa4b61a96c8"));
}

TEST(Cipher, TwoEndsOfX25519AgreeAsInRfc7748) {
  const SecretString alice(
      from_hex("77076d0a7318a57d3c16c17251b26645df4c5d9b2f5c8e9d1f3b2a6d4f1e8e2a"));
  const SecretString bob(
      from_hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
  EXPECT_EQ(x25519_public(bob),
            from_hex("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"));
  const auto there = x25519(alice, x25519_public(bob));
  const auto back = x25519(bob, x25519_public(alice));
  ASSERT_TRUE(there && back);
  EXPECT_TRUE(*there == *back);
}

TEST(Cipher, ASharedSecretThatEverybodyKnowsIsNone) {
  const SecretString secret(std::string(32, '\7'));
  EXPECT_FALSE(x25519(secret, std::string(32, '\0')));
  EXPECT_FALSE(x25519(secret, "\1" + std::string(31, '\0')));
  EXPECT_FALSE(x25519(secret, "too short"));
}

class CipherBox : public ::testing::TestWithParam<Aead> {};

TEST_P(CipherBox, OpensOnlyAsItWasSealed) {
  const SecretString key(std::string(32, 'k'));
  const std::string nonce(12, 'n');
  const std::string box = seal(GetParam(), key, nonce, "place", "secret");
  const auto opened = open(GetParam(), key, nonce, "place", box);
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->reveal(), "secret");

  EXPECT_FALSE(open(GetParam(), key, nonce, "elsewhere", box));
  EXPECT_FALSE(open(GetParam(), SecretString(std::string(32, 'x')), nonce, "place", box));
  EXPECT_FALSE(open(GetParam(), key, std::string(12, 'x'), "place", box));
  EXPECT_FALSE(open(GetParam(), key, nonce, "place", box.substr(1)));
  EXPECT_FALSE(open(GetParam(), key, nonce, "place", "short"));
  for (std::size_t i = 0; i < box.size(); ++i) {
    std::string changed = box;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(open(GetParam(), key, nonce, "place", changed)) << i;
  }
}

TEST_P(CipherBox, MayBeEmpty) {
  const SecretString key(std::string(32, 'k'));
  const std::string nonce(12, 'n');
  const auto opened = open(GetParam(), key, nonce, {}, seal(GetParam(), key, nonce, {}, {}));
  ASSERT_TRUE(opened);
  EXPECT_TRUE(opened->empty());
}

INSTANTIATE_TEST_SUITE_P(All, CipherBox,
                         ::testing::Values(Aead::aes256_gcm, Aead::chacha20_poly1305));

TEST(Cipher, GcmTakesTheLongNoncesOfSops) {
  const SecretString key(std::string(32, 'k'));
  const std::string nonce(32, 'n');
  const auto opened =
      open(Aead::aes256_gcm, key, nonce, "a:", seal(Aead::aes256_gcm, key, nonce, "a:", "b"));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->reveal(), "b");
  EXPECT_FALSE(open(Aead::aes256_gcm, key, {}, "a:", std::string(32, 'x')));
  EXPECT_FALSE(open(Aead::aes256_gcm, key, std::string(200, 'n'), "a:", std::string(32, 'x')));
}

TEST(Cipher, Sha512IsShownInUpperCase) {
  Sha512 hash;
  hash.add("a");
  hash.add("bc");
  EXPECT_TRUE(hash.hex().reveal().starts_with("DDAF35A193617ABACC417349AE204131"));
}

}  // namespace
}  // namespace ichor::secrets
