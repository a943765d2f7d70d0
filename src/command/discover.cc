#include "command/commands.h"
#include "command/partial_run.h"

namespace ichor {

Exit run(const DiscoverRequest& request, const CommonOptions& common, Desk& desk) {
  auto input = read_profile_input(common, {request.nodes, {}, {}}, desk);
  if (!input) return finish(std::move(input).error(), desk);
  const auto ground = find_ground(common, *input, desk);
  if (!ground) return finish(ground.error(), desk);
  auto space = open_workspace(*input, ground->wish(), desk);
  if (!space) return finish(std::move(space).error(), desk);
  RunResult result = run_engine(input->profile, *space, {{"discover"}, false}, desk);
  // What is known is shown also of a run that did not find everything.
  if (result.exit != Exit::interrupted && result.exit != Exit::terminated) {
    auto seen = look_around(input->profile, *space, desk);
    if (!seen) return finish(std::move(seen).error(), desk);
    Listing listing = node_listing(input->profile, space->configs, *seen);
    listing.columns = {
        {"node", "NODE"},          {"address", "ADDRESS"},         {"role", "ROLE", true},
        {"seen", "SEEN"},          {"stage", "STAGE", true},       {"version", "VERSION", true},
        {"uuid", "UUID"},          {"serial", "SERIAL"},           {"macs", "MACS"},
        {"boot_id", "BOOT", true}, {"fingerprint", "FINGERPRINT"}, {"trouble", "TROUBLE", true}};
    desk.display().show(listing);
  }
  return finish(summary_of(*input, std::move(result)), desk);
}

}  // namespace ichor
