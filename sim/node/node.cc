#include "sim/node/node.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "sim/node/node_impl.h"

namespace ichor::sim {

Node::Node(Clock& clock, Random& random, Fabric& fabric, ConfigJudge& judge, NodeSpec spec,
           NodeDisk disk)
    : impl_(
          std::make_unique<Impl>(clock, random, fabric, judge, std::move(spec), std::move(disk))) {
  fabric.attach(*this);
}

Node::~Node() { impl_->fabric_.detach(*this); }

Node::Impl::Impl(Clock& clock, Random& random, Fabric& fabric, ConfigJudge& judge, NodeSpec spec,
                 NodeDisk disk)
    : clock_(clock),
      random_(random),
      fabric_(fabric),
      judge_(judge),
      spec_(std::move(spec)),
      first_personality_(spec_.personality),
      disk_(std::move(disk)),
      log_(spec_.record_events) {
  due_.fill(kNever);
}

Node::Impl::~Impl() {
  disarm_all();
  set_member_up(false);
}

void Node::Impl::arm(Timer timer, Duration delay) {
  disarm(timer);
  const std::size_t i = index(timer);
  due_[i] = now() + std::max(delay, Duration{});
  // Two words of captures fit into std::function without an allocation.
  calls_[i] = clock_.call_at(due_[i], [this, timer] { fire(timer); });
}

void Node::Impl::arm_once(Timer timer, Duration delay) {
  if (!armed(timer)) arm(timer, delay);
}

void Node::Impl::disarm(Timer timer) {
  const std::size_t i = index(timer);
  if (due_[i] == kNever) return;
  clock_.cancel(calls_[i]);
  due_[i] = kNever;
}

void Node::Impl::disarm_all() {
  for (std::size_t i = 0; i < kTimers; ++i) disarm(static_cast<Timer>(i));
}

void Node::Impl::fire(Timer timer) {
  check(m_.powered, "a callback outlived the power cut");
  check(!frozen_, "a frozen node moved");
  const Entry entry(*this);
  due_[index(timer)] = kNever;
  switch (timer) {
    case Timer::boot: on_api_time(); break;
    case Timer::switch_over: on_switch_over(); break;
    case Timer::port: on_port_open(); break;
    case Timer::install: on_install_over(); break;
    case Timer::down: on_down(); break;
    case Timer::time_sync: on_time_sync(); break;
    case Timer::certificate: on_certificate(); break;
    case Timer::cri: on_cri(); break;
    case Timer::kubelet: on_kubelet(); break;
    case Timer::kubelet_health: on_kubelet_probe(); break;
    case Timer::etcd_prepare: on_etcd_prepared(); break;
    case Timer::etcd_health: on_etcd_probe(); break;
    case Timer::join: on_join(); break;
    case Timer::join_limit: on_join_limit(); break;
    case Timer::promote: on_promote(); break;
    case Timer::api_server: on_api_server(); break;
    case Timer::node_register: on_registered(); break;
    case Timer::node_ready: m_.node_object = NodeObject::ready; break;
    case Timer::boot_limit:
      fatal(SequenceName::boot,
            "sequence failed: error running phase 9 in boot sequence: task 1/1: failed, context "
            "deadline exceeded");
      break;
    case Timer::rollback: on_rollback(); break;
    case Timer::installer: on_installer_over(); break;
  }
}

void Node::Impl::fabric_changed() {
  if (!m_.boot_sequence && !m_.waits_for_certificate) return;
  if (frozen_) return;
  const Entry entry(*this);
  ask_for_certificate();
  look_for_cluster();
  check_membership();
  follow_registration();
}

void Node::power_on() { impl_->power_on(); }
void Node::power_off() { impl_->power_off(); }
bool Node::powered() const { return impl_->m_.powered; }
Listener Node::listener() const { return impl_->listener(); }
IpAddress Node::address() const { return impl_->address(); }
Fingerprint Node::fingerprint() const { return impl_->fingerprint(); }

Digest Node::operating_system_ca() const {
  return impl_->m_.apid_up ? impl_->m_.facts->os_ca : Digest{};
}

const NodeSpec& Node::spec() const { return impl_->spec_; }
const NodeDisk& Node::disk() const { return impl_->disk_; }
std::uint64_t Node::disk_revision() const { return impl_->disk_revision_; }
NodeName Node::hostname() const { return impl_->hostname(); }
Stage Node::stage() const { return impl_->m_.stage; }
BootId Node::boot_id() const { return impl_->boot_id(); }
const ConfigFacts* Node::facts() const { return impl_->m_.facts; }

Answer<void> Node::admit(const Caller& caller, std::string_view service, std::string_view method,
                         Need need) const {
  return impl_->admit(caller, service, method, need);
}

std::vector<NodeEvent> Node::events(std::uint64_t after_id) const {
  return impl_->log_.read(after_id, impl_->hostname(), impl_->address());
}

bool Node::api_server_ready() const { return impl_->api_server_ready(); }
bool Node::kubelet_running() const { return impl_->m_.kubelet_up && !impl_->frozen_; }
bool Node::node_registered() const {
  return kubelet_running() && impl_->m_.node_object != Impl::NodeObject::none;
}
bool Node::node_ready() const {
  return kubelet_running() && impl_->m_.node_object == Impl::NodeObject::ready;
}
bool Node::trustd_running() const { return impl_->trustd_running(); }

Node::Subscription Node::subscribe(std::function<void()> on_change) {
  return impl_->subscribe(std::move(on_change));
}

void Node::unsubscribe(Subscription id) { impl_->unsubscribe(id); }

void Node::count_streams(int delta) {
  impl_->open_streams_ += delta;
  check(impl_->open_streams_ >= 0, "more streams closed than opened");
}

void Node::fail_install_pull(bool failing) { impl_->fail_install_pull(failing); }
void Node::hold_time_sync(bool holding) { impl_->hold_time_sync(holding); }
void Node::replace_maintenance_key() { impl_->replace_maintenance_key(); }
void Node::freeze(bool frozen) { impl_->freeze(frozen); }
void Node::resume_learner() { impl_->learner_resumes_ = true; }
void Node::hold_learner(bool holding) { impl_->learner_held_ = holding; }
void Node::raise_alarm(EtcdAlarmKind kind) { impl_->raise_alarm(kind); }
void Node::hold_apply(bool holding) { impl_->apply_held_ = holding; }
void Node::kill_disk() { impl_->kill_disk(); }
bool Node::frozen() const { return impl_->frozen_; }

void Node::fabric_changed() { impl_->fabric_changed(); }

}  // namespace ichor::sim
