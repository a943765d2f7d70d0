#include <fmt/format.h>

#include "machineconfig/go_url.h"
#include "machineconfig/validate/names.h"
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

void check_labels(const View& machine, Report& report) {
  for (const auto& [key, value] : machine["nodeLabels"].entries()) {
    if (const std::string trouble = qualified_name_trouble(key); !trouble.empty()) {
      report.error(value, fmt::format("the label `{}` {}", key, trouble), "choose another name");
    }
    if (const std::string trouble = label_value_trouble(value.text()); !trouble.empty()) {
      report.error(value, fmt::format("the value of the label `{}` {}", key, trouble),
                   "choose another value");
    }
  }
}

void check_annotations(const View& machine, Report& report) {
  constexpr std::size_t bytes_max = 256 * 1024;
  std::size_t bytes = 0;
  for (const auto& [key, value] : machine["nodeAnnotations"].entries()) {
    if (const std::string trouble = qualified_name_trouble(key); !trouble.empty()) {
      report.error(value, fmt::format("the annotation `{}` {}", key, trouble),
                   "choose another name");
    }
    if (key == "talos.dev/owned-labels" || key == "talos.dev/owned-annotations" ||
        key == "talos.dev/owned-taints") {
      report.error(value, fmt::format("the annotation `{}` is Talos' own", key), "remove it");
    }
    bytes += key.size() + value.text().size();
  }
  if (bytes > bytes_max) {
    report.error(machine["nodeAnnotations"],
                 fmt::format("the annotations have more than {} bytes", bytes_max), "shorten them");
  }
}

void check_taints(const View& machine, Report& report) {
  for (const auto& [key, value] : machine["nodeTaints"].entries()) {
    if (const std::string trouble = qualified_name_trouble(key); !trouble.empty()) {
      report.error(value, fmt::format("the taint `{}` {}", key, trouble), "choose another name");
    } else if (const std::string of_value = taint_trouble(value.text()); !of_value.empty()) {
      report.error(value, fmt::format("the taint `{}` {}", key, of_value),
                   "write VALUE:NoSchedule, VALUE:PreferNoSchedule or VALUE:NoExecute");
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
  check_labels(machine, report);
  check_annotations(machine, report);
  check_taints(machine, report);
  check_logging(machine, report);
  check_registries(machine, report);
  const View persist = subject.root["persist"];
  if (persist && !persist.flag()) {
    report.error(persist, "persist must not be off", "write `persist: true`, or remove it");
  }
}

}  // namespace ichor::validate
