#include <fmt/format.h>

#include "machineconfig/go_url.h"
#include "machineconfig/rules.h"
#include "machineconfig/validate/kubernetes.h"
#include "machineconfig/validate/subject.h"

namespace ichor::validate {

namespace {

void check_type(const Subject& subject, Report& report) {
  const View type = subject.machine()["type"];
  if (subject.type() == MachineType::unknown) {
    report.error(type, fmt::format("machine.type `{}` is not known", type.text()),
                 "write controlplane or worker");
  } else if (type.text() != "init" && type.text() != "controlplane" && type.text() != "worker") {
    report.warning(type,
                   type.empty() ? std::string("machine.type is missing, so this is a worker")
                                : fmt::format("machine.type `{}` is an old name", type.text()),
                   "write `type: worker`");
  }
}

void check_certificates(const Subject& subject, Report& report) {
  const View machine = subject.machine();
  const View ca = machine["ca"];
  const View accepted = machine["acceptedCAs"];
  const bool any_accepted = accepted.count() > 0;
  if (!ca && !any_accepted) {
    report.error(machine, "neither machine.ca nor machine.acceptedCAs is there",
                 "add the cluster's machine.ca");
  }
  if (subject.type() == MachineType::control_plane) {
    if (!ca) {
      report.error(machine, "machine.ca is missing", "a control plane needs it with crt and key");
    } else if (ca["key"].empty()) {
      report.error(ca, "machine.ca.key is missing", "a control plane signs certificates with it");
    }
  } else if (subject.type() == MachineType::worker && ca) {
    if (!ca["key"].empty()) {
      report.error(ca["key"], "a worker must not have machine.ca.key", "remove the key");
    }
    if (ca["crt"].empty() && !any_accepted) {
      report.error(ca, "machine.ca.crt is missing", "add it, or acceptedCAs");
    }
  }
}

void check_logging(const View& machine, Report& report) {
  for (const View& destination : machine["logging"]["destinations"].items()) {
    const View endpoint = destination["endpoint"];
    const auto url = parse_go_url(endpoint.text());
    if (endpoint.empty() || !url) {
      report.error(destination, "a logging destination has no endpoint",
                   "write `endpoint: udp://HOST:PORT`");
    } else {
      if (url->host.empty()) {
        report.error(endpoint, "the logging endpoint names no host", "write udp://HOST:PORT");
      }
      if (url->scheme != "tcp" && url->scheme != "udp") {
        report.error(endpoint, fmt::format("the scheme `{}` cannot carry logs", url->scheme),
                     "write tcp:// or udp://");
      }
    }
    const View format = destination["format"];
    if (format.text() != "json_lines") {
      report.error(format, fmt::format("the logging format `{}` is not known", format.text()),
                   "write `format: json_lines`");
    }
  }
}

void check_registries(const View& machine, Report& report) {
  for (const char* const part : {"config", "mirrors"}) {
    const View registries = machine["registries"][part];
    for (const auto& [name, value] : registries.entries()) {
      if (value) continue;
      report.error(registries,
                   fmt::format("machine.registries.{} has nothing for `{}`", part, name),
                   "remove the key or fill it");
    }
  }
}

void check_deprecated(const Subject& subject, Report& report) {
  if (!rules_of(subject.minor).complete_without_v1alpha1) return;
  const std::pair<const char*, const char*> parts[] = {
      {"files", "use EtcFileConfig, CRICustomizationConfig or another document"},
      {"baseRuntimeSpecOverrides", "use a CRIBaseRuntimeSpecConfig document"},
  };
  for (const auto& [key, fix] : parts) {
    const View part = subject.machine()[key];
    if (part.count() > 0) report.warning(part, fmt::format("machine.{} is deprecated", key), fix);
  }
}

}  // namespace

MachineType Subject::type() const {
  const std::string& text = machine()["type"].text();
  if (text == "init" || text == "controlplane") return MachineType::control_plane;
  if (text == "worker" || text == "join" || text.empty()) return MachineType::worker;
  return MachineType::unknown;
}

void check_machine(const Subject& subject, Report& report) {
  const View machine = subject.machine();
  check_type(subject, report);
  check_certificates(subject, report);
  check_labels(machine["nodeLabels"], report);
  check_annotations(machine["nodeAnnotations"], report);
  check_taints(machine["nodeTaints"], report);
  check_logging(machine, report);
  check_registries(machine, report);
  check_deprecated(subject, report);
  const View persist = subject.root["persist"];
  if (persist && !persist.flag()) {
    report.error(persist, "persist must not be off", "write `persist: true`, or remove it");
  }
}

}  // namespace ichor::validate
