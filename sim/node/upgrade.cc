// Boot slots: images that are pulled, installed, booted, confirmed, and fallen back from.

#include <utility>

#include "sim/node/node_impl.h"

namespace ichor::sim {

namespace {

constexpr std::string_view kMachine = "machine.MachineService";
constexpr int kNoSpace = 1;

tl::unexpected<Refusal> refuse(Code code, std::string text) {
  return tl::unexpected(Refusal{code, std::move(text)});
}

}  // namespace

bool Node::Impl::may_install(const std::string& image, Refusal& refusal) const {
  if (container()) {
    refusal = {Code::failed_precondition, "method is not supported in container mode"};
  } else if (!disk_.installed) {
    refusal = {Code::failed_precondition, "machine is not installed"};
  } else if (armed(Timer::installer) || armed(Timer::down)) {
    refusal = {Code::failed_precondition, "another installation/upgrade is already in progress"};
  } else if (image_missing_ || !slot_of(image)) {
    refusal = {Code::unknown, "error validating installer image \"" + image +
                                  "\": failed to pull image: not found"};
  } else {
    return true;
  }
  return false;
}

bool Node::Impl::write_slot() {
  if (installer_failing_) return false;
  NodeDisk& disk = change_disk();
  disk.other = slot_of(m_.image);
  disk.other->boots = !image_broken_;
  disk.has_other = disk.boots_other = disk.upgrade_mark = true;
  return true;
}

void Node::Impl::on_installer_over() {
  m_.installer_exit = write_slot() ? 0 : kNoSpace;
  note_change();
}

void Node::Impl::choose_slot() {
  if (disk_.boots_other) {
    NodeDisk& disk = change_disk();
    std::swap(disk.booted, disk.other);
    disk.boots_other = false;
  }
  spec_.version.reset();
  spec_.personality = first_personality_;
  if (!disk_.booted) return;
  spec_.version = disk_.booted->version;
  spec_.personality = nearest_personality(disk_.booted->version);
}

void Node::Impl::fall_back() {
  NodeDisk& disk = change_disk();
  disk.boots_other = true;
  disk.upgrade_mark = false;
  lose_memory();
  m_.powered = true;
  begin_boot();
}

void Node::Impl::confirm_slot() {
  if (!disk_.upgrade_mark || disk_.boots_other || m_.stage != Stage::running) return;
  StatusBrief ready;
  ready.stage = Stage::running;
  if (brief() != ready) return;
  change_disk().upgrade_mark = false;
  note_change();
}

Answer<UpgradeView> Node::upgrade_state(const Caller& caller) const {
  constexpr std::string_view kState = "cosi.resource.State";
  if (auto gate = impl_->admit(caller, kState, "Get", Need::reader); !gate) {
    return forward_error(gate);
  }
  UpgradeView seen;
  seen.pending = impl_->disk_.upgrade_mark;
  if (impl_->disk_.booted) seen.schematic = impl_->disk_.booted->schematic;
  return seen;
}

std::optional<int> Node::installer_exit(std::uint64_t number) const {
  return impl_->m_.installer == number ? impl_->m_.installer_exit : std::nullopt;
}

Answer<void> Node::pull_image(const Caller& caller, const std::string& image) {
  if (auto gate = impl_->admit(caller, kMachine, "ImagePull", Need::admin); !gate) return gate;
  if (!impl_->m_.cri_up) return refuse(Code::unavailable, "containerd is not running yet");
  if (impl_->image_missing_ || !slot_of(image)) {
    return refuse(Code::not_found, "failed to pull image \"" + image + "\": not found");
  }
  return {};
}

Answer<void> Node::upgrade(const Caller& caller, const std::string& image) {
  if (auto gate = impl_->admit(caller, kMachine, "Upgrade", Need::admin); !gate) return gate;
  Refusal refusal;
  if (!impl_->may_install(image, refusal)) return tl::unexpected(std::move(refusal));
  const Impl::Entry entry(*impl_);
  impl_->m_.image = image;
  impl_->leave(SequenceName::upgrade, true);
  return {};
}

Answer<std::uint64_t> Node::start_installer(const Caller& caller, const std::string& image) {
  constexpr std::string_view kLifecycle = "machine.LifecycleService";
  if (impl_->old()) {
    return refuse(Code::unimplemented, "unknown service machine.LifecycleService");
  }
  if (auto gate = impl_->admit(caller, kLifecycle, "Upgrade", Need::admin); !gate) {
    return forward_error(gate);
  }
  Refusal refusal;
  if (!impl_->may_install(image, refusal)) return tl::unexpected(std::move(refusal));
  const Impl::Entry entry(*impl_);
  impl_->m_.image = image;
  impl_->m_.installer = ++impl_->installers_;
  impl_->m_.installer_exit.reset();
  impl_->arm(Impl::Timer::installer, impl_->spec_.durations.upgrade);
  return impl_->m_.installer;
}

Answer<void> Node::rollback(const Caller& caller) {
  if (auto gate = impl_->admit(caller, kMachine, "Rollback", Need::admin); !gate) return gate;
  if (impl_->container()) {
    return refuse(Code::failed_precondition, "method is not supported in container mode");
  }
  if (!impl_->disk_.has_other) {
    return refuse(Code::unknown, "no previous installation to roll back to");
  }
  const Impl::Entry entry(*impl_);
  NodeDisk& disk = impl_->change_disk();
  // What is installed and not booted is called off by booting what runs now.
  disk.boots_other = !disk.boots_other;
  disk.upgrade_mark = false;
  impl_->leave(SequenceName::reboot, true);
  return {};
}

void Node::miss_image(bool missing) { impl_->image_missing_ = missing; }
void Node::fail_installer(bool failing) { impl_->installer_failing_ = failing; }
void Node::break_image(bool broken) { impl_->image_broken_ = broken; }

}  // namespace ichor::sim
