#include "journal/wal_check.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <optional>
#include <span>
#include <unistd.h>
#include <vector>

#include "base/system_fault.h"
#include "journal/sqlite_db.h"
#include "journal/state_folder.h"

namespace ichor {

namespace {

// The format is public and fixed: https://www.sqlite.org/fileformat2.html#walformat
constexpr std::size_t kHeaderBytes = 32;
constexpr std::size_t kFrameHeaderBytes = 24;
constexpr std::uint32_t kMagic = 0x377f0682;  // the lowest bit says that checksums are big-endian
constexpr std::uint32_t kVersion = 3007000;
constexpr std::uint32_t kPageBytesMin = 512;
constexpr std::uint32_t kPageBytesMax = 65536;

using Bytes = std::span<const std::uint8_t>;

std::uint32_t big(Bytes bytes, std::size_t at) {
  return std::uint32_t{bytes[at]} << 24 | std::uint32_t{bytes[at + 1]} << 16 |
         std::uint32_t{bytes[at + 2]} << 8 | std::uint32_t{bytes[at + 3]};
}

std::uint32_t little(Bytes bytes, std::size_t at) {
  return std::uint32_t{bytes[at + 3]} << 24 | std::uint32_t{bytes[at + 2]} << 16 |
         std::uint32_t{bytes[at + 1]} << 8 | std::uint32_t{bytes[at]};
}

struct Checksum {
  std::uint32_t first{0};
  std::uint32_t second{0};

  bool operator==(const Checksum&) const = default;

  void add(Bytes bytes, bool big_endian) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      first += (big_endian ? big(bytes, at) : little(bytes, at)) + second;
      second += (big_endian ? big(bytes, at + 4) : little(bytes, at + 4)) + first;
    }
  }
};

struct Header {
  bool big_endian{false};
  std::uint32_t page_bytes{0};
  std::uint32_t salt1{0};
  std::uint32_t salt2{0};
  Checksum checksum;
};

std::optional<Header> read_header(Bytes wal) {
  Header header;
  const std::uint32_t magic = big(wal, 0);
  if ((magic & ~1U) != kMagic || big(wal, 4) != kVersion) return std::nullopt;
  header.big_endian = (magic & 1U) != 0;
  header.page_bytes = big(wal, 8);
  header.salt1 = big(wal, 16);
  header.salt2 = big(wal, 20);
  header.checksum.add(wal.first(24), header.big_endian);
  if (header.checksum != Checksum{big(wal, 24), big(wal, 28)}) return std::nullopt;
  return header;
}

class Frame {
 public:
  Frame(Bytes bytes) : bytes_(bytes) {}

  bool commits() const { return big(bytes_, 4) != 0; }

  /// One salt is enough: a flipped bit spoils one, an earlier use of the file differs in both.
  bool of(std::uint32_t salt1, std::uint32_t salt2) const {
    return big(bytes_, 8) == salt1 || big(bytes_, 12) == salt2;
  }
  std::uint32_t salt1() const { return big(bytes_, 8); }
  std::uint32_t salt2() const { return big(bytes_, 12); }

  /// Advances `running` over this frame, which continues it only if it fits.
  bool fits(const Header& header, Checksum& running) const {
    if (big(bytes_, 0) == 0 || salt1() != header.salt1 || salt2() != header.salt2) return false;
    running.add(bytes_.first(8), header.big_endian);
    running.add(bytes_.subspan(kFrameHeaderBytes), header.big_endian);
    return running == Checksum{big(bytes_, 16), big(bytes_, 20)};
  }

 private:
  Bytes bytes_;
};

std::vector<Frame> frames_of(Bytes wal, std::uint32_t page_bytes) {
  std::vector<Frame> frames;
  const std::size_t frame_bytes = kFrameHeaderBytes + page_bytes;
  for (std::size_t at = kHeaderBytes; at + frame_bytes <= wal.size(); at += frame_bytes) {
    frames.emplace_back(wal.subspan(at, frame_bytes));
  }
  return frames;
}

std::size_t count_commits(std::span<const Frame> frames, std::uint32_t salt1, std::uint32_t salt2) {
  std::size_t commits = 0;
  for (const Frame& frame : frames) {
    if (frame.commits() && frame.of(salt1, salt2)) ++commits;
  }
  return commits;
}

/// The header is synced before the first frame is written, so frames behind a bad one are damage.
/// Its page size cannot be trusted; ours is asked of the caller's database by trying them all.
bool has_commit_of_any_size(Bytes wal) {
  for (std::uint32_t page_bytes = kPageBytesMin; page_bytes <= kPageBytesMax; page_bytes *= 2) {
    const std::vector<Frame> frames = frames_of(wal, page_bytes);
    if (frames.empty()) break;
    const Frame& first = frames.front();
    if (first.salt1() == 0 && first.salt2() == 0) continue;
    if (count_commits(frames, first.salt1(), first.salt2()) > 0) return true;
  }
  return false;
}

Result<std::vector<std::uint8_t>> read_all(const std::string& path) {
  const OwnedFd fd(::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  std::vector<std::uint8_t> bytes;
  if (fd.get() < 0) {
    if (errno == ENOENT) return bytes;
    return fail(Errc::io, path + ": cannot open: " + errno_text(errno), fault_of_errno(errno));
  }
  std::vector<std::uint8_t> chunk(std::size_t{1} << 16);
  while (true) {
    const ssize_t got = ::read(fd.get(), chunk.data(), chunk.size());
    if (got == 0) return bytes;
    if (got > 0) {
      bytes.insert(bytes.end(), chunk.begin(), chunk.begin() + got);
    } else if (errno != EINTR) {
      return fail(Errc::io, path + ": cannot read: " + errno_text(errno), fault_of_errno(errno));
    }
  }
}

}  // namespace

Result<void> check_wal(const std::string& path) {
  const auto wal = read_all(path);
  if (!wal) return forward_error(wal);
  if (wal->size() < kHeaderBytes + kFrameHeaderBytes) return {};
  const auto header = read_header(*wal);
  if (!header) {
    if (!has_commit_of_any_size(*wal)) return {};
    return fail(Errc::unsafe,
                path + ": the header is damaged, and with it every record that follows");
  }
  const std::vector<Frame> frames = frames_of(*wal, header->page_bytes);
  Checksum running = header->checksum;
  std::size_t bad = 0;
  while (bad < frames.size() && frames[bad].fits(*header, running)) ++bad;
  const std::span<const Frame> rest = std::span(frames).subspan(bad);
  if (count_commits(rest, header->salt1, header->salt2) < 2) return {};
  return fail(Errc::unsafe, path + ": frame " + std::to_string(bad + 1) + " of " +
                                std::to_string(frames.size()) +
                                " is damaged, and acknowledged records follow it");
}

}  // namespace ichor
