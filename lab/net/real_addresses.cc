#include "lab/net/real_addresses.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace ichor::lab {

namespace {

constexpr std::string_view kDevicePrefix = "ichor-lab";
constexpr unsigned char kHostLength = 32;

/// Which namespace a process is in; zero if that is unknown.
ino_t namespace_of(const char* process) {
  struct stat info {};
  const std::string path = fmt::format("/proc/{}/ns/net", process);
  return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

Result<void> check_namespace() {
  const std::string how =
      "make one: `ip netns add NAME`, a device named ichor-lab0 in it, and `ip netns exec NAME "
      "ichor "
      "lab start …`";
  const ino_t own = namespace_of("self");
  const ino_t first = namespace_of("1");
  // Where the first process may not be looked at, the devices alone tell.
  if (own == 0 || own == first) {
    return fail(Errc::unsafe,
                "a lab binds real addresses only in a network namespace of its own; " + how);
  }
  struct if_nameindex* const devices = ::if_nameindex();
  if (!devices) return fail(Errc::io, "the network devices cannot be listed");
  std::string foreign;
  for (const struct if_nameindex* device = devices; device->if_index != 0; ++device) {
    const std::string_view name = device->if_name;
    if (name != "lo" && !name.starts_with(kDevicePrefix)) foreign = name;
  }
  ::if_freenameindex(devices);
  if (foreign.empty()) return {};
  return fail(
      Errc::unsafe,
      fmt::format("this network namespace has the device {}, so it was not made for a lab; {}",
                  foreign, how));
}

/// A request to the kernel about one address of a device.
struct AddressRequest {
  nlmsghdr header{};
  ifaddrmsg message{};
  struct {
    rtattr attribute{};
    in_addr value{};
  } local, address;
};

}  // namespace

Result<std::unique_ptr<RealAddresses>> RealAddresses::on(const std::string& device) {
  if (auto checked = check_namespace(); !checked) return forward_error(checked);
  const unsigned index = ::if_nametoindex(device.c_str());
  if (!device.starts_with(kDevicePrefix) || index == 0) {
    return fail(Errc::unsafe,
                fmt::format("{} is not a device of this namespace whose name starts with {}",
                            device, kDevicePrefix));
  }
  return std::unique_ptr<RealAddresses>(new RealAddresses(static_cast<int>(index)));
}

RealAddresses::~RealAddresses() {
  for (const auto& [address, count] : holders_) (void)change(address, false);
}

Result<void> RealAddresses::change(const std::string& address, bool add) const {
  AddressRequest request;
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = add ? RTM_NEWADDR : RTM_DELADDR;
  request.header.nlmsg_flags = static_cast<std::uint16_t>(NLM_F_REQUEST | NLM_F_ACK |
                                                          (add ? NLM_F_CREATE | NLM_F_REPLACE : 0));
  request.message.ifa_family = AF_INET;
  request.message.ifa_prefixlen = kHostLength;
  request.message.ifa_index = static_cast<std::uint32_t>(index_);
  for (auto* part : {&request.local, &request.address}) {
    part->attribute.rta_len = sizeof *part;
    if (::inet_pton(AF_INET, address.c_str(), &part->value) != 1) {
      return fail(Errc::invalid, fmt::format("{} is not an IPv4 address", address));
    }
  }
  request.local.attribute.rta_type = IFA_LOCAL;
  request.address.attribute.rta_type = IFA_ADDRESS;
  const int socket = ::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
  struct {
    nlmsghdr header{};
    nlmsgerr error{};
    char rest[256]{};
  } answer;
  const bool told = socket >= 0 && ::send(socket, &request, sizeof request, 0) >= 0 &&
                    ::recv(socket, &answer, sizeof answer, 0) > 0;
  const int error = told ? -answer.error.error : errno;
  if (socket >= 0) ::close(socket);
  if (error == 0) return {};
  return fail(Errc::io, fmt::format("cannot {} the address {}: {}", add ? "add" : "remove", address,
                                    std::strerror(error)));
}

Result<RealAddresses::Lease> RealAddresses::take(const std::string& address) {
  int& holders = holders_[address];
  if (holders == 0) {
    if (auto added = change(address, true); !added) {
      holders_.erase(address);
      return forward_error(added);
    }
  }
  ++holders;
  return Lease(this, address);
}

void RealAddresses::leave(const std::string& address) {
  const auto found = holders_.find(address);
  if (found == holders_.end() || --found->second > 0) return;
  holders_.erase(found);
  (void)change(address, false);
}

RealAddresses::Lease::Lease(Lease&& other) noexcept
    : from_(std::exchange(other.from_, nullptr)), address_(std::move(other.address_)) {}

RealAddresses::Lease& RealAddresses::Lease::operator=(Lease&& other) noexcept {
  if (this == &other) return *this;
  release();
  from_ = std::exchange(other.from_, nullptr);
  address_ = std::move(other.address_);
  return *this;
}

void RealAddresses::Lease::release() {
  if (from_) std::exchange(from_, nullptr)->leave(address_);
  address_.clear();
}

}  // namespace ichor::lab
