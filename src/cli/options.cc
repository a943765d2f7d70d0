#include "cli/options.h"

#include <charconv>
#include <fmt/format.h>

#include "base/duration.h"
#include "base/words.h"

namespace ichor {

namespace {

/// [a-z0-9.-], at most 63 characters, as the profile demands of names.
bool is_node_name(std::string_view text) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789.-";
  return !text.empty() && text.size() <= 63 &&
         text.find_first_not_of(allowed) == std::string_view::npos;
}

std::string take_address(const std::string& text, NodeOptions& options) {
  const std::size_t equals = text.find('=');
  const std::string node = text.substr(0, equals);
  const std::string address = equals == std::string::npos ? "" : text.substr(equals + 1);
  constexpr std::string_view allowed = "0123456789abcdefABCDEF.:";
  const bool is_address =
      !address.empty() && address.find_first_not_of(allowed) == std::string::npos;
  if (!is_node_name(node) || !is_address) {
    return fmt::format("\"{}\" is not a NODE=IP such as cp1=192.168.20.37", text);
  }
  options.addresses[NodeName(node)] = IpAddress(address);
  return {};
}

/// base64(SHA-256), as Talos prints it.
bool is_fingerprint(std::string_view text) {
  constexpr std::string_view allowed =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  return text.size() == 44 && text.find_first_not_of(allowed) == 43 && text.back() == '=';
}

std::string not_a_fingerprint(const std::string& text) {
  return fmt::format(
      "\"{}\" is not a fingerprint such as a node shows on its console: 44 characters of base64, "
      "the last one =",
      text);
}

/// An empty text pins nothing, and most likely comes from a variable that is not set.
std::string take_fingerprints(const std::string& text, std::vector<Fingerprint>& fingerprints) {
  if (split_list(text).empty()) return not_a_fingerprint(text);
  for (std::string& one : split_list(text)) {
    if (!is_fingerprint(one)) return not_a_fingerprint(one);
    fingerprints.emplace_back(std::move(one));
  }
  return {};
}

std::string take_accepted_key(const std::string& text, TrustOptions& options) {
  const std::size_t equals = text.find('=');
  const std::string node = text.substr(0, equals);
  const std::string key = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (!is_node_name(node) || !is_fingerprint(key)) {
    return fmt::format(
        "\"{}\" is not NODE=FINGERPRINT, with the fingerprint that the node shows on its console",
        text);
  }
  options.accepted_keys[NodeName(node)] = Fingerprint(key);
  return {};
}

std::string take_endpoints(const std::string& text, std::vector<std::string>& endpoints) {
  constexpr std::string_view allowed = "0123456789abcdefABCDEF.:";
  for (std::string& one : split_list(text)) {
    const bool is_address = one.find_first_not_of(allowed) == std::string::npos;
    if (!is_address && !is_node_name(one)) {
      return fmt::format("\"{}\" is neither an address nor a name of a node", one);
    }
    endpoints.push_back(std::move(one));
  }
  return {};
}

std::string take_consent(const std::string& text, NodeOptions& options) {
  const std::size_t equals = text.find('=');
  const std::string node = text.substr(0, equals);
  const std::string serial = equals == std::string::npos ? "" : text.substr(equals + 1);
  if (!is_node_name(node) || serial.empty()) {
    return fmt::format("\"{}\" is not a NODE=SERIAL such as cp1=S4EWNX0N123456", text);
  }
  options.wipe_consents[NodeName(node)] = serial;
  return {};
}

FlagSet::Take take_time(std::optional<Duration>& target) {
  return [&target](const std::string& text) {
    target = parse_time(text);
    return target ? std::string() : fmt::format("\"{}\" is not a time such as 90s, 5m or 1h", text);
  };
}

std::string take_text(const std::string& text, std::string& target) {
  target = text;
  return text.empty() ? "must not be empty" : "";
}

}  // namespace

std::string take_names(const std::string& text, std::vector<NodeName>& names) {
  std::vector<std::string> list = split_list(text);
  // The empty variable of a script must not stand for every node.
  if (list.empty()) return "must not be empty";
  for (std::string& name : list) {
    if (!is_node_name(name)) return fmt::format("\"{}\" is not the name of a node", name);
    names.emplace_back(std::move(name));
  }
  return {};
}

void declare_consents(FlagSet& flags, NodeOptions& options) {
  flags.value(
      "--consent-wipe", "NODE=SERIAL",
      [&options](const std::string& text) { return take_consent(text, options); },
      FlagSet::Times::many);
}

