#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/node/fixed_judge.h"
#include "sim/node/node.h"
#include "sim/seeded_random.h"
#include "sim/virtual_clock.h"

namespace ichor::sim {

/// A rack for tests: a clock, a fabric, and machines that share the secrets of one cluster.
class Bench {
 public:
  explicit Bench(Personality personality = Personality::v1_12, Platform platform = Platform::metal)
      : personality_(personality), platform_(platform) {}

  VirtualClock clock;
  SeededRandom random{7};
  FixedJudge judge;
  Fabric fabric{random};

  static constexpr Caller insecure{.anonymous = true, .admin = false, .reader = false};
  static constexpr Caller admin{.anonymous = false, .admin = true, .reader = true};
  static constexpr Caller reader{.anonymous = false, .admin = false, .reader = true};

  Durations durations() const {
    return platform_ == Platform::container ? container_durations() : Durations{};
  }

  NodeSpec spec(const std::string& name) {
    const std::string number = std::to_string(++machines_);
    NodeSpec spec;
    spec.name = NodeName("machine-of-" + name);
    spec.personality = personality_;
    spec.platform = platform_;
    spec.durations = durations();
    spec.dhcp_address = IpAddress("10.5.0.10" + number);
    spec.hardware.macs = {MacAddress("52:54:00:00:00:0" + number)};
    if (platform_ == Platform::metal) {
      spec.hardware.uuid = MachineUuid("00000000-0000-4000-8000-00000000000" + number);
      spec.hardware.serial = SerialNumber("S" + number);
      Disk disk;
      disk.id = "sda";
      disk.dev_path = "/dev/sda";
      disk.serial = "disk-" + number;
      disk.transport = "sata";
      spec.disks = {disk};
    }
    return spec;
  }

  /// The facts of a config for a control plane ("cp…") or a worker; change them and judge.know()
  /// them.
  static ConfigFacts facts(const std::string& name) {
    ConfigFacts facts;
    facts.complete = true;
    facts.role = name.starts_with("cp") ? Role::control_plane : Role::worker;
    facts.hostname = NodeName(name);
    facts.install_disk = "/dev/sda";
    facts.cluster_name = "bench";
    facts.endpoint = "https://10.5.0.2:6443";
    facts.os_ca.bytes.fill(1);
    facts.secrets.bytes.fill(2);
    return facts;
  }
  static std::string config(const std::string& name) { return "config of " + name; }

  Node& add(NodeSpec spec, const std::string& name, NodeDisk disk = {}) {
    judge.know(config(name), facts(name));
    nodes.push_back(std::make_unique<Node>(clock, random, fabric, judge, std::move(spec), disk));
    return *nodes.back();
  }
  Node& add(const std::string& name) { return add(spec(name), name); }

  Answer<Node::ApplyReply> apply(Node& node, const std::string& name) {
    return node.apply(insecure, config(name), Node::ApplyMode::automatic, false);
  }

  /// Runs until the node is in the stage; false after an hour.
  bool run_to(const Node& node, Stage stage) {
    return run_to([&] { return node.stage() == stage; });
  }
  template <class Condition>
  bool run_to(Condition&& condition, Duration limit = std::chrono::hours(1)) {
    const MonoTime end = clock.now() + limit;
    while (!condition()) {
      if (clock.next_at() > end || !clock.step()) return false;
    }
    return true;
  }

  /// Powers a machine on, gives it its config and waits until Bootstrap would be taken.
  Node& configured(const std::string& name) {
    Node& node = add(name);
    node.power_on();
    run_to(node, Stage::maintenance);
    apply(node, name);
    run_to([&] { return node.kubelet_running(); });
    clock.run_for(durations().kubelet_healthy);
    return node;
  }

  std::vector<std::unique_ptr<Node>> nodes;

 private:
  Personality personality_;
  Platform platform_;
  int machines_{0};
};

/// "services (etcd not running); nodeReady (…)", or "ready".
inline std::string to_text(const MachineStatus& status) {
  std::string text(name_of(status.stage));
  if (status.ready) text += " ready";
  std::string separator = " ";
  for (const UnmetCondition& unmet : status.unmet) {
    text += separator + unmet.name + " (" + unmet.reason + ")";
    separator = "; ";
  }
  return text;
}

/// Writes down what a client at the node's port would have seen, each time it changes.
class Diary {
 public:
  explicit Diary(Node& node) : node_(node), id_(node.subscribe([this] { look(); })) { look(); }
  ~Diary() { node_.unsubscribe(id_); }

  const std::vector<std::string>& lines() const { return lines_; }

 private:
  void look() {
    std::string line;
    switch (node_.listener()) {
      case Listener::silent: line = "silent"; break;
      case Listener::refused: line = "refused"; break;
      case Listener::maintenance:
        line = "insecure " + to_text(*node_.machine_status(Bench::insecure));
        break;
      case Listener::apid: line = "mTLS " + to_text(*node_.machine_status(Bench::admin)); break;
    }
    if (lines_.empty() || lines_.back() != line) lines_.push_back(line);
  }

  Node& node_;
  std::vector<std::string> lines_;
  Node::Subscription id_;
};

}  // namespace ichor::sim
