#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace ichor {

/// Bytes that must not be seen: a key, a token, a machine config, a kubeconfig. It has no stream
/// operator and no formatter, so printing one does not compile; `reveal` is the only way in and is
/// easy to search for. The buffer is overwritten when the value dies or is moved from.
class SecretString {
 public:
  SecretString() = default;
  explicit SecretString(std::string bytes) : bytes_(std::move(bytes)) {}
  SecretString(const SecretString&) = default;
  SecretString& operator=(const SecretString& other);
  SecretString(SecretString&& other) noexcept;
  SecretString& operator=(SecretString&& other) noexcept;
  ~SecretString() { wipe(); }

  std::string_view reveal() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }
  bool empty() const { return bytes_.empty(); }

  /// Takes as long for a wrong value as for the right one.
  bool operator==(const SecretString& other) const;

 private:
  void wipe();
  std::string bytes_;
};

/// Any attempt to print a secret is a compile error.
template <class Stream>
Stream& operator<<(Stream&, const SecretString&) = delete;

}  // namespace ichor
