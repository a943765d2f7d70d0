#include "lab/address_block.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <optional>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include "lab/patience.h"
#include "sim/node/digest.h"

namespace ichor::lab {

namespace {

constexpr int kHostMax = 250;  // .251 to .255 of every network are left alone
constexpr int kMarkHost = 254;
constexpr std::uint16_t kMarkPort = 49999;
constexpr std::uint32_t kNetworkMin = 127u << 24 | 32u << 16;
constexpr std::uint32_t kNetworkMax = 127u << 24 | 223u << 16 | 255u << 8;

std::string to_text(std::uint32_t address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, (address >> 16) & 255, (address >> 8) & 255,
                     address & 255);
}

int bind_mark(std::uint32_t network) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kMarkPort);
  address.sin_addr.s_addr = htonl(network | kMarkHost);
  if (fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return fd;
  }
  if (fd >= 0) ::close(fd);
  return -1;
}

}  // namespace

AddressBlock::AddressBlock(AddressBlock&& other) noexcept
    : base_(other.base_), host_(other.host_), sockets_(std::exchange(other.sockets_, {})) {}

AddressBlock::~AddressBlock() {
  for (const int fd : sockets_) ::close(fd);
}

std::string AddressBlock::first() const { return at(0).value(); }

IpAddress AddressBlock::at(std::size_t index) const {
  const std::size_t number = index + static_cast<std::size_t>(host_) - 1;
  const auto network = static_cast<std::uint32_t>(number / kHostMax);
  const auto host = static_cast<std::uint32_t>(number % kHostMax) + 1;
  return IpAddress(to_text(base_ + (network << 8) + host));
}

bool AddressBlock::reserve(std::size_t networks) {
  for (std::size_t i = 0; i < networks; ++i) {
    const int fd = bind_mark(base_ + (static_cast<std::uint32_t>(i) << 8));
    if (fd < 0) return false;
    sockets_.push_back(fd);
  }
  return true;
}

Result<AddressBlock> AddressBlock::claim(const std::string& first, const std::string& name,
                                         std::size_t count) {
  if (!first.empty()) {
    in_addr parsed{};
    const bool valid = ::inet_pton(AF_INET, first.c_str(), &parsed) == 1;
    const std::uint32_t address = ntohl(parsed.s_addr);
    const int host = static_cast<int>(address & 255);
    if (!valid || address >> 24 != 127 || host < 1 || host > kHostMax) {
      return fail(Errc::invalid, "\"" + first + "\" is not an address of the form 127.x.y.1");
    }
    const std::size_t networks = (count + static_cast<std::size_t>(host) - 1) / kHostMax + 1;
    std::optional<AddressBlock> block;
    const bool reserved = eventually([&] {
      block.emplace(AddressBlock(address & ~255u, host));
      return block->reserve(networks);
    });
    if (!reserved) return fail(Errc::locked, "another lab uses the addresses from " + first);
    return *std::move(block);
  }
  const std::size_t networks = count / kHostMax + 1;
  const std::uint32_t span = (kNetworkMax - kNetworkMin) / 256 + 1;
  const std::uint64_t start = sim::head_of(sim::quick_digest(name));
  for (std::uint32_t i = 0; i < 256; ++i) {
    const auto place = static_cast<std::uint32_t>((start + i * networks) % span);
    AddressBlock block(kNetworkMin + (place << 8), 1);
    if (block.reserve(networks)) return block;
  }
  return fail(Errc::io, "no free loopback addresses were found");
}

}  // namespace ichor::lab
