#include <algorithm>
#include <string>

#include "lab/cosi/kinds.h"
#include "lab/cosi/make.h"
#include "spec_runtime.pb.h"

namespace ichor::lab::makers {

void machine_status(const Sight& sight, Resources& out) {
  spec::MachineStatus message;
  message.set_stage(static_cast<spec::MachineStage>(sight.status.stage));
  message.mutable_status()->set_ready(sight.status.ready);
  std::vector<yaml::Node> unmet;
  for (const UnmetCondition& condition : sight.status.unmet) {
    spec::UnmetCondition* item = message.mutable_status()->add_unmet_conditions();
    item->set_name(condition.name);
    item->set_reason(condition.reason);
    unmet.push_back(yaml::map().set("name", condition.name).set("reason", condition.reason));
  }
  out.push_back(
      make_resource("runtime", "machine", message,
                    yaml::map()
                        .set("stage", name_of(sight.status.stage))
                        .set("status", yaml::map()
                                           .set("ready", sight.status.ready)
                                           .set("unmetConditions", yaml::list(std::move(unmet))))));
}

void unattended_install(const Sight& sight, Resources& out) {
  if (!sight.config || !sight.config->unattended_install || sight.machine.container()) return;
  using Phase = UnattendedInstall::Phase;
  const UnattendedInstall install =
      sight.status.install.value_or(UnattendedInstall{Phase::installed, {}});
  spec::UnattendedInstallStatus message;
  message.set_image(sight.config->install_image);
  message.set_phase(static_cast<spec::UnattendedInstallPhase>(install.phase));
  message.set_error(install.error);
  yaml::Map text;
  text.set("image", message.image()).set("phase", name_of(install.phase));
  set_if(text, "error", message.error());
  out.push_back(make_resource("runtime", "unattended-install", message, text));
}

void machine_config(const Sight& sight, Resources& out) {
  const std::string text = sight.machine.config_text();
  if (text.empty()) return;
  spec::MachineConfig message;
  message.set_yaml_marshalled(text);
  for (const char* id : {"v1alpha1", "persistent"}) {
    Resource resource = make_resource("config", id, message, yaml::make_string(text));
    resource.annotations["talos.dev/yaml-spec"] = "1";
    out.push_back(std::move(resource));
  }
}

void machine_type(const Sight& sight, Resources& out) {
  spec::MachineType message;
  std::string_view name = "unknown";
  if (sight.control_plane()) {
    message.set_machine_type(spec::KIND_CONTROL_PLANE);
    name = "controlplane";
  } else if (sight.worker()) {
    message.set_machine_type(spec::KIND_WORKER);
    name = "worker";
  }
  out.push_back(make_resource("config", "machine-type", message, yaml::make_string(name)));
}

void version(const Sight& sight, Resources& out) {
  spec::Version message;
  message.set_version(to_text(sim::version_of(sight.node.spec())));
  yaml::Map text;
  text.set("version", message.version());
  if (!sight.machine.old()) {
    message.set_name("Talos");
    text.set("name", message.name());
  }
  out.push_back(make_resource("runtime", "version", message, text));
}

void services(const Sight& sight, Resources& out) {
  const auto services = sight.node.services(kInsider);
  if (services) {
    for (const ServiceStatus& service : *services) {
      if (service.state != "Running") continue;
      spec::Service message;
      message.set_running(true);
      message.set_healthy(service.healthy);
      message.set_unknown(service.health_unknown);
      out.push_back(make_resource("runtime", service.id, message,
                                  yaml::map()
                                      .set("running", true)
                                      .set("healthy", service.healthy)
                                      .set("unknown", service.health_unknown)));
    }
    return;
  }
  // The service list is no call of 1.12's maintenance mode, but the resources are there.
  for (const char* id : {"auditd", "containerd", "machined", "syslogd", "udevd"}) {
    if (sight.machine.container() && std::string_view(id) != "machined") continue;
    spec::Service message;
    message.set_running(true);
    message.set_healthy(true);
    out.push_back(
        make_resource("runtime", id, message,
                      yaml::map().set("running", true).set("healthy", true).set("unknown", false)));
  }
}

void time_status(const Sight& sight, Resources& out) {
  const bool synced = sight.node.time_synced(kInsider).value_or(false);
  spec::TimeStatus message;
  message.set_synced(synced);
  message.set_epoch(synced ? 1 : 0);
  out.push_back(make_resource(
      "runtime", "node", message,
      yaml::map().set("synced", synced).set("epoch", synced ? 1 : 0).set("syncDisabled", false)));
}

void system_information(const Sight& sight, Resources& out) {
  if (sight.machine.container()) return;
  const Identity& hardware = sight.node.spec().hardware;
  spec::SystemInformation message;
  message.set_manufacturer("ichor");
  message.set_product_name("Lab Machine");
  message.set_version("1");
  message.set_serial_number(hardware.serial.value());
  message.set_uuid(hardware.uuid.value());
  message.set_wake_up_type("Power Switch");
  yaml::Map text;
  text.set("manufacturer", message.manufacturer());
  text.set("productName", message.product_name());
  text.set("version", message.version());
  set_if(text, "serialnumber", message.serial_number());
  set_if(text, "uuid", message.uuid());
  text.set("wakeUpType", message.wake_up_type());
  out.push_back(make_resource("hardware", "systeminformation", message, text));
}

void processors(const Sight& sight, Resources& out) {
  if (sight.machine.container()) return;
  spec::Processor message;
  message.set_socket("CPU 0");
  message.set_manufacturer("ichor");
  message.set_product_name("Lab CPU");
  message.set_max_speed_mhz(2000);
  message.set_boot_speed_mhz(2000);
  message.set_status(65);
  message.set_core_count(2);
  message.set_core_enabled(2);
  message.set_thread_count(2);
  out.push_back(make_resource("hardware", "CPU-0", message,
                              yaml::map()
                                  .set("socket", "CPU 0")
                                  .set("manufacturer", "ichor")
                                  .set("productName", "Lab CPU")
                                  .set("maxSpeedMhz", 2000)
                                  .set("bootSpeedMhz", 2000)
                                  .set("status", 65)
                                  .set("coreCount", 2)
                                  .set("coreEnabled", 2)
                                  .set("threadCount", 2)));
}

void memory_modules(const Sight& sight, Resources& out) {
  if (sight.machine.container()) return;
  const auto size = static_cast<std::uint32_t>(sight.node.spec().memory_bytes >> 20);
  spec::MemoryModule message;
  message.set_size_mib(size);
  message.set_device_locator("DIMM 0");
  message.set_manufacturer("ichor");
  out.push_back(make_resource("hardware", "DIMM-0", message,
                              yaml::map()
                                  .set("sizeMiB", size)
                                  .set("deviceLocator", "DIMM 0")
                                  .set("manufacturer", "ichor")));
}

void platform_metadata(const Sight& sight, Resources& out) {
  const char* platform = sight.machine.container() ? "container" : "metal";
  spec::PlatformMetadata message;
  message.set_platform(platform);
  out.push_back(
      make_resource("runtime", "platformmetadata", message, yaml::map().set("platform", platform)));
}

void security_state(const Sight& sight, Resources& out) {
  const bool secure = sight.node.spec().secure_boot;
  spec::SecurityState message;
  message.set_secure_boot(secure);
  yaml::Map text;
  text.set("secureBoot", secure);
  if (!sight.machine.container()) {
    message.set_booted_with_uki(true);
    message.set_module_signature_enforced(true);
    text.set("bootedWithUKI", true).set("moduleSignatureEnforced", true);
  }
  out.push_back(make_resource("runtime", "securitystate", message, text));
}

void meta_keys(const Sight& sight, Resources& out) {
  const auto disks = sight.node.disks(kInsider);
  const bool installed = disks && std::any_of(disks->begin(), disks->end(),
                                              [](const Disk& disk) { return disk.system_disk; });
  if (!installed) return;
  // How STATE is encrypted, which the installer writes down also if it is not.
  spec::MetaKey message;
  message.set_value("null");
  out.push_back(make_resource("runtime", "0x09", message, yaml::map().set("value", "null")));
  if (!sight.node.disk().upgrade_mark) return;
  // The boot entry to go back to.
  message.set_value("A");
  out.push_back(make_resource("runtime", "0x06", message, yaml::map().set("value", "A")));
}

void extensions(const Sight& sight, Resources& out) {
  // Image Factory's images carry their schematic. What the first install put there is by config.
  const auto& booted = sight.node.disk().booted;
  if (!booted && !sight.config) return;
  const auto installed = booted ? booted : sim::slot_of(sight.config->install_image);
  if (!installed || installed->schematic.empty()) return;
  const std::string& schematic = installed->schematic;
  spec::Extension message;
  message.set_image("000.schematic");
  message.mutable_metadata()->set_name("schematic");
  message.mutable_metadata()->set_version(schematic);
  message.mutable_metadata()->set_author("Image Factory");
  message.mutable_metadata()->set_description("Virtual extension which specifies the schematic.");
  message.mutable_metadata()->mutable_compatibility()->mutable_talos();
  out.push_back(make_resource(
      "runtime", "0", message,
      yaml::map()
          .set("image", message.image())
          .set("metadata", yaml::map()
                               .set("name", "schematic")
                               .set("version", schematic)
                               .set("author", message.metadata().author())
                               .set("description", message.metadata().description())
                               .set("compatibility",
                                    yaml::map().set("talos", yaml::map().set("version", ""))))));
}

void kernel_cmdline(const Sight& sight, Resources& out) {
  const std::string cmdline = sight.machine.container()
                                  ? "talos.platform=container"
                                  : "talos.platform=metal console=tty0 init_on_alloc=1";
  spec::KernelCmdline message;
  message.set_cmdline(cmdline);
  out.push_back(make_resource("runtime", "cmdline", message, yaml::map().set("cmdline", cmdline)));
}

}  // namespace ichor::lab::makers
