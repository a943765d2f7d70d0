#include "secrets/random.h"

#include <cstdint>
#include <openssl/rand.h>
#include <string>

#include "base/check.h"

namespace ichor::pki {

SecretString random_bytes(std::size_t count) {
  std::string bytes(count, '\0');
  const int done =
      RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(count));
  check(done == 1, "the system gives no random bytes");
  return SecretString(std::move(bytes));
}

SecretString random_token() {
  constexpr std::string_view letters = "0123456789abcdefghijklmnopqrstuvwxyz";
  // Bytes from the last, incomplete multiple of 36 would favour the first letters.
  constexpr int usable = 256 / 36 * 36;
  constexpr std::size_t prefix = 6;
  constexpr std::size_t size = prefix + 1 + 16;
  std::string token;
  token.reserve(size);
  while (token.size() < size) {
    if (token.size() == prefix) token += '.';
    const SecretString byte = random_bytes(1);
    const auto number = static_cast<std::uint8_t>(byte.reveal().front());
    if (number < usable) token += letters[number % letters.size()];
  }
  return SecretString(std::move(token));
}

}  // namespace ichor::pki
