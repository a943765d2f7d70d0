#include <algorithm>

#include "command/commands.h"
#include "machineconfig/patch_input.h"
#include "run/deliver.h"
#include "run/finish.h"
#include "yaml/emit.h"

namespace ichor {

Exit run(const MachineconfigPatchRequest& request, const CommonOptions& common, Host& host) {
  const auto texts = read_given_patches(request.patches, "--patch", host.files);
  if (!texts) return finish_aside(texts.error(), host.terminal);
  auto text = host.files.read_input(request.file);
  if (!text)
    return finish_aside(end_with(Exit::usage, text.error().message).value(), host.terminal);
  auto parsed = yaml::parse(*text, request.file);
  if (!parsed) return finish_aside(end_with(parsed.error()).value(), host.terminal);
  std::vector<yaml::Node> roots;
  for (yaml::Document& document : *parsed) roots.push_back(std::move(document.root));
  // Without a version, config and patches show whose rules hold.
  int shown = minor_shown(roots);
  for (const GivenPatch& patch : *texts) shown = std::max(shown, minor_shown(patch.text));
  std::vector<Finding> findings;
  const auto minor = read_rules_version(request.talos_version, shown, findings);
  if (!minor) return finish_aside(minor.error(), host.terminal);
  auto patches = load_given_patches(*texts, *minor);
  if (!patches) return finish_aside(std::move(patches).error(), host.terminal);
  auto patched = apply_patches(std::move(roots), request.file, *patches, *minor);
  if (!patched) return finish_aside(end_with(patched.error()).value(), host.terminal);
  TextOutput output{"config", request.output, SecretString(yaml::emit_all(patched->documents))};
  for (yaml::Node& root : patched->documents) yaml::wipe(root);
  std::vector<TextOutput> outputs;
  outputs.push_back(std::move(output));
  for (Finding& finding : as_warnings(std::move(patched->findings))) {
    findings.push_back(std::move(finding));
  }
  return deliver(std::move(outputs), true, std::move(findings), common, host);
}

}  // namespace ichor
