#include "base/secret.h"

#include <cstring>

namespace ichor {

SecretString& SecretString::operator=(const SecretString& other) {
  if (this != &other) {
    wipe();
    bytes_ = other.bytes_;
  }
  return *this;
}

SecretString::SecretString(SecretString&& other) noexcept : bytes_(std::move(other.bytes_)) {
  other.wipe();
}

SecretString& SecretString::operator=(SecretString&& other) noexcept {
  if (this != &other) {
    wipe();
    bytes_ = std::move(other.bytes_);
    other.wipe();
  }
  return *this;
}

bool SecretString::operator==(const SecretString& other) const {
  if (bytes_.size() != other.bytes_.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < bytes_.size(); ++i) {
    difference = static_cast<unsigned char>(difference | (bytes_[i] ^ other.bytes_[i]));
  }
  return difference == 0;
}

void SecretString::wipe() {
  // A small string lives inside the object, so a move copies it: the source must be wiped as well.
  bytes_.resize(bytes_.capacity());
  if (!bytes_.empty()) explicit_bzero(bytes_.data(), bytes_.size());
  bytes_.clear();
}

}  // namespace ichor
