#include "lab/address_map.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/state_files.h"
#include "os/durable_file.h"

namespace ichor::lab {

namespace {

constexpr const char* kFile = "addresses.json";
constexpr std::size_t kFileMax = 4u << 20;

bool is_loopback(const IpAddress& address) { return address.value().starts_with("127."); }

}  // namespace

IpAddress AddressMap::loopback(const IpAddress& address) const {
  if (is_loopback(address)) return address;
  const auto found = entries_.find(address);
  return found == entries_.end() ? address : found->second;
}

IpAddress AddressMap::dialled(const IpAddress& address) const {
  const auto found = entries_.find(address);
  if (found != entries_.end()) return found->second;
  const bool bound = std::any_of(entries_.begin(), entries_.end(),
                                 [&](const auto& entry) { return entry.second == address; });
  return bound ? address : IpAddress();
}

IpAddress AddressMap::original(const IpAddress& loopback) const {
  for (const auto& [address, mapped] : entries_) {
    if (mapped == loopback) return address;
  }
  return {};
}

std::string AddressMap::loopback_url(const std::string& url) const {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string::npos) return url;
  const std::size_t begin = scheme + 3;
  const std::size_t end = std::min(url.find_first_of(":/", begin), url.size());
  const IpAddress host(url.substr(begin, end - begin));
  return url.substr(0, begin) + loopback(host).value() + url.substr(end);
}

void AddressMap::add(const IpAddress& address, const IpAddress& loopback) {
  entries_[address] = loopback;
}

Result<AddressMap> read_address_map(const std::string& state_dir) {
  const auto folder = Folder::open(state_dir, Folder::Access::owner_only);
  if (!folder) return forward_error(folder);
  const auto text = read_file(*folder, kFile, kFileMax);
  if (!text) return forward_error(text);
  if (!*text) return fail(Errc::invalid, state_dir + " holds no lab: " + kFile + " is missing");
  const auto json = nlohmann::json::parse((*text)->reveal(), nullptr, false);
  if (!json.is_object()) return fail(Errc::invalid, state_dir + "/" + kFile + " is damaged");
  AddressMap map;
  for (const auto& [address, loopback] : json.items()) {
    if (!loopback.is_string()) return fail(Errc::invalid, state_dir + "/" + kFile + " is damaged");
    map.add(IpAddress(address), IpAddress(loopback.get<std::string>()));
  }
  return map;
}

Result<void> write_address_map(const std::string& state_dir, const AddressMap& map) {
  const auto folder = Folder::make(state_dir, Folder::Access::owner_only);
  if (!folder) return forward_error(folder);
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [address, loopback] : map.entries()) json[address.value()] = loopback.value();
  const std::vector<StateFile> files = {{kFile, json.dump(2) + "\n"}};
  return replace_files(*folder, files);
}

}  // namespace ichor::lab
