#include "talos/kubeconfig_archive.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string.h>
#include <zlib.h>

#include "base/utf8.h"

namespace ichor {

namespace {

constexpr std::size_t kFileMax = 1 << 20;
constexpr std::size_t kBlock = 512;
// A header before the file, its padding, and two end blocks with the padding some writers add.
constexpr std::size_t kTarMax = kFileMax + 21 * kBlock;
constexpr std::size_t kRatioMax = 100;

tl::unexpected<std::string> refuse(std::string why) {
  return tl::unexpected<std::string>("kubeconfig archive: " + std::move(why));
}

/// Overwrites the unpacked archive, which holds a private key, when it is no longer needed.
struct Wiped {
  std::string bytes;
  Wiped() = default;
  Wiped(Wiped&&) = default;
  Wiped& operator=(Wiped&&) = delete;
  ~Wiped() { explicit_bzero(bytes.data(), bytes.size()); }
};

struct Inflater {
  z_stream stream{};
  bool ready{inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK};  // 16: gzip, and nothing else
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() { inflateEnd(&stream); }
};

tl::expected<Wiped, std::string> unzip(std::string_view packed) {
  if (packed.size() > kTarMax) return refuse("larger than 1 MiB");
  Inflater inflater;
  if (!inflater.ready) return refuse("zlib failed");
  const std::size_t limit = std::min(kTarMax, packed.size() * kRatioMax);
  Wiped tar;
  tar.bytes.resize(limit + 1);
  z_stream& stream = inflater.stream;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(tar.bytes.data());
  stream.avail_out = static_cast<uInt>(tar.bytes.size());
  const int result = inflate(&stream, Z_FINISH);
  if (stream.avail_out == 0) return refuse("unpacks to more than is allowed");
  if (result != Z_STREAM_END) return refuse("not a whole gzip stream");
  if (stream.avail_in != 0) return refuse("bytes after the gzip stream");
  tar.bytes.resize(tar.bytes.size() - stream.avail_out);
  return tar;
}

/// A NUL-terminated field; nullopt if something hides behind the NUL.
std::optional<std::string_view> text_field(std::string_view field) {
  const std::size_t end = std::min(field.find('\0'), field.size());
  const std::string_view rest = field.substr(end);
  if (rest.find_first_not_of('\0') != std::string_view::npos) return std::nullopt;
  return field.substr(0, end);
}

/// Octal digits, then NULs or spaces. Talos needs no base-256 numbers.
std::optional<std::size_t> octal_field(std::string_view field) {
  const std::size_t digits = std::min(field.find_first_not_of("01234567"), field.size());
  if (digits == 0 || field.find_first_not_of(std::string_view("\0 ", 2), digits) != field.npos) {
    return std::nullopt;
  }
  std::size_t value = 0;
  for (const char digit : field.substr(0, digits)) {
    if (value > kTarMax) return std::nullopt;
    value = value * 8 + static_cast<std::size_t>(digit - '0');
  }
  return value;
}

bool checksum_holds(std::string_view header) {
  const auto stored = octal_field(header.substr(148, 8));
  std::size_t sum = 8 * ' ';
  for (std::size_t i = 0; i < kBlock; ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
  }
  return stored == sum;
}

/// The size that a header of the one member we accept tells.
tl::expected<std::size_t, std::string> member_size(std::string_view header) {
  if (!checksum_holds(header)) return refuse("damaged header");
  const char type = header[156];
  if (type != '0' && type != '\0') return refuse("not a regular file");
  if (text_field(header.substr(0, 100)) != "kubeconfig") return refuse("not named kubeconfig");
  if (text_field(header.substr(157, 100)) != "") return refuse("a link");
  if (text_field(header.substr(345, 155)) != "") return refuse("a path");
  const auto size = octal_field(header.substr(124, 12));
  if (!size || *size > kFileMax) return refuse("larger than 1 MiB");
  if (*size == 0) return refuse("empty");
  return *size;
}

}  // namespace

tl::expected<SecretString, std::string> kubeconfig_from_archive(std::string_view tar_gz) {
  const auto tar = unzip(tar_gz);
  if (!tar) return tl::unexpected<std::string>(tar.error());
  const std::string_view bytes = tar->bytes;
  if (bytes.size() < kBlock) return refuse("no header");
  const auto size = member_size(bytes.substr(0, kBlock));
  if (!size) return tl::unexpected<std::string>(size.error());
  if (bytes.size() < kBlock + *size) {
    return refuse(fmt::format("{} bytes of {}", bytes.size() - kBlock, *size));
  }
  const std::string_view rest = bytes.substr(kBlock + *size);
  if (rest.find_first_not_of('\0') != rest.npos) return refuse("more than one member");
  const std::string_view file = bytes.substr(kBlock, *size);
  if (file.find('\0') != file.npos || !is_utf8(file)) return refuse("not text");
  return SecretString(std::string(file));
}

}  // namespace ichor
