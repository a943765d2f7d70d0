#include "talos/session.h"

#include <algorithm>
#include <fmt/format.h>
#include <string.h>
#include <utility>

#include "base/check.h"
#include "base/clean_text.h"
#include "talos/decode.h"
#include "talos/event_line.h"
#include "talos/kubeconfig_archive.h"
#include "talos/resources.h"
#include "talos/rpc.h"
#include "talos/watch_streams.h"

namespace ichor {

namespace {

using google::protobuf::Empty;

constexpr std::size_t kConfigBytesMax = 4u << 20;
/// Services of one node; a Talos node has a dozen.
constexpr int kItemsMax = 1'000;

/// The node itself said no, with `code`.
bool said(const CallError& error, Code code) {
  return error.progress == Progress::answered && error.code == code;
}

/// The call is not for this node: it does not serve it, or not to us.
bool not_served(const CallError& error) {
  return said(error, Code::unimplemented) || said(error, Code::permission_denied) ||
         said(error, Code::not_found);
}

/// The bytes of a data stream in one piece.
CallResult<std::string> joined(Call call, CallResult<std::vector<common::Data>> pieces) {
  if (!pieces) return forward_error(pieces);
  std::string bytes;
  for (const common::Data& piece : *pieces) {
    if (auto error = item_error(call, piece)) return tl::unexpected(*error);
    bytes += piece.bytes();
  }
  return bytes;
}

void wipe(std::string& bytes) { explicit_bzero(bytes.data(), bytes.size()); }

}  // namespace

GrpcSession::GrpcSession(Peer peer, std::shared_ptr<Connection> connection, CanonicalDigest digest)
    : peer_(std::move(peer)), connection_(std::move(connection)), digest_(std::move(digest)) {}

Task<CallResult<std::string>> GrpcSession::version_tag(Context context) {
  // The resource is there in maintenance mode too, where older versions do not serve the call.
  auto spec = co_await get_spec<spec::Version>(context, connection_, Call::version, "runtime",
                                               "Versions.runtime.talos.dev", "version");
  if (spec && *spec) co_return (*spec)->version();
  if (!spec && !not_served(spec.error())) co_return forward_error(spec);
  auto reply = co_await unary(context, connection_, Call::version, method::kVersion, Empty());
  auto item = only_item(Call::version, std::move(reply));
  if (!item) co_return forward_error(item);
  co_return item->version().tag();
}

Task<CallResult<TalosVersion>> GrpcSession::version(Context context) {
  auto tag = co_await version_tag(context);
  if (!tag) co_return forward_error(tag);
  const auto version = version_from(*tag);
  if (!version) co_return tl::unexpected(bad_reply(Call::version, "no version: " + *tag));
  co_return *version;
}

Task<CallResult<MachineStatus>> GrpcSession::machine_status(Context context) {
  auto spec =
      co_await get_spec<spec::MachineStatus>(context, connection_, Call::machine_status, "runtime",
                                             "MachineStatuses.runtime.talos.dev", "machine");
  if (!spec) co_return forward_error(spec);
  // It appears a moment after the API does.
  if (!*spec) co_return MachineStatus();
  MachineStatus status = machine_status_from(**spec);
  if (peer_.mode == PeerMode::maintenance || status.stage != Stage::booting) co_return status;
  // Talos 1.14 installs itself while it boots; earlier ones do not know the resource.
  auto install = co_await get_spec<spec::UnattendedInstallStatus>(
      context, connection_, Call::machine_status, "runtime",
      "UnattendedInstallStatuses.runtime.talos.dev", "unattended-install");
  if (!install && !not_served(install.error())) co_return forward_error(install);
  if (install && *install) status.install = install_from(**install);
  co_return status;
}

Task<CallResult<BootId>> GrpcSession::boot_id(Context context) {
  machine::ReadRequest request;
  request.set_path("/proc/sys/kernel/random/boot_id");
  auto pieces = co_await collect(context, connection_, Call::identity, method::kRead, request);
  auto bytes = joined(Call::identity, std::move(pieces));
  if (!bytes && not_served(bytes.error())) co_return BootId();
  if (!bytes) co_return forward_error(bytes);
  std::string text = clean_text(*bytes, 64);
  text.erase(text.find_last_not_of(' ') + 1);
  co_return BootId(std::move(text));
}

Task<CallResult<Identity>> GrpcSession::identity(Context context) {
  const std::string kind = "SystemInformations.hardware.talos.dev";
  auto links = co_await list_specs<spec::LinkStatus>(context, connection_, Call::identity,
                                                     "network", "LinkStatuses.net.talos.dev");
  if (!links) co_return forward_error(links);
  auto system = co_await get_resource(context, connection_, Call::identity, "hardware", kind,
                                      "systeminformation");
  if (!system) co_return forward_error(system);
  Identity identity;
  if (*system) {
    const auto spec = spec_of<spec::SystemInformation>(**system);
    if (!spec) co_return tl::unexpected(bad_reply(Call::identity, kind + " cannot be decoded"));
    identity = identity_from(*spec);
  }
  if (!*system) {
    // A container has no such resource; this one is there from the start of its boot as well.
    system = co_await get_resource(context, connection_, Call::identity, "runtime",
                                   "MachineStatuses.runtime.talos.dev", "machine");
    if (!system) co_return forward_error(system);
  }
  if (*system) identity.since = since_from((*system)->metadata());
  identity.macs = macs_from(*links);
  if (peer_.mode == PeerMode::configured) {
    auto boot = co_await boot_id(context);
    if (!boot) co_return forward_error(boot);
    identity.boot_id = *std::move(boot);
  }
  co_return identity;
}

Task<CallResult<void>> GrpcSession::read_extras(Context context, Sighting& seen) {
  auto links = co_await list_specs<spec::LinkStatus>(context, connection_, Call::identity,
                                                     "network", "LinkStatuses.net.talos.dev");
  if (!links) co_return forward_error(links);
  seen.links = links_from(*links);
  auto extensions = co_await list_specs<spec::Extension>(
      context, connection_, Call::hardware, "runtime", "ExtensionStatuses.runtime.talos.dev");
  if (!extensions) co_return forward_error(extensions);
  for (const auto& extension : *extensions) {
    const spec::ExtensionMetadata& metadata = extension.spec.metadata();
    if (metadata.name() == "schematic") seen.schematic = clean_text(metadata.version(), 64);
  }
  co_return CallResult<void>();
}

Task<CallResult<std::vector<Disk>>> GrpcSession::disks(Context context) {
  auto disks = co_await list_specs<spec::Disk>(context, connection_, Call::disks, "runtime",
                                               "Disks.block.talos.dev");
  if (!disks) co_return forward_error(disks);
  auto volumes = co_await list_specs<spec::DiscoveredVolume>(
      context, connection_, Call::disks, "runtime", "DiscoveredVolumes.block.talos.dev");
  if (!volumes) co_return forward_error(volumes);
  auto system = co_await get_spec<spec::SystemDisk>(context, connection_, Call::disks, "runtime",
                                                    "SystemDisks.block.talos.dev", "system-disk");
  if (!system) co_return forward_error(system);
  co_return disks_from(*disks, *volumes, *system);
}

Task<CallResult<std::vector<ServiceStatus>>> GrpcSession::services(Context context) {
  auto reply = co_await unary(context, connection_, Call::services, method::kServiceList, Empty());
  auto item = only_item(Call::services, std::move(reply));
  if (!item) co_return forward_error(item);
  if (item->services_size() > kItemsMax) {
    co_return tl::unexpected(bad_reply(Call::services, "more than 1000 services"));
  }
  std::vector<ServiceStatus> services;
  for (const auto& info : item->services()) services.push_back(service_from(info));
  co_return services;
}

Task<CallResult<bool>> GrpcSession::time_synced(Context context) {
  auto spec =
      co_await get_spec<spec::TimeStatus>(context, connection_, Call::time_status, "runtime",
                                          "TimeStatuses.v1alpha1.talos.dev", "node");
  if (!spec) co_return forward_error(spec);
  co_return *spec && (*spec)->synced();
}

Task<CallResult<std::optional<std::string>>> GrpcSession::read_config(Context context, Call call) {
  // In maintenance mode there is none, and the call is not allowed.
  if (peer_.mode == PeerMode::maintenance) co_return std::optional<std::string>();
  auto spec = co_await get_spec<spec::MachineConfig>(context, connection_, call, "config",
                                                     "MachineConfigs.config.talos.dev", "v1alpha1",
                                                     method::kGetConfig);
  if (!spec) co_return forward_error(spec);
  if (!*spec) co_return std::optional<std::string>();
  std::string& yaml = *(*spec)->mutable_yaml_marshalled();
  if (yaml.size() > kConfigBytesMax) {
    co_return tl::unexpected(bad_reply(call, "a config of more than 4 MiB"));
  }
  co_return std::optional(std::move(yaml));
}

Task<CallResult<std::optional<Digest>>> GrpcSession::config_digest(Context context) {
  auto yaml = co_await read_config(context, Call::config_digest);
  if (!yaml) co_return forward_error(yaml);
  if (!*yaml) co_return std::optional<Digest>();
  const Digest digest = digest_(**yaml);
  wipe(**yaml);
  co_return std::optional(digest);
}

Task<CallResult<std::optional<SecretString>>> GrpcSession::machine_config(Context context) {
  auto yaml = co_await read_config(context, Call::machine_config);
  if (!yaml) co_return forward_error(yaml);
  if (!*yaml) co_return std::optional<SecretString>();
  co_return std::optional(SecretString(**std::move(yaml)));
}

Task<CallResult<bool>> GrpcSession::etcd_has_data(Context context) {
  machine::ListRequest request;
  request.set_root("/var/lib/etcd");
  request.set_recurse(true);
  request.set_recursion_depth(1);
  auto files = co_await collect(context, connection_, Call::etcd_data, method::kList, request);
  constexpr std::string_view kAbsent = "no such file or directory";
  if (!files) {
    // Talos passes the error of lstat on without a code of its own.
    const CallError& error = files.error();
    const bool absent = said(error, Code::not_found) ||
                        (said(error, Code::unknown) && error.text.ends_with(kAbsent));
    if (absent) co_return false;
    co_return tl::unexpected(error);
  }
  bool found = false;
  for (const machine::FileInfo& file : *files) {
    if (auto error = item_error(Call::etcd_data, file)) co_return tl::unexpected(*error);
    // What cannot be read is there all the same, unless it is the directory itself.
    const bool is_root = file.relative_name() == "." || file.name() == request.root();
    if (!is_root) found = true;
    const bool unreadable = is_root && !file.error().empty();
    if (unreadable) co_return tl::unexpected(bad_reply(Call::etcd_data, file.error()));
  }
  co_return found;
}

Task<CallResult<SecretString>> GrpcSession::kubeconfig(Context context) {
  auto pieces =
      co_await collect(context, connection_, Call::kubeconfig, method::kKubeconfig, Empty());
  auto archive = joined(Call::kubeconfig, std::move(pieces));
  if (!archive) co_return forward_error(archive);
  auto kubeconfig = kubeconfig_from_archive(*archive);
  wipe(*archive);
  if (!kubeconfig) {
    CallError error = bad_reply(Call::kubeconfig, kubeconfig.error());
    error.fault = "A8";
    co_return tl::unexpected(std::move(error));
  }
  co_return *std::move(kubeconfig);
}

Task<CallResult<void>> GrpcSession::read_platform(Context context, Hardware& hardware) {
  // In maintenance mode the call is for administrators, and no caller is one there.
  if (peer_.mode == PeerMode::configured) {
    auto reply = co_await unary(context, connection_, Call::hardware, method::kVersion, Empty());
    auto item = only_item(Call::hardware, std::move(reply));
    if (item) {
      hardware.arch = clean_text(item->version().arch(), 32);
      hardware.container = item->platform().mode() == "container";
      co_return CallResult<void>();
    }
    if (!not_served(item.error())) co_return forward_error(item);
  }
  auto platform =
      co_await get_spec<spec::PlatformMetadata>(context, connection_, Call::hardware, "runtime",
                                                "PlatformMetadatas.talos.dev", "platformmetadata");
  if (!platform) co_return forward_error(platform);
  if (!*platform) {
    // It appears a moment after the API does, and a guess would be a judgement on disks.
    CallError error = bad_reply(Call::hardware, "the node does not know its platform yet");
    error.code = Code::unavailable;
    co_return tl::unexpected(std::move(error));
  }
  hardware.container = (*platform)->platform() == "container";
  co_return CallResult<void>();
}

Task<CallResult<void>> GrpcSession::read_memory(Context context, Hardware& hardware) {
  if (peer_.mode == PeerMode::configured) {
    auto reply = co_await unary(context, connection_, Call::hardware, method::kMemory, Empty());
    auto item = only_item(Call::hardware, std::move(reply));
    if (item) {
      if (item->meminfo().memtotal() > 0) hardware.memory_bytes = item->meminfo().memtotal() << 10;
      co_return CallResult<void>();
    }
    if (!not_served(item.error())) co_return forward_error(item);
  }
  // In maintenance mode there is only what SMBIOS tells; a container has nothing.
  auto modules = co_await list_specs<spec::MemoryModule>(
      context, connection_, Call::hardware, "hardware", "MemoryModules.hardware.talos.dev");
  if (!modules) co_return forward_error(modules);
  std::uint64_t total = 0;
  for (const auto& module : *modules) total += std::uint64_t{module.spec.size_mib()} << 20;
  if (total > 0) hardware.memory_bytes = total;
  co_return CallResult<void>();
}

Task<CallResult<Hardware>> GrpcSession::hardware(Context context) {
  Hardware hardware;
  auto platform = co_await read_platform(context, hardware);
  if (!platform) co_return forward_error(platform);
  auto memory = co_await read_memory(context, hardware);
  if (!memory) co_return forward_error(memory);
  auto security = co_await get_spec<spec::SecurityState>(
      context, connection_, Call::hardware, "runtime", "SecurityStates.talos.dev", "securitystate");
  if (!security && !not_served(security.error())) {
    co_return forward_error(security);
  }
  if (security && *security) hardware.secure_boot = (*security)->secure_boot();
  auto volume =
      co_await get_spec<spec::VolumeStatus>(context, connection_, Call::hardware, "runtime",
                                            "VolumeStatuses.block.talos.dev", "EPHEMERAL");
  if (!volume && !not_served(volume.error())) co_return forward_error(volume);
  if (volume && *volume && (*volume)->size() > 0) hardware.ephemeral_bytes = (*volume)->size();
  auto extensions = co_await list_specs<spec::Extension>(
      context, connection_, Call::hardware, "runtime", "ExtensionStatuses.runtime.talos.dev");
  if (!extensions && !not_served(extensions.error())) {
    co_return forward_error(extensions);
  }
  if (extensions) {
    for (const auto& extension : *extensions) {
      const spec::ExtensionMetadata& metadata = extension.spec.metadata();
      hardware.extensions.push_back(clean_text(metadata.name(), 128));
      if (metadata.name() == "schematic") hardware.schematic = clean_text(metadata.version(), 64);
    }
    std::sort(hardware.extensions.begin(), hardware.extensions.end());
  }
  co_return hardware;
}

Task<CallResult<std::vector<std::string>>> GrpcSession::dmesg(Context context, int lines) {
  // Every line is a message of its own, and a node that was up for long has many.
  constexpr StreamLimits limits{.messages_max = 1u << 16};
  auto pieces = co_await collect(context, connection_, Call::dmesg, method::kDmesg,
                                 machine::DmesgRequest(), limits);
  auto bytes = joined(Call::dmesg, std::move(pieces));
  if (!bytes) co_return forward_error(bytes);
  co_return last_lines(*bytes, lines);
}

Task<CallResult<std::vector<std::string>>> GrpcSession::events(Context context, int count) {
  check(count > 0, "some events are wanted");
  machine::EventsRequest request;
  request.set_tail_events(count);
  // The first message is a greeting.
  const StreamLimits limits{.enough = static_cast<std::size_t>(count) + 1};
  constexpr Duration kListenTime = std::chrono::seconds(2);
  auto events = co_await collect(context.within(kListenTime), connection_, Call::events,
                                 method::kEvents, request, limits);
  if (!events) co_return forward_error(events);
  std::vector<std::string> lines;
  for (const machine::Event& event : *events) {
    if (auto error = item_error(Call::events, event)) co_return tl::unexpected(*error);
    if (std::string line = event_line(event); !line.empty()) lines.push_back(std::move(line));
  }
  co_return lines;
}

Task<CallResult<std::unique_ptr<Watch>>> GrpcSession::watch(Context context, Bell& changed) {
  return open_watch(context, connection_, changed);
}

Task<Outcome> GrpcSession::apply_configuration(Context context, ApplyRequest request) {
  check(request.config != nullptr, "there is a config to apply");
  constexpr Call call = Call::apply_configuration;
  if (peer_.mode == PeerMode::maintenance) {
    // A stream that is open holds the switch to apid up.
    connection_->end_streams();
  }
  machine::ApplyConfigurationRequest message;
  message.set_data(std::string(request.config->bytes.reveal()));
  message.set_mode(request.no_reboot ? machine::ApplyConfigurationRequest::NO_REBOOT
                                     : machine::ApplyConfigurationRequest::AUTO);
  message.set_dry_run(request.dry_run);
  auto reply =
      co_await unary(context, connection_, call, method::kApplyConfiguration, std::move(message));
  if (!reply) co_return Outcome::failed(std::move(reply).error());
  std::vector<std::string> warnings;
  for (const auto& item : reply->messages()) {
    if (auto error = item_error(call, item)) co_return Outcome::failed(*error);
    // Kept for the next boot, or only on trial: the config is not in force, and may never be.
    const bool held_back = item.mode() == machine::ApplyConfigurationRequest::STAGED ||
                           item.mode() == machine::ApplyConfigurationRequest::TRY;
    if (held_back && !request.dry_run) {
      CallError error =
          bad_reply(call, "the node took the config in another mode than asked for: " +
                              clean_text(item.mode_details()));
      error.code = Code::aborted;
      error.fault = "A6";
      co_return Outcome::failed(std::move(error));
    }
    append_texts(warnings, item.warnings());
  }
  co_return Outcome::done(std::move(warnings));
}

Task<Outcome> GrpcSession::reset(Context context, ResetRequest request) {
  machine::ResetRequest message;
  message.set_graceful(request.graceful);
  message.set_reboot(request.reboot);
  for (const std::string& label : request.partitions) {
    auto& partition = *message.add_system_partitions_to_wipe();
    partition.set_label(label);
    partition.set_wipe(true);
  }
  for (const std::string& disk : request.user_disks) message.add_user_disks_to_wipe(disk);
  auto reply =
      co_await unary(context, connection_, Call::reset, method::kReset, std::move(message));
  if (!reply) co_return Outcome::failed(std::move(reply).error());
  for (const auto& item : reply->messages()) {
    if (auto error = item_error(Call::reset, item)) co_return Outcome::failed(*error);
  }
  co_return Outcome::done();
}

}  // namespace ichor
