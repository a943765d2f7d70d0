#include "sim/world.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/check.h"
#include "sim/kube/kubernetes.h"
#include "sim/kube/request.h"
#include "sim/node/digest.h"
#include "sim/process.h"
#include "sim/provider/vm_host.h"

namespace ichor::sim {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// After the faults a run must end within this time: Talos' own boot limit plus its health limit.
constexpr Duration kQuietLimit = minutes(90);
/// A run that was refused or ran out of time while faults were on is repeated by the operator.
constexpr int kRunsInQuietMax = 4;
constexpr int kRunsMax = 40;
/// Bounds a run that spins without time passing: so many for every twenty nodes.
constexpr std::uint64_t kEventsMax = 3'000'000;

}  // namespace

SimWorld::SimWorld(const SeedPlan& plan, ClusterFixture& fixture)
    : plan_(plan),
      fixture_(fixture),
      profile_(fixture.profile),
      configs_(fixture.configs),
      random_(SeededRandom(plan.seed).fork(1)),
      node_random_(SeededRandom(plan.seed).fork(2)),
      kube_random_(SeededRandom(plan.seed).fork(4)),
      fabric_(node_random_),
      truth_{clock_, profile_, configs_, nodes_, fabric_, store_.records(), &store_},
      checkers_(make_checkers(truth_)) {
  report_.seed = plan.seed;
  profile_.talos.version = talos_version(plan.personality);
  for (const auto& checker : checkers_) listen_for(*checker);
  store_.set_commit_delay(std::chrono::milliseconds(2));
  make_faults();
}

void SimWorld::restore_from(const std::string& snapshot) {
  snapshot_.emplace();
  const auto taken = snapshot_->take(snapshot);
  check(taken.has_value(), "a snapshot fits into memory");
}

SimWorld::~SimWorld() {
  // Sessions and watches of the processes point at ports, and faults at nodes.
  processes_.clear();
  faults_.clear();
  kube_.reset();
}

void SimWorld::make_faults() {
  for (const std::size_t index : plan_.faults) {
    const FaultClass& type = fault_catalogue()[index];
    // By its name, so that a new row of the catalogue does not change what the others do.
    const std::uint64_t stream = head_of(quick_digest(type.name));
    add(type.make(SeededRandom(plan_.seed).fork(stream)), type.recovery);
  }
}

void SimWorld::add(std::unique_ptr<Fault> fault, Recovery recovery) {
  faults_.push_back({std::move(fault), recovery});
}

void SimWorld::build_nodes() {
  std::vector<NodeSpec> hardware;
  hardware.reserve(fixture_.hardware.size());
  for (const NodeSpec& spec : fixture_.hardware) hardware.push_back(hardware_for(plan_, spec));
  for (const Armed& armed : faults_) armed.fault->prepare(*this, hardware);
  ports_.resize(hardware.size());
  for (std::size_t i = 0; i < hardware.size(); ++i) {
    NodeDisk former = former_disks_[hardware[i].name];
    nodes_.push_back(std::make_unique<Node>(clock_, node_random_, fabric_, fixture_.judge,
                                            std::move(hardware[i]), std::move(former)));
    ports_[i].node = nodes_.back().get();
    nodes_.back()->subscribe([this, i] { on_node_changed(i); });
    if (plan_.provisioned) continue;
    clock_.call_at(MonoTime(plan_.power_on[i]), [node = nodes_.back().get()] {
      if (!node->powered()) node->power_on();
    });
  }
  if (plan_.provisioned) build_provider();
  if (plan_.line != Line::talos) build_kubernetes();
}

void SimWorld::arm_faults() {
  for (const Armed& armed : faults_) armed.fault->arm(*this);
}

Digest SimWorld::os_ca() const {
  // The same in all configs of the cluster; any of them tells.
  static const NodeSpec spec;
  const MachineConfig& config = configs_.nodes.begin()->second;
  return fixture_.judge.judge(std::string(config.bytes.reveal()), spec, false)->os_ca;
}

Digest SimWorld::canonical_digest(const std::string& config, const Node& node) {
  const ConfigJudgement& judged = fixture_.judge.judge(config, node.spec(), false);
  return judged ? judged->canonical : Digest{};
}

void SimWorld::on_node_changed(std::size_t index) {
  Port& port = ports_[index];
  Node& node = *port.node;
  const Listener listener = node.listener();
  BootId boot = node.boot_id();
  if (listener != port.listener || boot != port.boot) {
    port.listener = listener;
    port.boot = std::move(boot);
    ++port.epoch;
    const std::vector<SimWatch*> lost = port.watches;
    for (SimWatch* watch : lost) watch->connection_lost();
  }
  for (SimWatch* watch : port.watches) watch->node_changed();
  if (kube_) kube_->node_changed(index);
  for (const auto& checker : checkers_) checker->on_node_changed(node);
  for (const Armed& armed : faults_) armed.fault->on_node_changed(*this, node);
  if (trace_.wanted()) {
    trace_.line(clock_.now(), fmt::format("node {} {}", node.spec().name.value(),
                                          node.powered() ? ichor::name_of(node.stage()) : "off"));
  }
}

