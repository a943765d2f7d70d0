#pragma once

#include "cli/flag_set.h"
#include "cli/request.h"

namespace ichor {

/// Flags that several commands share, spelled once.

/// -n, --nodes and --address.
void declare_nodes(FlagSet& flags, NodeOptions& options);
/// --address alone, for commands that always look at all nodes.
void declare_addresses(FlagSet& flags, NodeOptions& options);
/// --talosconfig and --context.
void declare_identity(FlagSet& flags, AccessOptions& options);
/// -e, --endpoints: for commands that only read.
void declare_endpoints(FlagSet& flags, AccessOptions& options);
/// -i, --insecure, --cert-fingerprint and --accept-key: for commands that meet nodes in maintenance
/// mode.
void declare_trust(FlagSet& flags, TrustOptions& options);
/// --consent-wipe: for commands that may overwrite disks.
void declare_consents(FlagSet& flags, NodeOptions& options);
/// --retries, --retry-initial, --retry-max, --apply-timeout.
void declare_backoff(FlagSet& flags, PatienceOptions& options);
/// --verify-timeout and --stuck-after.
void declare_patience(FlagSet& flags, PatienceOptions& options);
/// --dry-run and --detailed-exitcode.
void declare_dry_run(FlagSet& flags, ChangeOptions& options);
/// --adopt.
void declare_adopt(FlagSet& flags, ChangeOptions& options);
/// --config-dir and --raise-contract.
void declare_configs(FlagSet& flags, ChangeOptions& options);
/// --order and --concurrency.
void declare_order(FlagSet& flags, ChangeOptions& options);

/// --exclude.
void declare_exclude(FlagSet& flags, std::vector<NodeName>& exclude);

/// Names of nodes with commas between; returns what is wrong with the text.
std::string take_names(const std::string& text, std::vector<NodeName>& names);

/// A factor from 1 to 1000; returns what is wrong with the text.
std::string take_time_scale(const std::string& text, double& scale);

/// "90s", "5m", "1h": for flags that take a time.
std::optional<Duration> parse_time(const std::string& text);

}  // namespace ichor
