// The model lives through what real nodes were recorded doing (tests/real/recordings, and
// tests/vm/recordings of a machine with a disk and an installer): the same calls lead to the same
// sequences, stages, conditions and service states, in the same order.

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "sim/node/bench.h"

namespace ichor::sim {
namespace {

using Kind = NodeEvent::Kind;
using Lines = std::vector<std::string>;

/// SECONDS, KIND, NAME and TEXT of tests/real/recording.py.
struct Line {
  double at{0};
  std::string kind;
  std::string name;
  std::string text;
};

std::vector<Line> load(const std::filesystem::path& file) {
  std::vector<Line> lines;
  std::ifstream in(file);
  for (std::string row; std::getline(in, row);) {
    if (row.starts_with("#")) continue;
    std::istringstream columns(row);
    Line& line = lines.emplace_back();
    columns >> line.at;
    columns.ignore();
    std::getline(columns, line.kind, '\t');
    std::getline(columns, line.name, '\t');
    std::getline(columns, line.text, '\t');
  }
  return lines;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::toupper(letter));
  return result;
}

std::string without_pids(const std::string& text) {
  static const std::regex pid("PID \\d+");
  return std::regex_replace(text, pid, "PID");
}

std::string status_text(const MachineStatus& status) {
  std::string names;
  for (const UnmetCondition& unmet : status.unmet) names += (names.empty() ? "" : " ") + unmet.name;
  return std::string("ready: ") + (status.ready ? "true" : "false") + ", unmet conditions: [" +
         names + "]";
}

/// The model's events in the form of a recording.
std::vector<Line> events_of(const Node& node) {
  std::vector<Line> lines;
  for (const NodeEvent& event : node.events()) {
    switch (event.kind) {
      case Kind::sequence: lines.push_back({0, "sequence", event.name, event.action}); break;
      case Kind::phase: lines.push_back({0, "phase", event.name, event.action}); break;
      case Kind::task: lines.push_back({0, "task", event.name, event.action}); break;
      case Kind::service:
        lines.push_back(
            {0, "service", event.name, upper(event.action) + ": " + without_pids(event.message)});
        break;
      case Kind::machine_status:
        lines.push_back(
            {0, "status", upper(name_of(event.status.stage)), status_text(event.status)});
        break;
      default: break;
    }
  }
  return lines;
}

/// Which static pods are late, and whether any is, depends on the machine's speed.
std::string without_pods(const std::string& text) {
  static const std::regex pods("staticPods( \\([^)]*\\)(; )?| ?)");
  return std::regex_replace(text, pods, "");
}

void add_unless_repeated(Lines& lines, std::string line) {
  if (lines.empty() || lines.back() != line) lines.push_back(std::move(line));
}

/// Sequences and their phases in order; the tasks of a phase run side by side, so they are a set.
Lines sequences_in(const std::vector<Line>& lines) {
  Lines story;
  std::set<std::string> tasks;
  for (const Line& line : lines) {
    if (line.kind == "task") tasks.insert(line.text + " " + line.name);
    if (line.kind != "sequence" && line.kind != "phase") continue;
    for (const std::string& task : tasks) story.push_back("  task " + task);
    tasks.clear();
    story.push_back(line.kind + " " + line.text + " " + line.name);
  }
  return story;
}

Lines statuses_in(const std::vector<Line>& lines) {
  Lines story;
  for (const Line& line : lines) {
    if (line.kind != "status") continue;
    const std::string text = without_pods(line.text);
    const bool only_pods = line.text != text && text.ends_with("[]");
    if (!only_pods) add_unless_repeated(story, line.name + " " + text);
  }
  return story;
}

Lines stages_in(const Lines& statuses) {
  Lines stages;
  for (const std::string& status : statuses) {
    const std::string stage = status.substr(0, status.find(' '));
    if (stage != "UNKNOWN") add_unless_repeated(stages, stage);
  }
  return stages;
}

/// "etcd not running" of "services (kubelet not running, etcd not running); nodeReady (…)", and
/// likewise of the others.
Lines reasons_in(const std::string& status) {
  static const std::regex reason("(apid|etcd|kubelet|machined|trustd|node \"[^\"]*\") [a-z ]+");
  Lines reasons;
  for (std::sregex_iterator found(status.begin(), status.end(), reason), end; found != end;
       ++found) {
    reasons.push_back(found->str());
  }
  return reasons;
}

/// What is said of the stage and of every service, each by itself: how they interleave depends on
/// who is faster.
std::map<std::string, Lines> tracks_of(const Lines& statuses) {
  std::map<std::string, Lines> tracks;
  tracks["stage"] = stages_in(statuses);
  for (const char* subject : {"apid", "etcd", "kubelet", "trustd", "node"}) {
    for (const std::string& status : statuses) {
      std::string said = "fine";
      for (const std::string& reason : reasons_in(status)) {
        if (reason.starts_with(subject)) said = reason;
      }
      add_unless_repeated(tracks[subject], said);
    }
  }
  return tracks;
}

/// What a service went through. What it waited for, and why it failed, depends on how fast its
/// neighbours were.
Lines life_of(const std::string& service, const std::vector<Line>& lines) {
  Lines story;
  for (const Line& line : lines) {
    if (line.kind != "service" || line.name != service) continue;
    const bool varies = line.text.starts_with("WAITING") || line.text.starts_with("FAILED");
    add_unless_repeated(story, varies ? line.text.substr(0, line.text.find(':')) : line.text);
  }
  return story;
}

std::set<std::string> services_in(const std::vector<Line>& lines) {
  std::set<std::string> names;
  for (const Line& line : lines) {
    if (line.kind == "service") names.insert(line.name);
  }
  return names;
}

Lines watched_in(const std::vector<Line>& lines) {
  Lines story;
  for (const Line& line : lines) {
    if (line.kind != "watch") continue;
    const std::string text = without_pods(line.text);
    if (!text.empty()) add_unless_repeated(story, line.name + " " + text);
  }
  return story;
}

/// One cluster that was recorded, and the model of it.
struct RealRecording : ::testing::TestWithParam<const char*> {
  virtual ~RealRecording() = default;
  virtual std::string folder() const { return "tests/real/recordings"; }

