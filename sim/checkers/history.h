#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "model/journal_facts.h"
#include "sim/checkers/checker.h"
#include "sim/cluster_fixture.h"
#include "sim/seeded_random.h"
#include "sim/virtual_clock.h"

namespace ichor::sim {

/// A history made up by a test and shown to one checker: three control planes and a worker, real
/// node models on a virtual clock, and hooks called by what they mean. Run 1 of ichor lives at the
/// beginning.
class History {
 public:
  /// `alter` changes the hardware before it is built.
  explicit History(std::string_view invariant, void (*alter)(NodeSpec& spec) = nullptr)
      : cluster_(make_fixture(plan())) {
    for (NodeSpec spec : cluster_.hardware) {
      if (alter != nullptr) alter(spec);
      nodes_.push_back(std::make_unique<Node>(clock, random_, fabric_, cluster_.judge, spec));
      Node& node = *nodes_.back();
      node.subscribe([this, &node] { checker->on_node_changed(node); });
    }
    for (auto& candidate : make_checkers(truth)) {
      if (candidate->id() == invariant) checker = std::move(candidate);
    }
    check(checker != nullptr, "there is such a checker");
    checker->on_process_started(process);
  }

  // --- the truth
  ClusterProfile& profile() { return cluster_.profile; }
  ConfigSet& configs() { return cluster_.configs; }
  Fabric& fabric() { return fabric_; }
  std::vector<JournalRecord>& journal() { return journal_; }
  Node& node(const std::string& name) { return const_cast<Node&>(*truth.find(NodeName(name))); }
  void passes(Duration duration) { clock.run_for(duration); }

  /// All nodes as they are after a bring-up that no checker saw any calls of.
  void comes_up() {
    for (const auto& node : nodes_) node->power_on();
    passes(std::chrono::minutes(1));
    for (const auto& node : nodes_) take_config(*node);
    passes(std::chrono::minutes(3));
    take_bootstrap("cp1");
    passes(std::chrono::minutes(5));
  }
  void take_config(Node& node) {
    const std::string config(cluster_.configs.nodes.at(node.spec().name).bytes.reveal());
    check(node.apply({}, config, Node::ApplyMode::automatic, false).has_value(), "config taken");
  }
  void take_bootstrap(const std::string& name) {
    const Caller admin{.anonymous = false, .admin = true, .reader = true};
    check(node(name).bootstrap(admin).has_value(), "bootstrap taken");
  }

  // --- calls of the present run
  Request request(Call call, const std::string& name) {
    Request request;
    request.process = process;
    request.session = session;
    request.call = call;
    request.planned = NodeName(name);
    request.node = truth.find(request.planned);
    const auto config = cluster_.configs.nodes.find(request.planned);
    if (call == Call::apply_configuration && config != cluster_.configs.nodes.end()) {
      request.payload = config->second.digest;
    }
    request.maintenance = maintenance;
    request.deadline = later(clock.now(), std::chrono::seconds(10));
    return request;
  }
  void sends(Call call, const std::string& name) { checker->on_request(request(call, name)); }
  void takes_effect(Call call, const std::string& name) { checker->on_effect(request(call, name)); }
  void is_answered(Call call, const std::string& name, Known etcd_has_data = Known::unknown) {
    checker->on_reply(request(call, name), Reply{std::nullopt, etcd_has_data});
  }
  void is_lost(Call call, const std::string& name) {
    fails(name, {call, Progress::sent, TlsVerdict::fine, Code::deadline_exceeded,
                 "context deadline exceeded"});
  }
  void is_refused(Call call, const std::string& name, Code code, std::string text) {
    fails(name, {call, Progress::answered, TlsVerdict::fine, code, std::move(text)});
  }
  void reads(Call call, const std::string& name, Known etcd_has_data = Known::unknown) {
    sends(call, name);
    is_answered(call, name, etcd_has_data);
  }

  // --- runs
  void crashes() { checker->on_process_crashed(process); }
  void ends(Exit exit, std::string verdict = "verdict") {
    RunResult result;
    result.exit = exit;
    result.verdict = std::move(verdict);
    checker->on_process_ended(process, result);
  }
  void starts_again() { checker->on_process_started(++process); }

  // --- the journal
  std::uint64_t records(JournalRecord record) {
    record.seq = journal_.size() + 1;
    journal_.push_back(std::move(record));
    checker->on_durable(journal_.back());
    return journal_.size();
  }
  std::uint64_t records(RecordKind kind, const std::string& name, std::string value = {}) {
    JournalRecord record;
    record.kind = kind;
    record.node = NodeName(name);
    record.value = std::move(value);
    return records(std::move(record));
  }
  std::uint64_t intends(Call call, const std::string& name) {
    JournalRecord record;
    record.kind = RecordKind::intent;
    record.node = NodeName(name);
    record.call = call;
    record.value = to_hex(request(call, name).payload);
    return intent = records(std::move(record));
  }
  /// Of the latest intent.
  void tells(Call call, const std::string& name, OutcomeKind outcome) {
    JournalRecord record;
    record.kind = RecordKind::outcome;
    record.node = NodeName(name);
    record.call = call;
    record.ref = intent;
    record.outcome = outcome;
    records(std::move(record));
  }
  void binds(const std::string& name) {
    records(RecordKind::identity_bound, name, encode_identity(node(name).spec().hardware, {}));
  }

  const std::string& violation() const { return checker->violation(); }

  VirtualClock clock;
  int process{1};
  std::uint64_t session{1};
  std::uint64_t intent{0};
  bool maintenance{false};

 protected:
  static SeedPlan plan() {
    SeedPlan plan;
    plan.shape = {3, 1};
    return plan;
  }

  void fails(const std::string& name, CallError error) {
    const Call call = error.call;
    checker->on_reply(request(call, name), Reply{std::move(error), Known::unknown});
  }

  ClusterFixture cluster_;
  SeededRandom random_{7};
  Fabric fabric_{random_};
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<JournalRecord> journal_;

 public:
  Truth truth{clock, cluster_.profile, cluster_.configs, nodes_, fabric_, journal_};
  std::unique_ptr<Checker> checker;
};

}  // namespace ichor::sim
