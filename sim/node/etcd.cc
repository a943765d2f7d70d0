#include <algorithm>

#include "base/check.h"
#include "etcd/snapshot.h"
#include "sim/node/node_impl.h"

namespace ichor::sim {

namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kJoinLimit = minutes(30);
constexpr Duration kPromotionLimit = minutes(10);
constexpr Duration kPromotionRetry = seconds(15);

/// Whether a learner of another name stands in the way: etcd takes one at a time.
bool blocked(const EtcdCluster& cluster, const NodeName& name) {
  return std::any_of(cluster.members.begin(), cluster.members.end(),
                     [&](const auto& member) { return member.learner && member.name != name; });
}

/// Of the store in a snapshot that Talos accepts: it checks the hash and the database first.
std::optional<std::uint64_t> snapshot_revision(const std::string& snapshot) {
  MemoryBytes file;
  if (!file.take(snapshot)) return std::nullopt;
  const auto facts = etcd::inspect_snapshot(file);
  return facts ? std::optional(facts->revision) : std::nullopt;
}

}  // namespace

EtcdCluster* Node::Impl::own_cluster() const {
  return disk_.etcd_cluster ? fabric_.find_cluster(*disk_.etcd_cluster) : nullptr;
}

const EtcdCluster::Member* Node::Impl::own_member() const {
  const EtcdCluster* cluster = own_cluster();
  return cluster == nullptr ? nullptr : cluster->find(disk_.etcd_member);
}

EtcdCluster* Node::Impl::cluster_in_reach() const {
  if (etcd_running()) return own_cluster();
  return m_.facts == nullptr ? nullptr : fabric_.joinable(m_.facts->secrets);
}

void Node::Impl::start_etcd() {
  if (m_.etcd != Etcd::waiting) return;
  if (disk_.etcd_cluster) {
    start_member();
    return;
  }
  m_.etcd = Etcd::preparing_join;
  m_.join_began = now();
  say(Service::etcd, ServiceState::preparing, Remark::pre_state);
  arm(Timer::join_limit, kJoinLimit);
  look_for_cluster();
}

void Node::Impl::look_for_cluster() {
  if (m_.etcd != Etcd::preparing_join || armed(Timer::join)) return;
  const EtcdCluster* cluster = fabric_.joinable(m_.facts->secrets);
  if (cluster == nullptr || blocked(*cluster, hostname())) return;
  // Talos tries every few seconds. Only tries that can succeed are played, at the times of that
  // rhythm.
  const Duration since = now() - m_.join_began;
  const Duration rhythm = std::max(spec_.durations.etcd_join_retry, Duration(1));
  const Duration over = since % rhythm;
  arm(Timer::join, over == Duration{} ? Duration{} : rhythm - over);
}

void Node::Impl::on_join() {
  if (m_.etcd != Etcd::preparing_join) return;
  EtcdCluster* cluster = fabric_.joinable(m_.facts->secrets);
  if (cluster == nullptr) return;
  const EtcdCluster::Member* learner = fabric_.add_learner(*cluster, hostname());
  if (learner == nullptr) return;
  NodeDisk& disk = change_disk();
  disk.etcd_cluster = cluster->id;
  disk.etcd_member = learner->id;
  disarm(Timer::join_limit);
  m_.learner_since = now();
  arm(Timer::promote, spec_.durations.etcd_catch_up);
  start_member();
}

void Node::Impl::on_join_limit() {
  m_.etcd = Etcd::failed;
  disarm(Timer::join);
  say(Service::etcd, ServiceState::failed, Remark::join_failed);
}

void Node::Impl::request_bootstrap(bool recover) {
  check(!disk_.etcd_cluster, "bootstrap over existing data");
  disarm(Timer::join);
  disarm(Timer::join_limit);
  // Talos fakes a finished etcd to end the boot sequence's wait, and starts a new one.
  if (m_.etcd != Etcd::failed) say(Service::etcd, ServiceState::failed, Remark::join_called_off);
  say(Service::etcd, ServiceState::finished, Remark::bootstrap_requested);
  m_.etcd_waited_for = true;
  m_.etcd_recovers = recover;
  m_.etcd = Etcd::preparing_bootstrap;
  say_waiting(Service::etcd);
  say(Service::etcd, ServiceState::preparing, Remark::pre_state);
  arm(Timer::etcd_prepare, spec_.durations.etcd_prepare);
  check_boot_over();
}

void Node::Impl::on_etcd_prepared() {
  check(!disk_.etcd_cluster, "a second data directory");
  std::uint64_t revision = 0;
  if (m_.etcd_recovers) {
    const auto restored = snapshot_revision(disk_.recovery_snapshot);
    if (!restored) {
      m_.etcd = Etcd::failed;
      say(Service::etcd, ServiceState::failed, Remark::recovery_failed);
      return;
    }
    revision = *restored;
  }
  EtcdCluster& cluster = fabric_.create_cluster(m_.facts->secrets, hostname());
  cluster.restored_revision = revision;
  NodeDisk& disk = change_disk();
  if (m_.etcd_recovers) disk.recovery_snapshot.clear();
  disk.etcd_cluster = cluster.id;
  disk.etcd_member = cluster.members.front().id;
  start_member();
}

