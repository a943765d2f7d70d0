#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/ids.h"

namespace ichor::lab {

/// Which loopback address stands for which address of the profile (DHCP, static, VIP). Machine
/// configs keep the profile's addresses; only whoever dials a lab looks here.
class AddressMap {
 public:
  /// Where the lab itself has `address`. Addresses that it does not know, and loopback ones, are
  /// what they are.
  IpAddress loopback(const IpAddress& address) const;
  /// Where a client of the lab dials for `address`: what the lab bound for it, or the address
  /// itself if the lab bound it. Empty for any other: it may be a real machine's.
  IpAddress dialled(const IpAddress& address) const;
  /// The profile's address behind a loopback one; empty if there is none.
  IpAddress original(const IpAddress& loopback) const;
  /// "https://192.168.22.100:6443" with the host replaced; other texts stay as they are.
  std::string loopback_url(const std::string& url) const;

  void add(const IpAddress& address, const IpAddress& loopback);
  const std::map<IpAddress, IpAddress>& entries() const { return entries_; }

 private:
  std::map<IpAddress, IpAddress> entries_;
};

/// Written by a lab before its first node is switched on, and kept.
Result<AddressMap> read_address_map(const std::string& state_dir);
Result<void> write_address_map(const std::string& state_dir, const AddressMap& map);

}  // namespace ichor::lab