  explicit RealRecording(Personality personality = Personality::v1_12)
      : bench(personality, Platform::container) {}

  Bench bench;
  std::map<std::string, std::vector<Line>> recorded;
  std::map<std::string, Node*> nodes;
  std::map<std::string, Lines> watched;

  void SetUp() override {
    const std::string cluster = GetParam();
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
      const std::string file = entry.path().stem();
      if (!file.starts_with(cluster + "-")) continue;
      recorded[file.substr(cluster.size() + 1)] = load(entry.path());
    }
    ASSERT_FALSE(recorded.empty()) << cluster;
    play();
  }

  void play() {
    std::multimap<double, std::function<void()>> script;
    for (const auto& [name, lines] : recorded) {
      Node& node = bench.add(name);
      nodes[name] = &node;
      node.subscribe([this, &node, name = name] { look(node, name); });
      const auto first = std::find_if(lines.begin(), lines.end(),
                                      [](const Line& line) { return line.kind == "sequence"; });
      script.emplace(first->at, [&node] { node.power_on(); });
      for (const Line& line : lines) {
        if (line.kind == "call")
          script.emplace(line.at, [=, this, &node] { call(node, line, name); });
      }
    }
    for (const auto& [at, step] : script) {
      bench.clock.run_until(MonoTime(std::chrono::milliseconds(static_cast<long>(at * 1000))));
      step();
    }
    bench.clock.run_for(std::chrono::minutes(5));
  }

  void call(Node& node, const Line& line, const std::string& name) {
    if (line.name == "apply") {
      EXPECT_TRUE(bench.apply(node, name));
      return;
    }
    // Talos holds the call for a second until cri is up; the model's calls take no time.
    EXPECT_TRUE(bench.run_to([&] { return node.bootstrap(Bench::admin).has_value(); },
                             std::chrono::seconds(2)));
  }

  void look(const Node& node, const std::string& name) {
    if (node.listener() != Listener::apid) return;
    if (const auto status = node.machine_status(Bench::admin)) {
      std::string text = to_text(*status);
      add_unless_repeated(watched[name], std::move(text));
    }
  }
};

