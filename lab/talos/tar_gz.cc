#include "lab/talos/tar_gz.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <zlib.h>

#include "base/check.h"

namespace ichor::lab {

namespace {

constexpr std::size_t kBlock = 512;

void put(std::array<char, kBlock>& header, std::size_t at, std::string_view text) {
  std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
}

std::string header_for(std::string_view name, std::size_t size, WallTime modified) {
  std::array<char, kBlock> header{};
  check(name.size() < 100, "a longer name needs another form of archive");
  put(header, 0, name);
  put(header, 100, fmt::format("{:07o}", 0600));
  put(header, 108, fmt::format("{:07o}", 0));
  put(header, 116, fmt::format("{:07o}", 0));
  put(header, 124, fmt::format("{:011o}", size));
  put(header, 136, fmt::format("{:011o}", modified.unix_ms / 1000));
  put(header, 148, "        ");
  put(header, 156, "0");
  put(header, 257, "ustar");
  put(header, 263, "00");
  unsigned sum = 0;
  for (const char byte : header) sum += static_cast<unsigned char>(byte);
  put(header, 148, fmt::format("{:06o}", sum));
  header[154] = '\0';
  header[155] = ' ';
  return std::string(header.data(), header.size());
}

std::string gzip(const std::string& bytes) {
  z_stream stream{};
  constexpr int with_gzip_header = 15 + 16;
  check(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, with_gzip_header, 8,
                     Z_DEFAULT_STRATEGY) == Z_OK,
        "zlib did not start");
  std::string out(deflateBound(&stream, bytes.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int result = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  check(result == Z_STREAM_END, "zlib did not finish");
  return out;
}

}  // namespace

std::string tar_gz(std::string_view name, std::string_view content, WallTime modified) {
  return gzip(header_for(name, content.size(), modified) + std::string(content));
}

}  // namespace ichor::lab
