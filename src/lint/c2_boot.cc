#include "lint/c2_boot.h"

#include <fmt/format.h>

#include "lint/reporter.h"
#include "lint/settings.h"

namespace ichor {

namespace {

/// The schematic that carries these arguments, on one line.
std::string schematic_with(const yaml::Node& arguments, const yaml::Node& schematic) {
  std::string text;
  const auto append = [&](const yaml::Node& list) {
    for (const yaml::Node& item : list.items) {
      text += fmt::format("{}{}", text.empty() ? "" : ", ", item.text);
    }
  };
  const yaml::Node* present = schematic.find_path({"customization", "extraKernelArgs"});
  if (present != nullptr) append(*present);
  append(arguments);
  std::string extensions;
  if (const yaml::Node* list =
          schematic.find_path({"customization", "systemExtensions", "officialExtensions"})) {
    for (const yaml::Node& item : list->items) {
      extensions += fmt::format("{}{}", extensions.empty() ? "" : ", ", item.text);
    }
    extensions = fmt::format(", systemExtensions: {{officialExtensions: [{}]}}", extensions);
  }
  return fmt::format("customization: {{extraKernelArgs: [{}]{}}}", text, extensions);
}

/// Why the boot loader takes no arguments from the config; empty if it does.
std::string_view fixed_command_line(const LintInput& input, const NodeSettings& settings) {
  if (input.profile.talos.secure_boot) return "with secure boot";
  const Setting uki = settings.last({"machine", "install", "grubUseUKICmdline"});
  const bool told = uki && uki.value->as_bool().has_value();
  const bool by_contract = input.profile.talos.contract >= TalosVersion{1, 12, 0};
  if (told ? *uki.value->as_bool() : by_contract) return "with grubUseUKICmdline";
  return {};
}

}  // namespace

void lint_boot(const LintInput& input, std::vector<Finding>& findings) {
  Reporter report(findings);
  for (const NodePlan& node : input.profile.nodes) {
    const NodeSettings settings(input, node);
    const std::string_view why = fixed_command_line(input, settings);
    if (why.empty()) continue;
    for (const Setting& arguments : settings.all({"machine", "install", "extraKernelArgs"})) {
      if (arguments.value->items.empty()) continue;
      report.error("boot.arguments", arguments.where(),
                   fmt::format("machine.install.extraKernelArgs {}, where the boot image has the "
                               "command line: Talos refuses both together",
                               why),
                   fmt::format("remove it, and use a schematic with `{}`",
                               schematic_with(*arguments.value, input.material.schematic)));
    }
  }
}

}  // namespace ichor