TEST_P(RealRecording, SequencesAndPhasesComeInTheRecordedOrder) {
  for (const auto& [name, lines] : recorded) {
    EXPECT_EQ(sequences_in(events_of(*nodes[name])), sequences_in(lines)) << name;
  }
}

// A status that lasts for a moment is not reported every time. What a node says of its services
// lags behind its stage, so that one which is running may still complain.
TEST_P(RealRecording, StagesAndConditionsAreTheRecordedOnes) {
  for (const auto& [name, lines] : recorded) {
    const Lines model = statuses_in(events_of(*nodes[name]));
    EXPECT_EQ(stages_in(model), stages_in(statuses_in(lines))) << name;
    for (const std::string& status : statuses_in(lines)) {
      if (status.starts_with("RUNNING") && status.find("services") != std::string::npos) continue;
      EXPECT_THAT(model, ::testing::Contains(status)) << name;
    }
  }
}

TEST_P(RealRecording, AWatchSeesTheRecordedReasonsComeAndGo) {
  for (const auto& [name, lines] : recorded) {
    EXPECT_EQ(tracks_of(watched[name]), tracks_of(watched_in(lines))) << name;
  }
}

TEST_P(RealRecording, EveryServiceLivesTheRecordedLife) {
  for (const auto& [name, lines] : recorded) {
    const auto model = events_of(*nodes[name]);
    EXPECT_EQ(services_in(model), services_in(lines)) << name;
    for (const std::string& service : services_in(lines)) {
      EXPECT_EQ(life_of(service, model), life_of(service, lines)) << service << " of " << name;
    }
  }
}

/// The same of Talos 1.14.1, with typed configs.
struct TypedRecording : RealRecording {
  TypedRecording() : RealRecording(Personality::v1_14) {}
  std::string folder() const override { return "tests/real/recordings/typed"; }
};

TEST_P(TypedRecording, SequencesAndPhasesComeInTheRecordedOrder) {
  for (const auto& [name, lines] : recorded) {
    EXPECT_EQ(sequences_in(events_of(*nodes[name])), sequences_in(lines)) << name;
  }
}

