#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "model/ids.h"

namespace ichor {

/// What the flags of one run say. Several commands take each of these structs; the profile says
/// what a cluster is, these say how it is worked on this time.

enum class OutputFormat { table, wide, json, yaml, flat, sarif };

/// Whether a program reads the output. Table and wide are for people.
constexpr bool for_programs(OutputFormat format) {
  return format != OutputFormat::table && format != OutputFormat::wide;
}

/// Taken by every command, before or after its name.
struct CommonOptions {
  std::string profile{"ichor.yaml"};
  std::string cluster;       // empty: whichever the profile describes
  bool all_clusters{false};  // every cluster of the repository in the working folder
  std::string state_dir;     // empty: .ichor/NAME beside the profile
  std::string lab_state;     // the folder of a lab that stands for the machines; empty: no lab
  OutputFormat output{OutputFormat::table};
  bool quiet{false};
  std::string command{};  // its name: "up", "lab start"

  /// Whether it is for several clusters: --all, or --cluster with commas.
  bool several() const { return all_clusters || cluster.find(',') != cluster.npos; }
};

enum class Order { as_profile, sequential, parallel };

/// Who we are to nodes that have their config, and through whom we reach them.
struct AccessOptions {
  std::string talosconfig;             // a file
  std::string context;                 // empty: the file's current one
  std::vector<std::string> endpoints;  // addresses or names of nodes; empty: nodes are dialled
};

/// How much is believed of a node that has no config yet, if not by the profile.
struct TrustOptions {
  bool insecure{false};
  std::vector<Fingerprint> fingerprints;          // any of them is good
  std::map<NodeName, Fingerprint> accepted_keys;  // instead of the one bound at discovery
};

/// What every command that looks at nodes takes.
struct NodeOptions {
  std::vector<NodeName> nodes;              // empty: all of the profile
  std::map<NodeName, IpAddress> addresses;  // where a node is now, if the profile does not say
  AccessOptions access;
  TrustOptions trust;
  std::map<NodeName, std::string> wipe_consents;  // by node: the serial of the disk
};

/// How often and how long is tried, if not by the profile.
struct PatienceOptions {
  std::optional<int> retries;
  std::optional<Duration> retry_initial, retry_max;
  std::optional<Duration> stuck;                // in one stage, until ichor says what is unmet
  std::optional<Duration> apply, verify, etcd;  // for the whole step
};

/// What every command that changes nodes takes.
struct ChangeOptions {
  bool dry_run{false};
  bool detailed_exitcode{false};
  bool offline{false};  // a plan by profile and journal alone, no node is asked
  Order order{Order::as_profile};
  std::optional<int> concurrency;
  bool adopt{false};  // go on with a journal that another machine started
  bool raise_contract{false};
  PatienceOptions patience;
  std::string config_dir;  // ready-made configs; empty: those of the profile, or generated ones
};

/// What the options of one run say about the profile.
struct RunOptions {
  NodeOptions nodes;
  ChangeOptions change;
  std::vector<NodeName> exclude;     // the operator's word that these are not part of the plan
  std::string kubernetes_version{};  // "v1.36.3", instead of the profile's; empty: the profile's
};

/// What `up --lab` takes.
struct LabOptions {
  bool wanted{false};
  bool keep{false};
  double time_scale{1.0};
  bool proxmox{false};  // its machines are made through a Proxmox API of its own
};

/// Which addresses are looked at, how, and what comes of it.
struct ScanOptions {
  std::string addresses;     // networks, ranges and addresses; empty: the profile's, where needed
  std::optional<int> rate;   // connections per second
  bool watch{false};         // again, until all are there
  std::optional<int> count;  // how many machines those are, where no profile says it
  bool match_by_order{false};
  std::string write;  // a file for a profile of what was found; empty: none
};

}  // namespace ichor
