#include "lint/c5_logging.h"

#include <charconv>
#include <fmt/format.h>

#include "lint/c2_boot.h"
#include "lint/settings.h"
#include "model/reporter.h"
#include "profile/formats.h"

namespace ichor {

namespace {

constexpr std::string_view kKernelArgument = "talos.logging.kernel=";

/// "udp://host:port" or "tcp://host:port", with nothing behind it but a slash.
bool is_destination(std::string_view text) {
  if (!text.starts_with("udp://") && !text.starts_with("tcp://")) return false;
  text.remove_prefix(6);
  if (text.ends_with('/')) text.remove_suffix(1);
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  const std::string_view port = text.substr(colon + 1);
  int number = 0;
  const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), number);
  const bool is_port =
      error == std::errc() && stop == port.data() + port.size() && number > 0 && number < 65536;
  return is_port && is_host(host);
}

void check_destination(const Setting& list, const yaml::Node& destination, Reporter& report) {
  const yaml::Node* endpoint = destination.find("endpoint");
  const yaml::Node* format = destination.find("format");
  if (endpoint == nullptr || !is_destination(endpoint->text)) {
    report.error("logging.destination", list.where(endpoint != nullptr ? *endpoint : destination),
                 fmt::format("a logging destination {}",
                             endpoint != nullptr
                                 ? fmt::format("is `{}`, which is no udp:// or tcp:// with host "
                                               "and port",
                                               endpoint->text)
                                 : std::string("has no endpoint")),
                 "write an endpoint such as udp://127.0.0.1:6051");
  }
  if (format == nullptr || format->text != "json_lines") {
    report.error("logging.destination", list.where(format != nullptr ? *format : destination),
                 "a logging destination has another format than json_lines, the only one that "
                 "Talos has",
                 "write `format: json_lines`");
  }
}

void check_kernel_argument(const Setting& list, Reporter& report) {
  for (const yaml::Node& argument : list.value->items) {
    if (!argument.text.starts_with(kKernelArgument)) continue;
    report.error(
        "logging.kernel", list.where(argument),
        "kernel logging is asked for in machine.install.extraKernelArgs, which only some "
        "boot loaders read",
        fmt::format("move `{}` to customization.extraKernelArgs of the schematic", argument.text));
  }
}

void check_schematic(const LintMaterial& material, Reporter& report) {
  const yaml::Node* arguments = material.schematic.find_path({"customization", "extraKernelArgs"});
  if (arguments == nullptr) return;
  for (const yaml::Node& argument : arguments->items) {
    std::string_view text = argument.text;
    if (!text.starts_with(kKernelArgument)) continue;
    text.remove_prefix(kKernelArgument.size());
    if (is_destination(text)) continue;
    report.error(
        "logging.kernel",
        fmt::format("{}:{}:{}", material.schematic_file, argument.at.line, argument.at.column),
        fmt::format("the kernel must log to `{}`, which is not udp:// or tcp:// with host "
                    "and port",
                    text),
        "write a destination such as udp://127.0.0.1:6050");
  }
}

}  // namespace

void lint_logging(const LintInput& input, std::vector<Finding>& findings) {
  Reporter report(findings);
  Setting any;
  for (const NodePlan& node : input.profile.nodes) {
    const NodeSettings settings(input, node);
    // Where no argument is taken from the config, C2 says so of all of them.
    if (fixed_command_line(input, settings).empty()) {
      for (const Setting& list : settings.all({"machine", "install", "extraKernelArgs"})) {
        check_kernel_argument(list, report);
      }
    }
    for (const Setting& list : settings.all({"machine", "logging", "destinations"})) {
      if (!list.value->items.empty()) any = list;
      for (const yaml::Node& destination : list.value->items) {
        check_destination(list, destination, report);
      }
    }
  }
  check_schematic(input.material, report);
  const yaml::Node* loki = input.material.variables.find("loki_enabled");
  if (loki == nullptr) return;
  const bool wanted = loki->as_bool().value_or(false);
  const std::string where = input.source.where("variables.loki_enabled");
  if (wanted && !any) {
    report.warning("logging.loki", where,
                   "loki_enabled is true, but no patch sets machine.logging.destinations",
                   "add a patch with a logging destination, or set loki_enabled to false");
  } else if (!wanted && any) {
    report.warning("logging.loki", any.where(),
                   "logs are sent although loki_enabled is false: nothing receives them",
                   "put the patch inside `if loki_enabled`");
  }
}

}  // namespace ichor
