#include "sim/scenario_script.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"
#include "sim/world.h"

namespace ichor::sim {

namespace {

Node& node_named(SimWorld& world, const NodeName& name) {
  for (const auto& node : world.nodes()) {
    if (node->spec().name == name) return *node;
  }
  check(false, "a scenario names its own nodes");
  return *world.nodes().front();
}

bool apply_by_hand(SimWorld& world, Node& node, const ConfigSet& configs) {
  const std::string config(configs.nodes.at(node.spec().name).bytes.reveal());
  if (!node.apply(world.outsider(node), config, Node::ApplyMode::automatic, false)) return false;
  world.note_outside_act(node, Call::apply_configuration);
  return true;
}

class Script final : public Fault {
 public:
  explicit Script(const Scenario& scenario) : Fault(SeededRandom(scenario.seed)), story_(scenario) {
    counts_.resize(story_.calls.size());
    begun_.resize(story_.events.size());
  }

  void prepare(SimWorld& world, std::vector<NodeSpec>& hardware) override {
    for (const OddMachine& odd : story_.machines) {
      change(hardware, odd);
      remember_past(world, hardware, odd);
    }
    if (!story_.machines.empty()) fire();
    if (story_.pin.empty()) return;
    world.profile().trust = Trust::pin;
    world.profile().pins = {Fingerprint(story_.pin)};
    fire();
  }

  void arm(SimWorld& world) override {
    for (std::size_t i = 0; i < story_.events.size(); ++i) {
      const Happening& event = story_.events[i];
      if (event.at) begin(world, i, *event.at);
    }
  }

  void on_passage(SimWorld& world, Passage& passage) override {
    for (std::size_t i = 0; i < story_.events.size(); ++i) {
      const Happening& event = story_.events[i];
      if (event.call && *event.call == passage.call) begin(world, i, event.after);
    }
    for (std::size_t i = 0; i < story_.calls.size(); ++i) bend(world, i, passage);
  }

  void on_node_changed(SimWorld& world, Node& node) override {
    for (std::size_t i = 0; i < story_.events.size(); ++i) {
      const Happening& event = story_.events[i];
      const bool there = event.stage && node.powered() && node.stage() == *event.stage;
      if (there && node.spec().name == event.node) begin(world, i, event.after);
    }
  }

  void before_run(SimWorld& world) override {
    if (renamed_) world.profile().name = "another";
    if (new_secrets_) world.configs() = world.fixture().regenerated;
    if (!unplanned_.value().empty()) {
      std::erase_if(world.profile().nodes,
                    [&](const NodePlan& plan) { return plan.name == unplanned_; });
    }
  }

  void on_process_ended(SimWorld& world) override { world.store().heal(); }

  void quiet(SimWorld& world) override {
    world.store().heal();
    world.set_folder_trouble({});
    for (const auto& node : world.nodes()) {
      for (const auto set : {&Node::freeze, &Node::fail_install_pull, &Node::hold_time_sync,
                             &Node::hold_learner, &Node::hold_apply}) {
        (node.get()->*set)(false);
      }
    }
  }

  using Act = void (Script::*)(SimWorld& world, const Happening& event);
  struct NamedAct {
    std::string_view name;
    Act act;
  };
  static const std::vector<NamedAct>& acts();

 private:
  void begin(SimWorld& world, std::size_t index, Duration after) {
    if (begun_[index] || world.quiet()) return;
    begun_[index] = true;
    world.clock().call_at(later(world.clock().now(), after), [this, &world, index] {
      if (world.quiet()) return;
      const Happening& event = story_.events[index];
      const auto found = std::find_if(acts().begin(), acts().end(),
                                      [&](const NamedAct& act) { return act.name == event.act; });
      check(found != acts().end(), "the reader knows every act");
      (this->*found->act)(world, event);
    });
  }

  void bend(SimWorld& world, std::size_t index, Passage& passage) {
    const CallRule& rule = story_.calls[index];
    const bool meant = rule.call ? *rule.call == passage.call : passage.call != Call::open;
    if (!meant) return;
    if (!rule.node.value().empty() &&
        (passage.node == nullptr || passage.node->spec().name != rule.node)) {
      return;
    }
    const Duration now = world.clock().now().time_since_epoch();
    if (now < rule.from || (rule.lasts > Duration{} && now >= rule.from + rule.lasts)) return;
    if (rule.times > 0 && counts_[index] >= rule.times) return;
    ++counts_[index];
    fire();
    switch (rule.does) {
      case CallRule::Does::lose_request: passage.lose_request = true; break;
      case CallRule::Does::lose_reply: passage.lose_reply = true; break;
      case CallRule::Does::break_connection: passage.break_after = true; break;
      case CallRule::Does::refuse: passage.refuse = true; break;
      case CallRule::Does::answer: passage.answer = Refusal{rule.code, rule.text}; break;
      case CallRule::Does::handshake:
        passage.tls =
            CallError{passage.call, Progress::not_sent, rule.tls, Code::unavailable, rule.text};
        break;
    }
  }

