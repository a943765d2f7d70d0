#include <fmt/format.h>

#include "command/commands.h"
#include "command/deliver.h"
#include "command/finish.h"
#include "command/patch_input.h"
#include "yaml/emit.h"

namespace ichor {

Exit run(const MachineconfigPatchRequest& request, const CommonOptions& common, Desk& desk) {
  const auto version =
      read_talos_version(request.talos_version, {1, schema::Schema::kNewestMinor, 0});
  if (!version) return finish_aside(version.error(), desk);
  auto patches = read_patches(request.patches, "--patch", version->minor, desk);
  if (!patches) return finish_aside(std::move(patches).error(), desk);
  auto text = desk.read_input(request.file);
  if (!text) return finish_aside(end_with(Exit::usage, text.error().message).value(), desk);
  auto parsed = yaml::parse(*text, request.file);
  if (!parsed) return finish_aside(end_with(parsed.error()).value(), desk);
  std::vector<yaml::Node> roots;
  for (yaml::Document& document : *parsed) roots.push_back(std::move(document.root));
  auto patched = apply_patches(std::move(roots), request.file, *patches, version->minor);
  if (!patched) return finish_aside(end_with(patched.error()).value(), desk);
  TextOutput output{"config", request.output, SecretString(yaml::emit_all(patched->documents))};
  for (yaml::Node& root : patched->documents) yaml::wipe(root);
  std::vector<TextOutput> outputs;
  outputs.push_back(std::move(output));
  return deliver(std::move(outputs), true, as_warnings(std::move(patched->findings)), common, desk);
}

}  // namespace ichor
