#include "profile/read_provider.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <set>

#include "secrets/shell_words.h"

namespace ichor {

namespace {

bool is_plain(std::string_view text, std::string_view more) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           more.find(c) != more.npos;
  });
}

bool is_word(std::string& text) { return is_plain(text, "-_."); }

bool is_url(std::string& text) {
  while (text.ends_with('/')) text.pop_back();
  return text.starts_with("https://") && is_plain(text.substr(8), "-.:[]");
}

/// "AA:BB:…" or plain hex, taken as lower-case hex.
bool is_sha256(std::string& text) {
  std::string hex;
  for (const char c : text) {
    if (c == ':') continue;
    hex += c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c;
  }
  text = hex;
  return hex.size() == 64 && hex.find_first_not_of("0123456789abcdef") == hex.npos;
}

bool is_volume(std::string& text) {
  const std::size_t colon = text.find(':');
  return colon != text.npos && colon > 0 && colon + 1 < text.size() && is_plain(text, "-_.:/+");
}

bool is_tag(std::string& text) {
  return is_plain(text, "-_+.") && text.front() != '-' && text.front() != '.' &&
         text.front() != '+';
}

SecretSource read_token(MappingReader token) {
  SecretSource source;
  token.text("file", source.file);
  token.text("env", source.variable, Need::optional, "the name of a variable",
             [](std::string& name) { return is_plain(name, "_"); });
  std::string command;
  token.text("command", command, Need::optional, "a command such as `pass show proxmox/token`",
             [&](std::string& line) {
               const auto words = secrets::shell_words(line);
               if (words) source.command = *words;
               return words && !words->empty();
             });
  token.text("op", source.op, Need::optional, "a reference such as op://VAULT/ITEM/FIELD",
             [](std::string& text) { return text.starts_with("op://"); });
  const int ways = !source.file.empty() + !source.variable.empty() + !source.command.empty() +
                   !source.op.empty();
  if (token.there() && ways != 1) {
    token.report("", "profile.value",
                 fmt::format("{} must have one of file, env, command and op", token.path()),
                 "keep one of them; the token itself never stands in a profile");
  }
  token.finish();
  return source;
}

void read_size(MappingReader section, MachineSize& size) {
  if (const auto cores = section.whole("cores", 1, 512)) size.cores = static_cast<int>(*cores);
  if (const auto memory = section.whole("memory_mib", 2048, 8'388'608)) size.memory_mib = *memory;
  if (const auto disk = section.whole("disk_gib", 6, 131'072)) size.disk_gib = *disk;
  std::vector<std::string> more;
  section.texts("more_disks_gib", more, "a size in GiB such as 100", [](std::string& text) {
    return !text.empty() && text.size() < 7 && text.find_first_not_of("0123456789") == text.npos &&
           text != "0";
  });
  for (const std::string& text : more) {
    std::int64_t gib = 0;
    std::from_chars(text.data(), text.data() + text.size(), gib);
    size.more_disks_gib.push_back(gib);
  }
  section.finish();
}

}  // namespace

std::optional<ProviderPlan> read_provider(MappingReader& proxmox) {
  ProviderPlan plan;
  const Need need = proxmox.has("url") ? Need::required : Need::optional;
  proxmox.text("url", plan.url, Need::optional, "an address such as https://pve.example.org:8006",
               is_url);
  proxmox.text("ca_file", plan.ca_file);
  proxmox.text("fingerprint", plan.fingerprint, Need::optional,
               "the SHA-256 of the server's certificate, 64 hex digits", is_sha256);
  if (!plan.ca_file.empty() && !plan.fingerprint.empty()) {
    proxmox.report("fingerprint", "profile.value",
                   "providers.proxmox has both ca_file and fingerprint", "keep one of them");
  }
  plan.token = read_token(proxmox.section("token", need));
  proxmox.texts("hosts", plan.hosts, "the name of a node of Proxmox", is_word);
  proxmox.text("pool", plan.pool, Need::optional, "the name of a pool", is_word);
  proxmox.text("storage", plan.storage, need, "the name of a storage", is_word);
  proxmox.text("image", plan.image, need, "a volume such as local:iso/talos-nocloud-amd64.iso",
               is_volume);
  proxmox.text("bridge", plan.bridge, Need::optional, "a bridge such as vmbr0", is_word);
  proxmox.text("cpu", plan.cpu, Need::optional, "a CPU type such as host", is_word);
  proxmox.texts("tags", plan.tags, "a tag of letters, digits, - _ + and .", is_tag);
  if (const auto first = proxmox.choice("first_address", {"dhcp", "static"})) {
    plan.first_address = *first == 1;
  }
  proxmox.flag("start_at_boot", plan.start_at_boot);
  if (const auto count = proxmox.whole("concurrency", 1, 100)) {
    plan.concurrency = static_cast<int>(*count);
  }
  if (const auto first = proxmox.whole("first_vmid", 100, 999'999'999)) {
    plan.first_vmid = static_cast<std::uint32_t>(*first);
  }
  read_size(proxmox.section("controlplane"), plan.control_plane);
  read_size(proxmox.section("worker"), plan.worker);
  if (plan.url.empty()) return std::nullopt;
  if (plan.hosts.empty()) {
    proxmox.report("hosts", "profile.missing", "providers.proxmox has no hosts",
                   "name the nodes of Proxmox on which machines are made: `hosts: [pve1]`");
  }
  return plan;
}

void give_numbers(MappingReader& proxmox, const ProviderPlan& plan, std::vector<NodePlan>& nodes) {
  std::set<std::uint32_t> numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i].vmid && !plan.first_vmid) {
      proxmox.report(
          "first_vmid", "profile.missing",
          fmt::format("{} has no vmid, and providers.proxmox no first_vmid", nodes[i].name.value()),
          "give every node a `vmid:`, or write `first_vmid: 800`");
      return;
    }
    if (!nodes[i].vmid) nodes[i].vmid = *plan.first_vmid + static_cast<std::uint32_t>(i);
    const std::uint32_t number = *nodes[i].vmid;
    if (numbers.insert(number).second) continue;
    proxmox.report("first_vmid", "profile.value",
                   fmt::format("two nodes have the VM number {}", number),
                   "give every node its own `vmid:`");
  }
}

}  // namespace ichor