  static NodeSpec* find_spec(std::vector<NodeSpec>& hardware, const NodeName& name) {
    const auto found = std::find_if(hardware.begin(), hardware.end(),
                                    [&](const NodeSpec& spec) { return spec.name == name; });
    return found == hardware.end() ? nullptr : &*found;
  }

  /// What was done with the machine before this story.
  static void remember_past(SimWorld& world, std::vector<NodeSpec>& hardware,
                            const OddMachine& odd) {
    NodeSpec& spec = *find_spec(hardware, odd.node);
    NodeDisk& disk = world.former_disks()[odd.node];
    if (!odd.image_on.empty()) {
      Disk stick;
      stick.id = odd.image_on.substr(odd.image_on.rfind('/') + 1);
      stick.dev_path = odd.image_on;
      stick.size_bytes = 16ull << 30;
      stick.transport = "usb";
      spec.disks.push_back(stick);
      disk.installed = true;
      disk.install_disk = odd.image_on;
    }
    if (odd.old_etcd) {
      disk.installed = true;
      disk.install_disk = spec.disks.front().dev_path;
      disk.etcd_cluster = 0x01d;
      disk.etcd_member = EtcdMemberId(0x01d);
    }
    if (odd.consent) world.profile().wipe_consents[odd.node] = spec.disks.front().serial;
  }

  static void change(std::vector<NodeSpec>& hardware, const OddMachine& odd) {
    const auto named = [&](const NodeName& name) { return find_spec(hardware, name); };
    NodeSpec* const spec = named(odd.node);
    check(spec != nullptr, "a scenario names its own nodes");
    if (odd.memory_mib) spec->memory_bytes = static_cast<std::uint64_t>(*odd.memory_mib) << 20;
    for (Disk& disk : spec->disks) {
      if (odd.disk_gib) disk.size_bytes = static_cast<std::uint64_t>(*odd.disk_gib) << 30;
      if (!odd.disk.empty()) disk.dev_path = odd.disk;
      disk.has_volumes = disk.has_volumes || odd.volumes;
    }
    spec->secure_boot = spec->secure_boot || odd.secure_boot;
    spec->learner_forgets_on_restart = spec->learner_forgets_on_restart || odd.learner_forgets;
    spec->new_key_on_time_sync = spec->new_key_on_time_sync || odd.new_key;
    spec->automatic_is_staged = odd.stages_config;
    if (const NodeSpec* twin = named(odd.twin_of)) spec->hardware = twin->hardware;
    if (NodeSpec* other = named(odd.address_of)) {
      std::swap(spec->dhcp_address, other->dhcp_address);
    }
  }

  /// Sets something on a node now and takes it back when it has lasted.
  void toggle(SimWorld& world, const Happening& event, void (Node::*set)(bool)) {
    Node& node = node_named(world, event.node);
    fire();
    (node.*set)(true);
    if (event.lasts == Duration{}) return;
    world.clock().call_at(later(world.clock().now(), event.lasts),
                          [&node, set] { (node.*set)(false); });
  }

