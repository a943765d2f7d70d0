#include <fmt/format.h>

#include "machineconfig/validate/address.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void refuse(const View& old, std::string_view path, std::string_view kind, Report& report) {
  report.error(old, fmt::format("{} and a {} document say the same thing", path, kind),
               fmt::format("remove {}", path));
}

void check_hostname(const View& machine, Report& report) {
  const View hostname = machine["network"]["hostname"];
  const View stable = machine["features"]["stableHostname"];
  if (!hostname.empty()) refuse(hostname, "machine.network.hostname", "HostnameConfig", report);
  if (stable.flag()) refuse(stable, "machine.features.stableHostname", "HostnameConfig", report);
}

void check_resolvers(const View& machine, Report& report) {
  const View network = machine["network"];
  const View domains = network["searchDomains"];
  if (domains) refuse(domains, "machine.network.searchDomains", "ResolverConfig", report);
  for (const View& server : network["nameservers"].items()) {
    if (!is_ip(server.text())) continue;
    refuse(server, "machine.network.nameservers", "ResolverConfig", report);
    break;
  }
  const View disabled = network["disableSearchDomain"];
  if (disabled.flag()) {
    refuse(disabled, "machine.network.disableSearchDomain", "ResolverConfig", report);
  }
}

void check_time(const View& machine, Report& report) {
  const View time = machine["time"];
  const View disabled = time["disabled"];
  const View servers = time["servers"];
  const View timeout = time["bootTimeout"];
  if (disabled.flag()) refuse(disabled, "machine.time.disabled", "TimeSyncConfig", report);
  if (servers.count() > 0) refuse(servers, "machine.time.servers", "TimeSyncConfig", report);
  if (!timeout.empty()) refuse(timeout, "machine.time.bootTimeout", "TimeSyncConfig", report);
}

void check_encryption(const View& machine, const ConfigDocument& document, Report& report) {
  if (View(document.value)["encryption"]["provider"].empty()) return;
  const char* key = document.name == "STATE"       ? "state"
                    : document.name == "EPHEMERAL" ? "ephemeral"
                                                   : nullptr;
  if (key == nullptr) return;
  const View old = machine["systemDiskEncryption"][key];
  if (old) {
    refuse(old, fmt::format("machine.systemDiskEncryption.{}", key), "VolumeConfig", report);
  }
}

}  // namespace

void check_old_and_new(const View& v1alpha1, const ConfigDocument& document, Report& report) {
  const View machine = v1alpha1["machine"];
  const std::string& kind = document.kind->kind;
  if (kind == "HostnameConfig") check_hostname(machine, report);
  if (kind == "ResolverConfig") check_resolvers(machine, report);
  if (kind == "TimeSyncConfig") check_time(machine, report);
  if (kind == "VolumeConfig") check_encryption(machine, document, report);
  const View kubespan = machine["network"]["kubespan"];
  if (kind == "KubeSpanConfig" && kubespan) {
    refuse(kubespan, "machine.network.kubespan", "KubeSpanConfig", report);
  }
}

}  // namespace ichor::validate