void Node::Impl::start_member() {
  const EtcdCluster::Member* member = own_member();
  m_.etcd_health = Health::unknown;
  m_.etcd_probed = false;
  if (disk_dead_) {
    die_of_disk();
    return;
  }
  if (member == nullptr) {
    m_.etcd = Etcd::removed;
    say(Service::etcd, ServiceState::waiting, Remark::restarting);
    return;
  }
  m_.etcd = Etcd::running;
  say(Service::etcd, ServiceState::preparing, Remark::creating_runner);
  say(Service::etcd, ServiceState::running, Remark::started);
  arm(Timer::etcd_health, spec_.durations.etcd_healthy);
  const bool remembers = learner_resumes_ || !spec_.learner_forgets_on_restart;
  learner_resumes_ = false;
  if (member->learner && !armed(Timer::promote) && remembers) {
    m_.learner_since = now();
    arm(Timer::promote, spec_.durations.etcd_catch_up);
  }
  set_member_up(true);
  fabric_.changed();
}

void Node::Impl::die_of_disk() {
  m_.etcd = Etcd::dying;
  m_.etcd_health = Health::unknown;
  m_.etcd_probed = false;
  disarm(Timer::promote);
  disarm(Timer::etcd_health);
  disarm(Timer::api_server);
  m_.api_server_started = false;
  say(Service::etcd, ServiceState::waiting, Remark::restarting);
}

void Node::Impl::set_member_up(bool up) {
  if (!etcd_running()) return;
  if (EtcdCluster* cluster = own_cluster()) cluster->set_up(disk_.etcd_member, up);
}

void Node::Impl::on_promote() {
  EtcdCluster* cluster = own_cluster();
  const EtcdCluster::Member* member = own_member();
  if (member == nullptr || !member->learner) return;
  if (learner_held_ || !cluster->has_quorum()) {
    if (now() - m_.learner_since < kPromotionLimit) arm(Timer::promote, kPromotionRetry);
    return;
  }
  cluster->promote(disk_.etcd_member);
  fabric_.changed();
}

void Node::Impl::check_membership() {
  if (!etcd_running()) return;
  const EtcdCluster* cluster = own_cluster();
  if (cluster != nullptr && cluster->revision != m_.seen_revision) {
    m_.seen_revision = cluster->revision;
    note_change();
  }
  if (own_member() != nullptr) {
    judge_etcd_health();
    return;
  }
  m_.etcd = Etcd::removed;
  m_.etcd_health = Health::unknown;
  disarm(Timer::promote);
  disarm(Timer::etcd_health);
  disarm(Timer::api_server);
  m_.api_server_started = false;
  say(Service::etcd, ServiceState::waiting, Remark::restarting);
}

void Node::Impl::on_etcd_probe() {
  m_.etcd_probed = true;
  judge_etcd_health();
}

void Node::Impl::judge_etcd_health() {
  if (!m_.etcd_probed) return;
  const EtcdCluster::Member* member = own_member();
  check(member != nullptr, "health of a member that is not there");
  // The probe reads through Raft, which a learner does not serve.
  const Health health =
      !member->learner && own_cluster()->has_quorum() ? Health::good : Health::bad;
  if (health == m_.etcd_health) return;
  m_.etcd_health = health;
  say(Service::etcd, ServiceState::running, health_remark());
  if (health == Health::bad) return;
  m_.etcd_waited_for = true;
  start_api_server();
  check_boot_over();
}

Remark Node::Impl::health_remark() const {
  if (m_.etcd_health == Health::unknown) return Remark::started;
  if (m_.etcd_health == Health::good) return Remark::healthy;
  const EtcdCluster::Member* member = own_member();
  return member != nullptr && member->learner ? Remark::learning : Remark::unhealthy;
}

void Node::Impl::leave_etcd() {
  EtcdCluster* cluster = own_cluster();
  if (!etcd_running() || cluster == nullptr || !cluster->has_quorum()) return;
  if (cluster->members.size() < 2) return;
  m_.etcd = Etcd::off;
  cluster->remove(disk_.etcd_member);
}

void Node::Impl::raise_alarm(EtcdAlarmKind kind) {
  EtcdCluster* cluster = own_cluster();
  if (cluster == nullptr || own_member() == nullptr) return;
  const Entry entry(*this);
  cluster->raise_alarm(disk_.etcd_member, kind);
  fabric_.changed();
}

}  // namespace ichor::sim
