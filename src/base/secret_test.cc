#include "base/secret.h"

#include <gtest/gtest.h>
#include <sstream>
#include <type_traits>

namespace ichor {
namespace {

template <class T>
concept Printable = requires(std::ostream& out, const T& value) { out << value; };

TEST(SecretString, CannotBePrinted) {
  static_assert(!Printable<SecretString>);
  static_assert(!std::is_convertible_v<SecretString, std::string>);
  static_assert(!std::is_convertible_v<SecretString, std::string_view>);
}

TEST(SecretString, IsWipedWhenMovedFrom) {
  SecretString short_one(std::string("token"));
  const SecretString moved(std::move(short_one));
  EXPECT_EQ(moved.reveal(), "token");
  // NOLINTNEXTLINE(bugprone-use-after-move): that nothing is left is what is tested.
  EXPECT_TRUE(short_one.empty());
}

TEST(SecretString, LeavesNothingBehindInItsBuffer) {
  alignas(SecretString) unsigned char storage[sizeof(SecretString)];
  auto* secret = new (storage) SecretString(std::string("tiny-secret"));
  secret->~SecretString();
  // A short string lives inside the object, so its bytes would still be there.
  const std::string left(reinterpret_cast<const char*>(storage), sizeof(storage));
  EXPECT_EQ(left.find("tiny"), std::string::npos);
}

TEST(SecretString, ComparesByValue) {
  EXPECT_TRUE(SecretString("a") == SecretString("a"));
  EXPECT_FALSE(SecretString("a") == SecretString("b"));
  EXPECT_FALSE(SecretString("a") == SecretString("ab"));
}

}  // namespace
}  // namespace ichor
