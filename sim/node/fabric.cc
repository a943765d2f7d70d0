#include "sim/node/fabric.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sim/node/node.h"

namespace ichor::sim {

int EtcdCluster::voters() const {
  return static_cast<int>(
      std::count_if(members.begin(), members.end(), [](const Member& m) { return !m.learner; }));
}

int EtcdCluster::voters_up() const {
  return static_cast<int>(std::count_if(members.begin(), members.end(),
                                        [](const Member& m) { return !m.learner && m.up; }));
}

bool EtcdCluster::has_learner() const {
  return std::any_of(members.begin(), members.end(), [](const Member& m) { return m.learner; });
}

EtcdCluster::Member* EtcdCluster::find(EtcdMemberId member) {
  return const_cast<Member*>(std::as_const(*this).find(member));
}

const EtcdCluster::Member* EtcdCluster::find(EtcdMemberId member) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.id == member; });
  return found == members.end() ? nullptr : &*found;
}

void EtcdCluster::set_up(EtcdMemberId member, bool up) {
  Member* found = find(member);
  if (found == nullptr || found->up == up) return;
  found->up = up;
  settle();
}

void EtcdCluster::promote(EtcdMemberId member) {
  Member* found = find(member);
  check(found != nullptr, "promotion of a stranger");
  check(found->learner, "promotion of a voter");
  found->learner = false;
  settle();
}

void EtcdCluster::raise_alarm(EtcdMemberId member, EtcdAlarmKind kind) {
  const bool raised = std::any_of(alarms.begin(), alarms.end(), [&](const EtcdAlarm& alarm) {
    return alarm.member == member && alarm.kind == kind;
  });
  if (raised) return;
  alarms.push_back(EtcdAlarm{member, kind});
  settle();
}

bool EtcdCluster::remove(EtcdMemberId member) {
  if (std::erase_if(members, [&](const Member& m) { return m.id == member; }) == 0) return false;
  std::erase_if(alarms, [&](const EtcdAlarm& alarm) { return alarm.member == member; });
  settle();
  return true;
}

void EtcdCluster::settle() {
  ++revision;
  ++raft_index;
  if (!has_quorum()) {
    elected = EtcdMemberId();
    return;
  }
  const Member* leading = find(elected);
  if (leading != nullptr && leading->up && !leading->learner) return;
  const auto next = std::find_if(members.begin(), members.end(),
                                 [](const Member& m) { return m.up && !m.learner; });
  check(next != members.end(), "quorum without a voter that is up");
  elected = next->id;
}

EtcdCluster& Fabric::create_cluster(const Digest& secrets, const NodeName& name) {
  auto cluster = std::make_unique<EtcdCluster>();
  cluster->id = random_.next() | 1u;
  cluster->secrets = secrets;
  cluster->members.reserve(5);
  cluster->members.push_back({EtcdMemberId(random_.next() | 1u), name, false, false});
  ++effects_;
  clusters_.push_back(std::move(cluster));
  return *clusters_.back();
}

EtcdCluster& Fabric::restore_cluster(EtcdCluster cluster) {
  for (EtcdCluster::Member& member : cluster.members) member.up = false;
  cluster.settle();
  clusters_.push_back(std::make_unique<EtcdCluster>(std::move(cluster)));
  return *clusters_.back();
}

EtcdCluster* Fabric::find_cluster(std::uint64_t id) {
  return const_cast<EtcdCluster*>(std::as_const(*this).find_cluster(id));
}

const EtcdCluster* Fabric::find_cluster(std::uint64_t id) const {
  for (const auto& cluster : clusters_) {
    if (cluster->id == id) return cluster.get();
  }
  return nullptr;
}

EtcdCluster* Fabric::joinable(const Digest& secrets) {
  for (const auto& cluster : clusters_) {
    if (cluster->secrets == secrets && cluster->has_quorum()) return cluster.get();
  }
  return nullptr;
}

EtcdCluster::Member* Fabric::add_learner(EtcdCluster& cluster, const NodeName& name) {
  if (!cluster.has_quorum()) return nullptr;
  const auto same = std::find_if(cluster.members.begin(), cluster.members.end(),
                                 [&](const auto& member) { return member.name == name; });
  if (same != cluster.members.end()) cluster.remove(same->id);
  if (cluster.has_learner() || !cluster.has_quorum()) return nullptr;
  cluster.members.push_back({EtcdMemberId(random_.next() | 1u), name, true, false});
  cluster.settle();
  return &cluster.members.back();
}

void Fabric::attach(Node& node) { nodes_.push_back(&node); }

void Fabric::detach(Node& node) { std::erase(nodes_, &node); }

bool Fabric::api_server_reachable(const Digest& secrets) const {
  const Offer* offer = offer_for(secrets);
  return offer != nullptr && offer->api_server;
}

bool Fabric::trustd_reachable(const Digest& secrets) const {
  const Offer* offer = offer_for(secrets);
  return offer != nullptr && offer->trustd;
}

bool Fabric::without_cni(const Digest& secrets) const {
  const Offer* offer = offer_for(secrets);
  return offer != nullptr && offer->no_cni;
}

void Fabric::give_network(const NodeName& node, bool there) {
  std::erase(with_network_, node);
  if (there) with_network_.push_back(node);
}

bool Fabric::network_on(const NodeName& node) const {
  return std::find(with_network_.begin(), with_network_.end(), node) != with_network_.end();
}

void Fabric::changed() {
  look_around();
  // By index: a subscriber of a node may attach or detach others.
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->fabric_changed();
}

const Fabric::Offer* Fabric::offer_for(const Digest& secrets) const {
  for (const Offer& offer : offers_) {
    if (offer.secrets == secrets) return &offer;
  }
  return nullptr;
}

void Fabric::look_around() {
  offers_.clear();
  for (const Node* node : nodes_) {
    const bool api_server = node->api_server_ready();
    const bool trustd = node->trustd_running();
    if (!api_server && !trustd) continue;
    const Digest& secrets = node->facts()->secrets;
    auto* offer = const_cast<Offer*>(offer_for(secrets));
    if (offer == nullptr) offer = &offers_.emplace_back(Offer{secrets, false, false, false});
    offer->api_server |= api_server;
    offer->trustd |= trustd;
    offer->no_cni |= api_server && node->facts()->cni_none;
  }
}

}  // namespace ichor::sim