  void kill(SimWorld& world, const Happening&) {
    fire();
    world.crash_running();
  }
  void interrupt(SimWorld& world, const Happening&) {
    fire();
    world.interrupt_running();
  }
  void rival(SimWorld& world, const Happening&) {
    fire();
    world.start_rival();
  }
  void reboot(SimWorld& world, const Happening& event) {
    fire();
    node_named(world, event.node).power_cycle();
  }
  void power_off(SimWorld& world, const Happening& event) {
    Node& node = node_named(world, event.node);
    fire();
    node.power_off();
    if (event.lasts == Duration{}) return;
    world.clock().call_at(later(world.clock().now(), event.lasts), [&node] {
      if (!node.powered()) node.power_on();
    });
  }
  void freeze(SimWorld& world, const Happening& event) { toggle(world, event, &Node::freeze); }
  void fail_pull(SimWorld& world, const Happening& event) {
    toggle(world, event, &Node::fail_install_pull);
  }
  void hold_time(SimWorld& world, const Happening& event) {
    toggle(world, event, &Node::hold_time_sync);
  }
  void hold_learner(SimWorld& world, const Happening& event) {
    toggle(world, event, &Node::hold_learner);
  }
  void hold_apply(SimWorld& world, const Happening& event) {
    toggle(world, event, &Node::hold_apply);
  }
  void break_connections(SimWorld& world, const Happening& event) {
    fire();
    world.break_connections(node_named(world, event.node), false);
  }
  void forget_connections(SimWorld& world, const Happening& event) {
    fire();
    world.break_connections(node_named(world, event.node), true);
  }
  void alarm(SimWorld& world, const Happening& event) {
    fire();
    node_named(world, event.node).raise_alarm(EtcdAlarmKind::no_space);
  }
  void kill_disk(SimWorld& world, const Happening& event) {
    fire();
    node_named(world, event.node).kill_disk();
  }
  void bootstrap(SimWorld& world, const Happening& event) {
    Node& node = node_named(world, event.node);
    if (!node.bootstrap(world.outsider(node))) return;
    fire();
    world.note_outside_act(node, Call::bootstrap);
  }
  void reset(SimWorld& world, const Happening& event) {
    Node& node = node_named(world, event.node);
    if (!node.reset(world.outsider(node), ResetRequest{})) return;
    fire();
    world.note_outside_act(node, Call::reset);
  }
  void apply_ours(SimWorld& world, const Happening& event) {
    if (apply_by_hand(world, node_named(world, event.node), world.fixture().configs)) fire();
  }
  void apply_changed(SimWorld& world, const Happening& event) {
    if (apply_by_hand(world, node_named(world, event.node), world.fixture().changed)) fire();
  }
  void apply_foreign(SimWorld& world, const Happening& event) {
    if (apply_by_hand(world, node_named(world, event.node), world.fixture().foreign)) fire();
  }
  void damage_journal(SimWorld& world, const Happening&) {
    fire();
    world.damage_journal("record 1 does not continue the chain of those before it");
    world.crash_running();
  }
  void newer_ichor(SimWorld& world, const Happening&) {
    fire();
    world.raise_journal_schema();
    world.crash_running();
  }
  void journal_full(SimWorld& world, const Happening&) {
    fire();
    world.store().fail_after(0, MemoryStore::Fault::no_space);
  }
  void journal_error(SimWorld& world, const Happening&) {
    fire();
    world.store().fail_after(0, MemoryStore::Fault::io_error);
  }
  void folder_read_only(SimWorld& world, const Happening& event) {
    fire();
    world.set_folder_trouble("kubeconfig: EROFS: Read-only file system");
    if (event.lasts == Duration{}) return;
    world.clock().call_at(later(world.clock().now(), event.lasts),
                          [&world] { world.set_folder_trouble({}); });
  }
  void wall_clock(SimWorld& world, const Happening& event) {
    fire();
    const auto jump = std::chrono::duration_cast<std::chrono::milliseconds>(event.lasts).count();
    world.clock().set_wall(WallTime{world.clock().wall().unix_ms + jump});
  }
  void stop(SimWorld& world, const Happening& event) { pause(world, event, Pause::stopped); }
  void suspend(SimWorld& world, const Happening& event) { pause(world, event, Pause::suspended); }
  void pause(SimWorld& world, const Happening& event, Pause how) {
    fire();
    world.pause_running(how);
    if (event.lasts == Duration{}) return;
    world.clock().call_at(later(world.clock().now(), event.lasts),
                          [&world] { world.resume_running(); });
  }
  void slow_journal(SimWorld& world, const Happening& event) {
    fire();
    world.store().set_commit_delay(event.lasts);
  }
  void regenerate_secrets(SimWorld& world, const Happening&) {
    fire();
    new_secrets_ = true;
    world.interrupt_running();
  }
  void unplan(SimWorld& world, const Happening& event) {
    fire();
    unplanned_ = event.node;
    world.interrupt_running();
  }

  void rename_cluster(SimWorld& world, const Happening&) {
    fire();
    renamed_ = true;
    world.interrupt_running();
  }

  const Scenario& story_;
  std::vector<std::int64_t> counts_;  // per rule
  std::vector<char> begun_;           // per event
  bool new_secrets_{false};
  bool renamed_{false};
  NodeName unplanned_;
};

const std::vector<Script::NamedAct>& Script::acts() {
  static const std::vector<NamedAct> list = {
      {"kill", &Script::kill},
      {"interrupt", &Script::interrupt},
      {"rival", &Script::rival},
      {"reboot", &Script::reboot},
      {"power-off", &Script::power_off},
      {"freeze", &Script::freeze},
      {"fail-pull", &Script::fail_pull},
      {"hold-time", &Script::hold_time},
      {"hold-learner", &Script::hold_learner},
      {"hold-apply", &Script::hold_apply},
      {"break-connections", &Script::break_connections},
      {"forget-connections", &Script::forget_connections},
      {"alarm", &Script::alarm},
      {"kill-disk", &Script::kill_disk},
      {"bootstrap", &Script::bootstrap},
      {"reset", &Script::reset},
      {"apply-ours", &Script::apply_ours},
      {"apply-changed", &Script::apply_changed},
      {"apply-foreign", &Script::apply_foreign},
      {"damage-journal", &Script::damage_journal},
      {"newer-ichor", &Script::newer_ichor},
      {"journal-full", &Script::journal_full},
      {"journal-error", &Script::journal_error},
      {"folder-read-only", &Script::folder_read_only},
      {"slow-journal", &Script::slow_journal},
      {"wall-clock", &Script::wall_clock},
      {"stop", &Script::stop},
      {"suspend", &Script::suspend},
      {"regenerate-secrets", &Script::regenerate_secrets},
      {"unplan", &Script::unplan},
      {"rename-cluster", &Script::rename_cluster},
  };
  return list;
}

}  // namespace

std::vector<std::string_view> scenario_acts() {
  std::vector<std::string_view> names;
  for (const Script::NamedAct& act : Script::acts()) names.push_back(act.name);
  return names;
}

std::unique_ptr<Fault> make_script(const Scenario& scenario) {
  return std::make_unique<Script>(scenario);
}

}  // namespace ichor::sim
