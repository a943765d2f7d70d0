#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ichor {

/// Takes bytes in their order. After an error it takes no more.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual Result<void> take(std::string_view bytes) = 0;
};

/// Bytes that can be read at any place.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  /// Exactly `count` bytes; Errc::invalid beyond the end.
  virtual Result<std::string> read(std::uint64_t at, std::size_t count) const = 0;
};

/// Both, in memory: for content that must not lie on a disk in plain text, and for tests.
class MemoryBytes final : public ByteSink, public ByteSource {
 public:
  /// Errc::invalid beyond `size_max`.
  explicit MemoryBytes(std::uint64_t size_max = ~std::uint64_t{0}) : size_max_(size_max) {}

  Result<void> take(std::string_view bytes) override {
    if (bytes.size() > size_max_ - bytes_.size()) {
      return fail(Errc::invalid, "more than " + std::to_string(size_max_) + " bytes");
    }
    bytes_ += bytes;
    return {};
  }
  std::uint64_t size() const override { return bytes_.size(); }
  Result<std::string> read(std::uint64_t at, std::size_t count) const override {
    if (at > bytes_.size() || count > bytes_.size() - at) {
      return fail(Errc::invalid, "the file ends too early");
    }
    return bytes_.substr(at, count);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::uint64_t size_max_;
  std::string bytes_;
};

}  // namespace ichor
