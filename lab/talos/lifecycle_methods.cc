#include <algorithm>
#include <fmt/format.h>

#include "lab/talos/methods.h"
#include "lab/talos/port.h"
#include "lab/talos/state_watch.h"
#include "lab/talos/tar_gz.h"
#include "machine.pb.h"
#include "machineconfig/kubeconfig.h"
#include "secrets/issue.h"
#include "secrets/talosconfig.h"

namespace ichor::lab {

namespace {

using Kind = Method::Kind;
using Mode = sim::Node::ApplyMode;

void apply_configuration(Exchange& exchange, const machine::ApplyConfigurationRequest& request) {
  const auto applied = exchange.node().apply(exchange.caller(), request.data(),
                                             static_cast<Mode>(request.mode()), request.dry_run());
  if (!applied) {
    exchange.refuse(applied.error());
    return;
  }
  machine::ApplyConfigurationResponse response;
  machine::ApplyConfiguration& item = *response.add_messages();
  for (const std::string& warning : applied->warnings) item.add_warnings(warning);
  item.set_mode(static_cast<machine::ApplyConfigurationRequest::Mode>(applied->mode));
  item.set_mode_details(applied->mode_details);
  exchange.reply(response);
}

void bootstrap(Exchange& exchange, const machine::BootstrapRequest& request) {
  reply_to<machine::BootstrapResponse>(
      exchange, exchange.node().bootstrap(exchange.caller(), request.recover_etcd()));
}

template <class Response>
void reply_actor(Exchange& exchange, const std::string& actor, const sim::Answer<void>& answer) {
  if (!answer) {
    exchange.refuse(answer.error());
    return;
  }
  Response response;
  response.add_messages()->set_actor_id(actor);
  exchange.reply(response);
}

void reboot(Exchange& exchange) {
  const std::string actor = new_actor(exchange);
  reply_actor<machine::RebootResponse>(exchange, actor, exchange.node().reboot(exchange.caller()));
}

void shutdown(Exchange& exchange) {
  const std::string actor = new_actor(exchange);
  reply_actor<machine::ShutdownResponse>(exchange, actor,
                                         exchange.node().shutdown(exchange.caller()));
}

/// What machined finds wrong with the parameters before it starts the sequence; empty: nothing.
std::string unfit_for_mode(Exchange& exchange, const machine::ResetRequest& request) {
  using Reset = machine::ResetRequest;
  if (request.user_disks_to_wipe_size() > 0 && request.mode() == Reset::SYSTEM_DISK) {
    return "reset failed: invalid input, wipe mode SYSTEM_DISK doesn't support UserDisksToWipe "
           "parameter";
  }
  for (const std::string& device : request.user_disks_to_wipe()) {
    const std::vector<Disk>& disks = exchange.node().spec().disks;
    const auto disk = std::find_if(disks.begin(), disks.end(),
                                   [&](const Disk& one) { return one.dev_path == device; });
    const std::string failed = "reset user disk failed: device " + device;
    if (disk == disks.end()) return failed + " wasn't found";
    if (exchange.node().disk().install_disk == device) return failed + " is the system disk";
  }
  if (request.system_partitions_to_wipe_size() > 0 && request.mode() == Reset::USER_DISKS) {
    return "reset failed: invalid input, wipe mode USER_DISKS doesn't support "
           "SystemPartitionsToWipe parameter";
  }
  constexpr std::string_view kVolumes = "VolumeStatuses.block.talos.dev";
  const auto& volumes =
      current_resources(exchange.site(), exchange.machine(), *find_kind(kVolumes));
  const auto wiped = [&](std::string_view label) {
    const auto& parts = request.system_partitions_to_wipe();
    return std::any_of(parts.begin(), parts.end(), [&](const machine::ResetPartitionSpec& part) {
      return part.wipe() && part.label() == label;
    });
  };
  if (exchange.machine().typed() && wiped("ETCD") && !wiped("EPHEMERAL") &&
      !exchange.node().disk().etcd_volume) {
    return "failed to reset: volume \"ETCD\" resides on volume \"EPHEMERAL\", and therefore "
           "\"ETCD\" cannot be wiped without wiping \"EPHEMERAL\"";
  }
  for (const machine::ResetPartitionSpec& part : request.system_partitions_to_wipe()) {
    if (volumes.contains({"runtime", part.label()})) continue;
    return "failed to get volume status with label \"" + part.label() + "\": resource " +
           std::string(kVolumes) + "(runtime/" + part.label() + "@undefined) doesn't exist";
  }
  return {};
}

void reset(Exchange& exchange, const machine::ResetRequest& request) {
  if (const std::string unfit = unfit_for_mode(exchange, request); !unfit.empty()) {
    exchange.end(Code::unknown, unfit);
    return;
  }
  ResetRequest options;
  options.graceful = request.graceful();
  options.reboot = request.reboot();
  for (const auto& partition : request.system_partitions_to_wipe()) {
    if (partition.wipe()) options.partitions.push_back(partition.label());
  }
  for (const std::string& disk : request.user_disks_to_wipe()) options.user_disks.push_back(disk);
  const std::string actor = new_actor(exchange);
  reply_actor<machine::ResetResponse>(exchange, actor,
                                      exchange.node().reset(exchange.caller(), options));
}

void upgrade(Exchange& exchange, const machine::UpgradeRequest& request) {
  const std::string actor = new_actor(exchange);
  const auto accepted = exchange.machine().container()
                            ? exchange.node().reboot(exchange.caller())
                            : exchange.node().upgrade(exchange.caller(), request.image());
  if (!accepted) {
    exchange.refuse(accepted.error());
    return;
  }
  machine::UpgradeResponse response;
  machine::Upgrade& item = *response.add_messages();
  item.set_ack("Upgrade request received");
  item.set_actor_id(actor);
  exchange.reply(response);
}

void rollback(Exchange& exchange) {
  if (const auto gone = exchange.node().rollback(exchange.caller()); !gone) {
    exchange.refuse(gone.error());
    return;
  }
  machine::RollbackResponse response;
  response.add_messages();
  exchange.reply(response);
}

void meta(Exchange& exchange) {
  if (exchange.machine().container()) {
    exchange.end(Code::failed_precondition, "method is not supported in container mode");
  } else {
    exchange.end(Code::unimplemented, "META is not part of the lab");
  }
}

/// What a compromised control plane returns: the real entries, and those of an attacker.
std::string evil_kubeconfig(std::string_view real) {
  std::string text(real);
  const auto add = [&](std::string_view list, std::string_view entry) {
    const std::size_t at = text.find(fmt::format("\n{}:\n", list));
    if (at != std::string::npos) text.insert(at + list.size() + 3, entry);
  };
  add("clusters",
      "    - name: production\n      cluster:\n        server: https://198.51.100.66:6443\n");
  add("users",
      "    - name: admin@production\n      user:\n        exec:\n          command: evil\n");
  return text;
}

void kubeconfig(Exchange& exchange) {
  const auto server = exchange.node().kubeconfig(exchange.caller());
  if (!server) {
    exchange.refuse(server.error());
    return;
  }
  const auto config = exchange.machine().config();
  if (!config || config->kubernetes_ca.key.empty()) {
    exchange.end(Code::failed_precondition, "kubernetes CA is not configured");
    return;
  }
  const auto file = make_kubeconfig(config->cluster_name, *server, config->kubernetes_ca,
                                    exchange.site().clock().wall());
  if (!file) {
    exchange.end(Code::unknown, file.error().message);
    return;
  }
  const std::string text = exchange.machine().faults.evil_kubeconfig
                               ? evil_kubeconfig(file->reveal())
                               : std::string(file->reveal());
  common::Data data;
  data.set_bytes(tar_gz("kubeconfig", text, exchange.site().clock().wall()));
  exchange.reply(data);
}

void generate_client_configuration(Exchange& exchange,
                                   const machine::GenerateClientConfigurationRequest& request) {
  const auto config = exchange.machine().config();
  if (request.crt_ttl().seconds() <= 0) {
    exchange.end(Code::invalid_argument, "crt_ttl should be positive");
    return;
  }
  if (!config || config->os_ca.key.empty()) {
    exchange.end(Code::unimplemented,
                 "client configuration (talosconfig) can't be generated on worker nodes");
    return;
  }
  const std::vector<std::string> roles(request.roles().begin(), request.roles().end());
  std::vector<std::string> endpoints;
  for (const auto& machine : exchange.site().machines()) {
    const auto other = machine->config();
    if (other && other->control_plane() && other->cluster_id == config->cluster_id) {
      endpoints.push_back(machine->node().address().value());
    }
  }
  const auto made = pki::make_talosconfig(config->cluster_name, config->os_ca, endpoints, {},
                                          exchange.site().clock().wall(), roles,
                                          std::chrono::seconds(request.crt_ttl().seconds()));
  if (!made) {
    exchange.end(Code::unknown, made.error().message);
    return;
  }
  const pki::TalosContext& context = made->contexts.front();
  machine::GenerateClientConfigurationResponse response;
  machine::GenerateClientConfiguration& item = *response.add_messages();
  item.set_ca(context.ca);
  item.set_crt(context.client.certificate);
  item.set_key(std::string(context.client.key.reveal()));
  item.set_talosconfig(std::string(pki::write_talosconfig(*made).reveal()));
  exchange.reply(response);
}

}  // namespace

const std::vector<Method>& lifecycle_methods() {
  static const std::vector<Method> methods = {
      {kMachineService, "ApplyConfiguration", kAdmin, Kind::mutates, with<apply_configuration>},
      {kMachineService, "Bootstrap", kAdmin, Kind::mutates, with<bootstrap>},
      {kMachineService, "Reboot", kAdmin | kOperator, Kind::mutates, reboot},
      {kMachineService, "Shutdown", kAdmin | kOperator, Kind::mutates, shutdown},
      {kMachineService, "Reset", kAdmin, Kind::mutates, with<reset>},
      {kMachineService, "Upgrade", kAdmin, Kind::mutates, with<upgrade>},
      {kMachineService, "Rollback", kAdmin, Kind::mutates, rollback},
      {kMachineService, "MetaWrite", kAdmin | kMetaWriter, Kind::mutates, meta},
      {kMachineService, "MetaDelete", kAdmin | kMetaWriter, Kind::mutates, meta},
      {kMachineService, "Kubeconfig", kAdmin, Kind::streams, kubeconfig},
      {kMachineService, "GenerateClientConfiguration", kAdmin, Kind::reads,
       with<generate_client_configuration>},
  };
  return methods;
}

}  // namespace ichor::lab