Passage SimWorld::passage(Call call, Node* node, bool maintenance) {
  Passage passage;
  passage.call = call;
  passage.node = node;
  passage.maintenance = maintenance;
  for (const Armed& armed : faults_) {
    // A lasting fault does not end when the others are over.
    if (!quiet_ || !armed.recovery.heals()) armed.fault->on_passage(*this, passage);
  }
  return passage;
}

int SimWorld::watch_copies() {
  int copies = 1;
  if (quiet_) return copies;
  for (const Armed& armed : faults_) copies *= armed.fault->watch_copies(*this);
  return copies;
}

bool SimWorld::process_dead(int process) const {
  const auto& which = processes_[static_cast<std::size_t>(process - 1)];
  return !which || which->dead();
}

bool SimWorld::crash_here(int process, const CrashPoint& point) {
  if (process_dead(process)) return true;
  if (quiet_) return false;
  bool crash = false;
  for (const Armed& armed : faults_) crash = armed.fault->crash_at(*this, point) || crash;
  if (!crash) return false;
  ++report_.crash_sites[to_text(point)];
  if (trace_.wanted()) {
    trace_.line(clock_.now(), fmt::format("crash of run {} {}", process, to_text(point)));
  }
  crash_running();
  return true;
}

void SimWorld::pause_running(Pause how) {
  const auto winds_up = [](const auto& process) {
    return process && !process->dead() && process->interrupted();
  };
  if (paused_ || !any_alive() || std::any_of(processes_.begin(), processes_.end(), winds_up)) {
    return;
  }
  paused_ = how;
  truth_.paused_at = clock_.now();
  trace_.add(std::string_view("pause"));
  trace_.line(clock_.now(), how == Pause::stopped ? "stopped" : "suspended");
  for (auto& process : processes_) {
    if (process && !process->dead()) process->clock().pause();
  }
}

void SimWorld::resume_running() {
  if (!paused_) return;
  const Pause how = *std::exchange(paused_, std::nullopt);
  truth_.resumed_at = clock_.now();
  trace_.line(clock_.now(), "continues");
  // A machine that sleeps answers no calls, and whoever stands between forgets its connections.
  if (how == Pause::suspended) {
    for (const auto& node : nodes_) break_connections(*node, true);
  }
  for (auto& process : processes_) {
    if (process && process->clock().paused()) process->clock().go_on(how);
  }
  if (std::exchange(interrupt_waits_, false)) interrupt_running();
}

void SimWorld::crash_running() {
  resume_running();
  bool any = false;
  for (auto& process : processes_) {
    if (!process || process->dead()) continue;
    any = true;
    process->kill();
    ++report_.crashes;
    // What it started goes on without it; a session or a container that ends takes all with it.
    if (kube_) kube_->helm().lose(process->number(), kube_random_.chance(0.5));
    for (const auto& checker : checkers_) checker->on_process_crashed(process->number());
  }
  if (!any) return;
  trace_.add(std::string_view("crash"));
  // The process is on the stack now; it is taken away when it has suspended.
  clock_.call_at(clock_.now(), [this] {
    store_.crash(random_.chance(0.5));
    sync_journal();
    for (auto& process : processes_) {
      if (process && process->dead()) process.reset();
    }
  });
  clock_.call_at(later(clock_.now(), random_.between(seconds(1), seconds(30))),
                 [this] { start_process(); });
}

void SimWorld::interrupt_running() {
  if (paused_) {
    interrupt_waits_ = true;
    return;
  }
  for (auto& process : processes_) {
    if (!process || process->dead() || process->interrupted()) continue;
    trace_.add(std::string_view("interrupt"));
    for (const auto& checker : checkers_) checker->on_process_cancelled(process->number());
    process->interrupt();
  }
}

void SimWorld::start_process() {
  if (finished_) return;
  resume_running();
  launch();
}

void SimWorld::launch() {
  const int number = static_cast<int>(processes_.size()) + 1;
  if (!repeating_) ++report_.runs;
  if (!any_alive()) {
    for (const Armed& armed : faults_) armed.fault->before_run(*this);
  }
  trace_.add(static_cast<std::uint64_t>(number));
  processes_.push_back(std::make_unique<SimProcess>(
      *this, number, SeededRandom(plan_.seed).fork(1000 + static_cast<std::uint64_t>(number))));
  for (const auto& checker : checkers_) checker->on_process_started(number);
  processes_.back()->start();
}