void declare_backoff(FlagSet& flags, PatienceOptions& options) {
  flags.number("--retries", "N", 0, 100,
               [&options](std::int64_t count) { options.retries = static_cast<int>(count); });
  flags.value("--retry-initial", "TIME", take_time(options.retry_initial));
  flags.value("--retry-max", "TIME", take_time(options.retry_max));
  flags.value("--apply-timeout", "TIME", take_time(options.apply));
}

void declare_patience(FlagSet& flags, PatienceOptions& options) {
  flags.value("--verify-timeout", "TIME", take_time(options.verify));
  flags.value("--stuck-after", "TIME", take_time(options.stuck));
}

void declare_identity(FlagSet& flags, AccessOptions& options) {
  flags.value("--talosconfig", "FILE",
              [&options](const std::string& text) { return take_text(text, options.talosconfig); });
  flags.value("--context", "NAME",
              [&options](const std::string& text) { return take_text(text, options.context); });
}

void declare_endpoints(FlagSet& flags, AccessOptions& options) {
  flags.value(
      "-e,--endpoints", "ADDRESSES",
      [&options](const std::string& text) { return take_endpoints(text, options.endpoints); },
      FlagSet::Times::many);
}

void declare_trust(FlagSet& flags, TrustOptions& options) {
  flags.flag("-i,--insecure", options.insecure);
  flags.value(
      "--cert-fingerprint", "FINGERPRINT",
      [&options](const std::string& text) { return take_fingerprints(text, options.fingerprints); },
      FlagSet::Times::many);
  flags.value(
      "--accept-key", "NODE=FINGERPRINT",
      [&options](const std::string& text) { return take_accepted_key(text, options); },
      FlagSet::Times::many);
}

void declare_addresses(FlagSet& flags, NodeOptions& options) {
  flags.value(
      "--address", "NODE=IP",
      [&options](const std::string& text) { return take_address(text, options); },
      FlagSet::Times::many);
}

void declare_nodes(FlagSet& flags, NodeOptions& options) {
  flags.value(
      "-n,--nodes", "NODES",
      [&options](const std::string& text) { return take_names(text, options.nodes); },
      FlagSet::Times::many);
  declare_addresses(flags, options);
}

void declare_exclude(FlagSet& flags, std::vector<NodeName>& exclude) {
  flags.value(
      "--exclude", "NODES",
      [&exclude](const std::string& text) { return take_names(text, exclude); },
      FlagSet::Times::many);
}

std::string take_time_scale(const std::string& text, double& scale) {
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, scale);
  const bool is_number = error == std::errc() && read == end;
  if (!is_number || !(scale >= 1.0 && scale <= 1000.0)) {
    return fmt::format("\"{}\" is not a number from 1 to 1000", text);
  }
  return {};
}

void declare_dry_run(FlagSet& flags, ChangeOptions& options) {
  flags.flag("--dry-run", options.dry_run);
  flags.flag("--detailed-exitcode", options.detailed_exitcode);
  flags.rule([&options]() -> std::string {
    const bool useless = options.detailed_exitcode && !options.dry_run;
    return useless ? "--detailed-exitcode needs --dry-run" : "";
  });
}

void declare_adopt(FlagSet& flags, ChangeOptions& options) { flags.flag("--adopt", options.adopt); }

void declare_configs(FlagSet& flags, ChangeOptions& options) {
  flags.text("--config-dir", "DIR", options.config_dir);
  flags.flag("--raise-contract", options.raise_contract);
  flags.rule([&options]() -> std::string {
    const bool both = options.raise_contract && !options.config_dir.empty();
    return both ? "ready-made configs have a contract already: leave out --raise-contract" : "";
  });
}

void declare_order(FlagSet& flags, ChangeOptions& options) {
  flags.choice<Order>("--order", "ORDER",
                      {{"sequential", Order::sequential}, {"parallel", Order::parallel}},
                      options.order);
  flags.number("--concurrency", "N", 1, 10'000,
               [&options](std::int64_t count) { options.concurrency = static_cast<int>(count); });
  flags.rule([&options]() -> std::string {
    const bool both = options.order == Order::sequential && options.concurrency.value_or(1) > 1;
    return both ? "--order sequential and --concurrency exclude each other" : "";
  });
}

std::optional<Duration> parse_time(const std::string& text) {
  const std::optional<Duration> time = parse_duration(text);
  return time > Duration::zero() ? time : std::nullopt;
}

}  // namespace ichor
