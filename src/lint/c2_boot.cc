#include "lint/c2_boot.h"

#include <fmt/format.h>

#include "lint/known_schematic.h"
#include "lint/settings.h"
#include "model/reporter.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

std::vector<std::string> texts_of(const yaml::Node& list) {
  std::vector<std::string> texts;
  for (const yaml::Node& item : list.items) texts.push_back(item.text);
  return texts;
}

/// The ID of a node's schematic; empty if nothing names one.
const std::string& schematic_id(const LintInput& input, const NodePlan& node) {
  return node.schematic.empty() ? input.profile.talos.schematic_id : node.schematic;
}

/// What to do: the schematic that carries the arguments besides all that it carries now.
std::string fix_for(const LintInput& input, const NodePlan& node, const yaml::Node& list) {
  const std::vector<std::string> arguments = texts_of(list);
  const std::string& id = schematic_id(input, node);
  std::optional<Schematic> present;
  if (!input.material.schematic.is_null() && node.schematic.empty()) {
    const auto written = Schematic::read(yaml::emit(input.material.schematic), "schematic");
    if (written) present = *written;
  } else if (!id.empty()) {
    present = find_known_schematic(id, arguments);
    if (!present) {
      return fmt::format(
          "remove it. Add {} to customization.extraKernelArgs of the schematic with the ID {}, "
          "upload the result to the Image Factory, and write the new ID into the profile",
          fmt::join(arguments, " "), id);
    }
  } else if (const auto plain = Schematic::read("customization: {}", "schematic")) {
    present = *plain;
  }
  if (!present) return "remove it, and add the arguments to the schematic";
  const Schematic whole = present->with_kernel_arguments(arguments);
  if (whole.id() == present->id()) {
    return fmt::format("remove it: the schematic {} has these arguments already", whole.id());
  }
  return fmt::format("remove it, and use the schematic {}, which is `{}`", whole.id(),
                     whole.one_line());
}

}  // namespace

std::string_view fixed_command_line(const LintInput& input, const NodeSettings& settings) {
  if (input.profile.talos.secure_boot) return "with secure boot";
  const Setting uki = settings.last({"machine", "install", "grubUseUKICmdline"});
  const bool told = uki && uki.value->as_bool().has_value();
  const bool by_contract = input.profile.talos.contract >= TalosVersion{1, 12, 0};
  if (told ? *uki.value->as_bool() : by_contract) return "with grubUseUKICmdline";
  return {};
}

void lint_boot(const LintInput& input, std::vector<Finding>& findings) {
  Reporter report(findings);
  for (const NodePlan& node : input.profile.nodes) {
    const NodeSettings settings(input, node);
    const std::string_view why = fixed_command_line(input, settings);
    if (why.empty()) continue;
    for (const Setting& arguments : settings.all({"machine", "install", "extraKernelArgs"})) {
      if (arguments.value->items.empty()) continue;
      report.error("boot.arguments", arguments.where(),
                   fmt::format("machine.install.extraKernelArgs {}: the boot image has its own "
                               "command line, and Talos refuses both together",
                               why),
                   fix_for(input, node, *arguments.value));
    }
  }
}

}  // namespace ichor
