#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/call.h"
#include "model/run_result.h"
#include "sim/seed_plan.h"

namespace ichor::sim {

/// What the network does to some calls.
struct CallRule {
  enum class Does { lose_request, lose_reply, break_connection, refuse, answer, handshake };
  Does does{Does::lose_request};
  std::optional<Call> call;  // nullopt: every call but `connect`
  NodeName node;             // empty: all
  Code code{Code::unavailable};
  TlsVerdict tls{TlsVerdict::fine};
  std::string text;
  std::int64_t times{0};  // zero: whenever it comes
  Duration from{};
  Duration lasts{};  // zero: until the faults are over
};

/// Something that happens once: at a time, at the first call of a kind, or when a node gets to a
/// stage.
struct Happening {
  std::optional<Duration> at;
  std::optional<Call> call;
  std::optional<Stage> stage;  // of `node`
  Duration after{};
  std::string act;  // a word of scenario_acts()
  NodeName node;
  Duration lasts{};  // zero: until the faults are over
};

/// How one machine differs from the others.
struct OddMachine {
  NodeName node;
  std::optional<std::int64_t> memory_mib;
  std::optional<std::int64_t> disk_gib;
  std::string disk;     // where its only disk is
  bool volumes{false};  // there is data on it
  bool secure_boot{false};
  bool learner_forgets{false};
  bool new_key{false};
  bool stages_config{false};  // keeps a config for its next boot, whatever was asked for
  std::string image_on;       // booted from a disk image there
  bool old_etcd{false};       // installed before, and an old cluster's etcd data was kept
  bool consent{false};        // the operator said that its disk may be overwritten
  NodeName twin_of;           // has that machine's UUID and MAC
  NodeName address_of;        // the two have each other's addresses
};

struct Expectation {
  bool ready{true};
  std::vector<std::string> verdicts;  // rows, one of which must be reported; empty with `ready`
  std::optional<Exit> exit;           // of the last run
  Duration within{std::chrono::minutes(90)};
};

/// A story with a known end: a cluster, what goes wrong, and what must come of it.
struct Scenario {
  std::string name;
  std::string about;
  std::vector<std::string> faults;  // rows of the fault catalogue that it shows
  std::uint64_t seed{1};
  Shape shape;
  Personality talos{Personality::v1_12};
  Platform platform{Platform::metal};
  bool addresses_move{false};
  bool addresses_unknown{false};            // see SeedPlan
  Duration calm{std::chrono::minutes(12)};  // when the faults are over
  std::vector<std::string> arm;             // classes of the catalogue of faults
  std::vector<CallRule> calls;
  std::vector<Happening> events;
  std::vector<OddMachine> machines;
  std::string pin;  // the profile pins this maintenance key
  /// Instead of all of the above: a profile's text, which never gets as far as a node, and a patch
  /// for all of its nodes, which may be a template; or what is wrong with the secrets.
  std::string profile;
  std::string patch;
  bool patch_is_template{false};
  std::string secrets;
  Expectation expect;
};

struct ScenarioResult {
  std::string trouble;  // how it did not come as expected; empty: it did
  bool ready{false};
  Duration took{};
  Exit exit{Exit::failed};
  std::string verdict;
};

/// Reads a scenario, or says everything that is wrong with it. The name is the file's.
Result<Scenario> read_scenario(std::string_view text, const std::string& file);

/// What can happen, by name.
std::vector<std::string_view> scenario_acts();

/// With every line of the history to `trace`, if there is one.
ScenarioResult run_scenario(const Scenario& scenario, std::ostream* trace = nullptr);

/// A line per scenario: what it shows, how it came out, how long that took.
void print_scenario_head(std::ostream& out);
void print_scenario(const Scenario& scenario, const ScenarioResult& result, std::ostream& out);

}  // namespace ichor::sim