bool SimWorld::any_alive() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const auto& process) { return process && !process->dead(); });
}

void SimWorld::start_rival() {
  if (any_alive() && !quiet_ && !paused_) start_process();
}

void SimWorld::start_rival_of_paused() {
  if (any_alive() && !quiet_ && !finished_ && paused_) launch();
}

void SimWorld::damage_journal(std::string what) {
  journal_damage_ = std::move(what);
  trace_.line(clock_.now(), "journal damaged: " + journal_damage_);
  for (const auto& checker : checkers_) checker->on_journal_damaged(!journal_damage_.empty());
}

void SimWorld::break_connections(Node& node, bool silently) {
  Port& port = port_of(node);
  ++port.epoch;
  port.mute_epochs_before = silently ? port.epoch : 0;
  const std::vector<SimWatch*> lost = port.watches;
  for (SimWatch* watch : lost) {
    if (silently) {
      watch->connection_forgotten();
    } else {
      watch->connection_lost();
    }
  }
}

Caller SimWorld::outsider(const Node& node) const {
  const bool maintenance = node.listener() == Listener::maintenance;
  return {.anonymous = maintenance, .admin = !maintenance, .reader = true};
}

void SimWorld::note_outside_act(const Node& node, Call call) {
  trace_.add(std::string_view("outside"));
  trace_.line(clock_.now(),
              fmt::format("outside {} on {}", name_of(call), node.spec().name.value()));
  for (const auto& checker : checkers_) checker->on_outside_act(node, call);
}

void SimWorld::begin_quiet() {
  quiet_ = true;
  trace_.line(clock_.now(), "quiet");
  resume_running();
  for (const Armed& armed : faults_) armed.fault->quiet(*this);
  for (const auto& node : nodes_) {
    if (!node->powered() && may_run(*node)) node->power_on();
  }
  for (const auto& checker : checkers_) checker->on_quiet();
}

void SimWorld::sync_journal() {
  const std::vector<JournalRecord>& records = store_.records();
  for (; journal_seen_ < records.size(); ++journal_seen_) {
    const JournalRecord& record = records[journal_seen_];
    trace_.add(record.seq);
    trace_.add(record.value);
    if (trace_.wanted()) {
      trace_.line(clock_.now(),
                  fmt::format("journal {} {} {} {} {}", record.seq, name_of(record.kind),
                              record.node.value(), name_of(record.call), record.value));
    }
    for (const auto& checker : checkers_) checker->on_durable(record);
  }
}

void SimWorld::note_request(const Request& request) {
  trace_.add(clock_.now());
  trace_.add(static_cast<std::uint64_t>(request.call) << 8 |
             static_cast<unsigned>(request.process));
  if (trace_.wanted() && request.call != Call::open) {
    trace_.line(clock_.now(), fmt::format("run {} → {} {}", request.process,
                                          request.planned.value(), name_of(request.call)));
  }
  if (mutates(request.call)) {
    for (const auto& checker : checkers_) checker->on_request(request);
  } else {
    for (Checker* checker : request_watchers_) checker->on_request(request);
  }
}

void SimWorld::note_effect(const Request& request) {
  trace_.add(std::string_view("effect"));
  trace_.line(clock_.now(),
              fmt::format("effect of {} on {}", name_of(request.call), request.planned.value()));
  for (const auto& checker : checkers_) checker->on_effect(request);
}

void SimWorld::note_reply(const Request& request, const Reply& reply) {
  trace_.add(clock_.now());
  trace_.add(reply.error ? static_cast<std::uint64_t>(reply.error->code) + 1 : 0);
  if (trace_.wanted() && reply.error) {
    trace_.line(clock_.now(), fmt::format("run {} ← {} {}", request.process,
                                          request.planned.value(), to_text(*reply.error)));
  }
  if (mutates(request.call)) {
    for (const auto& checker : checkers_) checker->on_reply(request, reply);
  } else {
    for (Checker* checker : reply_watchers_) checker->on_reply(request, reply);
  }
}

void SimWorld::note_event(int process, const Event& event) {
  trace_.add(static_cast<std::uint64_t>(event.kind));
  trace_.add(event.text);
  if (trace_.wanted()) {
    trace_.line(clock_.now(), fmt::format("run {} {} {} {} {}", process, name_of(event.kind),
                                          event.node.value(), event.phase, event.text));
  }
  for (Checker* checker : listeners_) checker->on_event(process, event);
}

void SimWorld::note_written(const Written& written) {
  trace_.add(written.name);
  trace_.add(written.content);
  for (const auto& checker : checkers_) checker->on_written(written);
}

void SimWorld::count_session(int process, int delta) {
  const auto place = static_cast<std::size_t>(process);
  if (place >= open_sessions_.size()) open_sessions_.resize(place + 1);
  open_sessions_[place] += delta;
  for (const auto& checker : checkers_) checker->on_sessions(process, open_sessions_[place]);
}