// The machine was busy when these were recorded: services that are late complain for a moment.
TEST_P(TypedRecording, StagesAndNodeObjectsComeAsRecorded) {
  for (const auto& [name, lines] : recorded) {
    auto model = tracks_of(watched[name]);
    auto real = tracks_of(watched_in(lines));
    EXPECT_EQ(model["stage"], real["stage"]) << name;
    EXPECT_EQ(model["node"], real["node"]) << name;
    EXPECT_GT(real["node"].size(), 1u) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Clusters, TypedRecording, ::testing::Values("one", "four"));

INSTANTIATE_TEST_SUITE_P(Clusters, RealRecording, ::testing::Values("one", "four"));

/// The lines of each boot of a machine's console.
std::vector<std::vector<Line>> boots_in(const std::vector<Line>& console) {
  std::vector<std::vector<Line>> boots;
  for (const Line& line : console) {
    if (line.kind == "boot") {
      boots.emplace_back();
    } else if (!boots.empty()) {
      boots.back().push_back(line);
    }
  }
  return boots;
}

/// The first lines of a story, as many as another one has.
Lines first_of(Lines story, std::size_t count) {
  if (story.size() > count) story.resize(count);
  return story;
}

/// What an emulated processor is too slow for is no part of a life.
bool is_slowness(const Line& line) {
  return line.text.find("Health check failed") != std::string::npos ||
         line.text.starts_with("WAITING: Waiting for service \"machined\"");
}

/// A machine that boots from an ISO, is installed, and boots from its disk until etcd is healthy.
/// It was recorded with a kernel argument that keeps the dashboard away, and without a kubelet, so
/// its second boot does not end.
struct MachineRecording : ::testing::Test {
  Bench bench;
  Node* node{nullptr};
  std::vector<std::vector<Line>> console = boots_in(load(kFolder / "one-cp1-console.tsv"));
  std::vector<Line> recorded = load(kFolder / "one-cp1.tsv");  // of the second boot
  std::vector<std::vector<Line>> model;                        // boot by boot

  static inline const std::filesystem::path kFolder = "tests/vm/recordings";

  void SetUp() override {
    std::erase_if(recorded, is_slowness);
    NodeSpec spec = bench.spec("cp1");
    spec.durations.time_sync = {};  // its config says that nothing sets its clock
    node = &bench.add(spec, "cp1");
    node->subscribe([this] {
      std::vector<Line> told = without_dashboard(events_of(*node));
      if (model.empty() || told.size() < model.back().size()) model.emplace_back();
      model.back() = std::move(told);
    });
    node->power_on();
    ASSERT_TRUE(bench.run_to(*node, Stage::maintenance));
    ASSERT_TRUE(bench.apply(*node, "cp1"));
    ASSERT_TRUE(bench.run_to([&] { return node->bootstrap(Bench::admin).has_value(); }));
    bench.clock.run_for(std::chrono::minutes(5));
    ASSERT_EQ(model.size(), 2u);
    ASSERT_EQ(console.size(), 2u);
  }

  static std::vector<Line> without_dashboard(std::vector<Line> lines) {
    std::erase_if(lines, [](const Line& line) {
      return line.name == "dashboard" || line.name == "startDashboard";
    });
    return lines;
  }
};

TEST_F(MachineRecording, SequencesOfBothBootsComeInTheOrderOfTheConsole) {
  for (std::size_t boot = 0; boot < 2; ++boot) {
    std::vector<Line> told = model[boot];
    // Only the event stream has it.
    std::erase_if(told, [](const Line& line) { return line.name == "runningMaintenance"; });
    const Lines expected = sequences_in(console[boot]);
    EXPECT_EQ(first_of(sequences_in(told), expected.size()), expected) << "boot " << boot;
  }
}

TEST_F(MachineRecording, TheSecondBootTellsItsSequencesAndConditions) {
  const Lines expected = sequences_in(recorded);
  EXPECT_EQ(first_of(sequences_in(model[1]), expected.size()), expected);
  for (const std::string& status : statuses_in(recorded)) {
    // The network is away for a moment while the machine moves to its own address.
    if (status.find("network services nodeReady") != std::string::npos) continue;
    EXPECT_THAT(statuses_in(model[1]), ::testing::Contains(status));
  }
}

/// The part of a story that begins with a line.
Lines from(const Lines& story, const std::string& first) {
  return Lines(std::find(story.begin(), story.end(), first), story.end());
}

TEST_F(MachineRecording, UpgradeRollbackAndResetRunTheRecordedPhases) {
  const auto others = boots_in(load(kFolder / "killed-cp1-console.tsv"));
  ASSERT_EQ(others.size(), 5u) << "install, upgrade, rollback, reset, and maintenance mode again";
  const Lines upgrade = from(sequences_in(others[1]), "sequence START upgrade");
  const Lines reboot = from(sequences_in(others[2]), "sequence START reboot");
  const Lines reset = from(sequences_in(others[3]), "sequence START reset");
  ASSERT_TRUE(node->upgrade(Bench::admin, "10.5.0.1:5000/installer:v1.12.7"));
  EXPECT_EQ(first_of(from(sequences_in(model[1]), upgrade.front()), upgrade.size()), upgrade);
  ASSERT_TRUE(bench.run_to(*node, Stage::running));
  ASSERT_EQ(model.size(), 3u);
  ASSERT_TRUE(node->rollback(Bench::admin));
  EXPECT_EQ(first_of(from(sequences_in(model[2]), reboot.front()), reboot.size()), reboot);
  ASSERT_TRUE(bench.run_to(*node, Stage::running));
  ASSERT_EQ(model.size(), 4u);
  ResetRequest forced;
  forced.graceful = false;
  ASSERT_TRUE(node->reset(Bench::admin, forced));
  EXPECT_EQ(first_of(from(sequences_in(model[3]), reset.front()), reset.size()), reset);
}

TEST_F(MachineRecording, EveryServiceButTheKubeletLivesTheRecordedLife) {
  EXPECT_EQ(services_in(model[1]), services_in(recorded));
  for (const std::string& service : services_in(recorded)) {
    if (service == "kubelet") continue;
    EXPECT_EQ(life_of(service, model[1]), life_of(service, recorded)) << service;
  }
}

}  // namespace
}  // namespace ichor::sim
