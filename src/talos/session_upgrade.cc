// The calls of an upgrade: images, installs, reboots.

#include <algorithm>
#include <fmt/format.h>

#include "base/clean_text.h"
#include "talos/resources.h"
#include "talos/rpc.h"
#include "talos/session.h"

namespace ichor {

namespace {

/// The key of META that the installer sets, and that Talos removes when it runs and is ready.
constexpr const char* kUpgradeMark = "0x06";
/// A line per layer and second, or per line of the installer.
constexpr StreamLimits kProgressLimits{.messages_max = 1u << 16};
constexpr std::size_t kLineMax = 300;

/// The containerd namespace in which the kubelet looks for images of pods.
common::ContainerdInstance containerd_of_pods() {
  common::ContainerdInstance instance;
  instance.set_driver(common::CRI);
  instance.set_namespace_(common::NS_CRI);
  return instance;
}

/// The containerd that keeps its images on the disk: talosctl's default. An install must name the
/// same one as the pull before it.
common::ContainerdInstance containerd_on_disk() {
  common::ContainerdInstance instance;
  instance.set_driver(common::CRI);
  instance.set_namespace_(common::NS_SYSTEM);
  return instance;
}

/// A failed install ends with status OK and an exit code. Without one the end was not heard, and
/// the installer goes on without us.
Outcome end_of_install(const std::vector<machine::LifecycleServiceUpgradeResponse>& messages) {
  std::string said;
  for (const auto& message : messages) {
    const machine::InstallProgress& progress = message.progress();
    if (progress.progress_case() == machine::InstallProgress::kMessage) {
      said = clean_text(progress.message(), kLineMax);
    }
    if (progress.progress_case() != machine::InstallProgress::kExitCode) continue;
    if (progress.exit_code() == 0) return Outcome::done();
    CallError error =
        bad_reply(Call::upgrade, fmt::format("the installer ended with exit code {}{}{}",
                                             progress.exit_code(), said.empty() ? "" : ": ", said));
    error.fault = "U4";
    return Outcome::failed(std::move(error));
  }
  return Outcome::failed({Call::upgrade, Progress::sent, TlsVerdict::fine, Code::unavailable,
                          "the node did not say how the install ended"});
}

}  // namespace

Task<CallResult<UpgradeView>> GrpcSession::upgrade_state(Context context) {
  UpgradeView seen;
  auto mark = co_await get_spec<spec::MetaKey>(context, connection_, Call::upgrade_state, "runtime",
                                               "MetaKeys.runtime.talos.dev", kUpgradeMark);
  if (!mark) co_return forward_error(mark);
  seen.pending = mark->has_value();
  auto extensions = co_await list_specs<spec::Extension>(
      context, connection_, Call::upgrade_state, "runtime", "ExtensionStatuses.runtime.talos.dev");
  if (!extensions) co_return forward_error(extensions);
  for (const auto& extension : *extensions) {
    const spec::ExtensionMetadata& metadata = extension.spec.metadata();
    if (metadata.name() == "schematic") {
      seen.schematic = clean_text(metadata.version(), 64);
    } else {
      seen.extensions.push_back(clean_text(metadata.name(), 128));
    }
  }
  std::sort(seen.extensions.begin(), seen.extensions.end());
  co_return seen;
}

Task<Outcome> GrpcSession::pull_image(Context context, UpgradeRequest request) {
  if (!request.lifecycle) {
    machine::ImagePullRequest message;
    message.set_namespace_(request.for_pods ? common::NS_CRI : common::NS_SYSTEM);
    message.set_reference(request.image);
    const auto reply = co_await unary(context, connection_, Call::pull_image, method::kImagePull,
                                      std::move(message));
    co_return outcome_of(Call::pull_image, reply);
  }
  machine::ImageServicePullRequest message;
  *message.mutable_containerd() = request.for_pods ? containerd_of_pods() : containerd_on_disk();
  message.set_image_ref(request.image);
  const auto progress = co_await collect(context, connection_, Call::pull_image,
                                         method::kImageServicePull, message, kProgressLimits);
  if (!progress) co_return Outcome::failed(progress.error());
  const bool named = !progress->empty() && !progress->back().name().empty();
  if (named) co_return Outcome::done();
  co_return Outcome::failed(bad_reply(Call::pull_image, "the node did not name the image"));
}

Task<Outcome> GrpcSession::upgrade(Context context, UpgradeRequest request) {
  if (!request.lifecycle) {
    machine::UpgradeRequest message;
    message.set_image(request.image);
    // Without it, etcd is left and EPHEMERAL is wiped.
    message.set_preserve(true);
    const auto reply =
        co_await unary(context, connection_, Call::upgrade, method::kUpgrade, std::move(message));
    co_return outcome_of(Call::upgrade, reply);
  }
  machine::LifecycleServiceUpgradeRequest message;
  *message.mutable_containerd() = containerd_on_disk();
  message.mutable_source()->set_image_name(request.image);
  const auto messages = co_await collect(context, connection_, Call::upgrade,
                                         method::kLifecycleUpgrade, message, kProgressLimits);
  if (!messages) co_return Outcome::failed(messages.error());
  co_return end_of_install(*messages);
}

Task<Outcome> GrpcSession::reboot(Context context) {
  const auto reply =
      co_await unary(context, connection_, Call::reboot, method::kReboot, machine::RebootRequest());
  co_return outcome_of(Call::reboot, reply);
}

}  // namespace ichor
