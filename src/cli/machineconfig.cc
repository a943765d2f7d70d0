#include "cli/command_list.h"

namespace ichor {

namespace {

FlagSet::Take store_in(std::string& target) {
  return [&target](const std::string& text) {
    target = text;
    return text.empty() ? std::string("must not be empty") : std::string();
  };
}

}  // namespace

void declare_machineconfig_patch(FlagSet& flags, Request& request) {
  MachineconfigPatchRequest& patch = request.emplace<MachineconfigPatchRequest>();
  flags.argument("FILE", FlagSet::Need::required, store_in(patch.file));
  flags.value(
      "--patch", "PATCH",
      [&patch](const std::string& text) {
        patch.patches.push_back(text);
        return std::string();
      },
      FlagSet::Times::many);
  flags.text("-o,--output", "FILE|-", patch.output);
  flags.text("--talos-version", "VERSION", patch.talos_version);
}

void declare_machineconfig_diff(FlagSet& flags, Request& request) {
  MachineconfigDiffRequest& diff = request.emplace<MachineconfigDiffRequest>();
  flags.argument("A", FlagSet::Need::required, store_in(diff.left));
  flags.argument("B", FlagSet::Need::required, store_in(diff.right));
  flags.flag("--detailed-exitcode", diff.detailed_exitcode);
}

}  // namespace ichor
