#include "sim/node/node_impl.h"

namespace ichor::sim {

void Node::Impl::on_kubelet() {
  m_.kubelet_up = true;
  say_started(Service::kubelet, Remark::started);
  arm(Timer::kubelet_health, spec_.durations.kubelet_healthy);
  start_api_server();
  follow_registration();
}

void Node::Impl::on_kubelet_probe() {
  m_.kubelet_healthy = true;
  say(Service::kubelet, ServiceState::running, Remark::healthy);
  check_boot_over();
}

void Node::Impl::start_api_server() {
  const bool possible = control_plane() && m_.kubelet_up && m_.etcd_health == Health::good;
  if (!possible || m_.api_server_started) return;
  arm_once(Timer::api_server, spec_.durations.api_server_start);
}

void Node::Impl::on_api_server() {
  m_.api_server_started = true;
  note_change();
  fabric_.changed();
}

bool Node::Impl::api_server_ready() const {
  if (!m_.api_server_started || frozen_) return false;
  const EtcdCluster::Member* member = own_member();
  return member != nullptr && !member->learner && own_cluster()->has_quorum();
}

void Node::Impl::follow_registration() {
  if (!m_.kubelet_up || m_.facts == nullptr) return;
  const bool reachable = fabric_.api_server_reachable(m_.facts->secrets);
  if (m_.node_object == NodeObject::none) {
    if (reachable) {
      arm_once(Timer::node_register, spec_.durations.node_register);
    } else {
      disarm(Timer::node_register);
    }
  } else if (m_.node_object == NodeObject::registered) {
    // Without a CNI, which control planes or the operator install later, the kubelet never
    // reports Ready.
    const bool by_talos = !m_.facts->cni_none && !fabric_.without_cni(m_.facts->secrets);
    if (reachable && (by_talos || fabric_.network_on(spec_.name))) {
      arm_once(Timer::node_ready, spec_.durations.node_ready);
    } else {
      disarm(Timer::node_ready);
    }
  }
}

void Node::Impl::on_registered() {
  m_.node_object = NodeObject::registered;
  if (!disk_.kubelet_registered) change_disk().kubelet_registered = true;
  follow_registration();
}

}  // namespace ichor::sim
