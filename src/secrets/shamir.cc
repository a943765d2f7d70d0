#include "secrets/shamir.h"

#include <cstdint>
#include <string>

namespace ichor::sops {

namespace {

/// The product in AES' field, x^8 + x^4 + x^3 + x + 1. No branch and no table depends on a value.
std::uint8_t multiply(std::uint8_t a, std::uint8_t b) {
  std::uint8_t product = 0;
  for (int bit = 0; bit < 8; ++bit) {
    product ^= static_cast<std::uint8_t>(-(b & 1)) & a;
    const auto overflow = static_cast<std::uint8_t>(-(a >> 7)) & 0x1b;
    a = static_cast<std::uint8_t>(a << 1) ^ overflow;
    b >>= 1;
  }
  return product;
}

/// a^254, because a^255 is 1.
std::uint8_t inverse(std::uint8_t a) {
  std::uint8_t result = 1;
  for (int i = 0; i < 254; ++i) result = multiply(result, a);
  return result;
}

}  // namespace

Result<SecretString> join_parts(const std::vector<SecretString>& parts) {
  if (parts.size() < 2) return fail(Errc::invalid, "a split key needs two parts at least");
  const std::size_t size = parts.front().size();
  std::vector<std::uint8_t> places;
  for (const SecretString& part : parts) {
    if (part.size() != size || size < 2) {
      return fail(Errc::invalid, "the parts of its data key have different sizes");
    }
    const auto place = static_cast<std::uint8_t>(part.reveal().back());
    for (const std::uint8_t other : places) {
      if (other == place) return fail(Errc::invalid, "two parts of its data key are the same");
    }
    places.push_back(place);
  }
  // Lagrange's interpolation at zero: the weights are the same for every byte.
  std::vector<std::uint8_t> weights(parts.size(), 1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < places.size(); ++j) {
      if (i == j) continue;
      weights[i] = multiply(weights[i], multiply(places[j], inverse(places[i] ^ places[j])));
    }
  }
  std::string whole(size - 1, '\0');
  for (std::size_t at = 0; at + 1 < size; ++at) {
    std::uint8_t byte = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      byte ^= multiply(weights[i], static_cast<std::uint8_t>(parts[i].reveal()[at]));
    }
    whole[at] = static_cast<char>(byte);
  }
  SecretString result(std::move(whole));
  return result;
}

}  // namespace ichor::sops