void SimWorld::process_ended(int number, const RunResult& result) {
  trace_.add(static_cast<std::uint64_t>(result.exit));
  trace_.line(clock_.now(), fmt::format("run {} ends {}: {}", number, static_cast<int>(result.exit),
                                        result.verdict));
  for (const auto& checker : checkers_) checker->on_process_ended(number, result);
  for (const Armed& armed : faults_) armed.fault->on_process_ended(*this);
  report_.verdict = result.verdict;
  report_.exit = result.exit;
  report_.findings.clear();
  for (const Finding& finding : result.findings) report_.findings.push_back(finding.id);
  const bool other_runs = std::any_of(processes_.begin(), processes_.end(), [&](const auto& other) {
    return other && !other->dead() && other->number() != number;
  });
  // A rival that was refused leaves the field to the run that holds the lock.
  if (other_runs) return;
  check_end(result);
}

/// Whether a lasting fault has struck; then the run must have said so, and not more.
bool SimWorld::declared_end(const RunResult& result) {
  bool struck = false;
  for (const Armed& armed : faults_) {
    if (armed.recovery.heals() || armed.fault->fired() == 0) continue;
    struck = true;
    const bool named =
        std::any_of(result.findings.begin(), result.findings.end(),
                    [&](const Finding& finding) { return armed.recovery.names(finding.id); });
    if (named && result.exit != Exit::done) report_.ended = true;
  }
  if (struck && result.exit == Exit::done) {
    report_.violation = "recovery: a run succeeded over a fault that is declared to last";
  }
  return report_.ended || !report_.violation.empty();
}

void SimWorld::check_end(const RunResult& result) {
  if (repeating_) {
    for (const auto& checker : checkers_) checker->on_repeated(result);
    finished_ = true;
    return;
  }
  if (quiet_ && !repeating_) {
    ++report_.quiet_runs;
    finished_ = declared_end(result);
    if (finished_) return;
  }
  if (starts_upgrade(result)) return;
  if (reached(result) && quiet_) {
    report_.ready = true;
    report_.time_to_ready = clock_.now().time_since_epoch();
    repeating_ = true;
    start_process();
    return;
  }
  if (quiet_ && report_.quiet_runs >= kRunsInQuietMax) {
    report_.gave_up = true;
    report_.violation = fmt::format("liveness: not ready after {} runs without faults: {}",
                                    report_.quiet_runs, result.verdict);
    finished_ = true;
    return;
  }
  if (report_.runs >= kRunsMax && !quiet_) begin_quiet();
  // What came up while faults were still on must be up when they are over: look again then.
  const MonoTime soon = later(clock_.now(), random_.between(seconds(5), seconds(60)));
  const bool up_early = reached(result);
  const MonoTime next = up_early ? std::max(soon, MonoTime(plan_.fault_phase) + seconds(1)) : soon;
  clock_.call_at(next, [this] { start_process(); });
}

SeedReport SimWorld::run(Trace::Listener listener) {
  trace_.listen(std::move(listener));
  trace_.line(clock_.now(), to_text(plan_));
  build_nodes();
  arm_faults();
  start_process();
  clock_.call_at(MonoTime(plan_.fault_phase), [this] { begin_quiet(); });
  const MonoTime limit = MonoTime(plan_.fault_phase) + kQuietLimit + minutes(90);
  const std::uint64_t events_max = kEventsMax * (1 + nodes_.size() / 20);
  while (!finished_ && !truth_.violated) {
    if (!clock_.step() || clock_.now() > limit || ++report_.events > events_max) {
      report_.violation = fmt::format("liveness: no end after {} and {} events: {}",
                                      ichor::to_text(clock_.now().time_since_epoch()),
                                      report_.events, report_.verdict);
      break;
    }
    sync_journal();
    for (std::size_t i = 0; i < processes_.size(); ++i) {
      if (!processes_[i] || processes_[i]->dead() || !processes_[i]->result()) continue;
      const std::unique_ptr<SimProcess> ended = std::move(processes_[i]);
      process_ended(ended->number(), *ended->result());
    }
  }
  return report();
}

SeedReport SimWorld::report() {
  for (const auto& checker : checkers_) {
    if (report_.violation.empty()) checker->at_end();
    if (checker->violation().empty() || !report_.violation.empty()) continue;
    report_.violation = fmt::format("{}: {}", checker->id(), checker->violation());
  }
  trace_.line(clock_.now(), report_.violation.empty() ? "holds" : report_.violation);
  for (const Armed& armed : faults_) report_.fired.push_back(armed.fault->fired());
  report_.trace_hash = trace_.hash();
  return report_;
}

}  // namespace ichor::sim
