#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/cluster_profile.h"

namespace ichor {

/// Checks of single values of a profile. Those that take a reference also bring the value into the
/// form the model keeps it in; on false it is untouched.

/// [a-z0-9]([a-z0-9.-]*[a-z0-9])?, at most 63 characters: safe as hostname, file name and context
/// name.
bool is_name(std::string_view text);
bool is_ip(std::string& text);
bool is_cidr(std::string& text);
bool is_mac(std::string& text);
bool is_uuid(std::string& text);
/// base64 of 32 bytes, as the console shows it.
bool is_fingerprint(std::string_view text);
/// 64 lower-case hex digits.
bool is_schematic(std::string_view text);
/// "https://host:port"; a bare host or host:port is completed.
bool is_endpoint(std::string& text);
/// An IP address or a DNS name.
bool is_host(std::string_view text);
bool is_interface(std::string_view text);
bool is_disk(std::string_view text);
/// ">= 100GB", "10TB": an operator of Talos, then a size with an optional unit.
bool is_disk_size(std::string_view text);

/// "v1.12.6" or "1.12.6"; with `minor_only` also "1.12".
std::optional<TalosVersion> parse_version(std::string_view text, bool minor_only = false);
/// kubectl's notation: "key=value:NoSchedule" or "key:NoExecute".
std::optional<Taint> parse_taint(std::string_view text);

}  // namespace ichor
