#include "command/image_check.h"

#include <fmt/format.h>
#include <set>

#include "machineconfig/installer.h"

namespace ichor {

namespace {

constexpr Duration kAnswerTime = std::chrono::seconds(5);

Task<void> ask(Context context, WebClient& web, std::string url, std::optional<int>& status) {
  const SecretString no_token;
  const auto answer = co_await web.get(context.within(kAnswerTime), std::move(url), no_token);
  if (answer) status = answer->status;
}

}  // namespace

std::optional<std::string> manifest_url(const std::string& image) {
  const std::size_t slash = image.find('/');
  const std::size_t colon = image.rfind(':');
  const bool has_both = slash != std::string::npos && colon != std::string::npos && colon > slash;
  // A registry has a dot or a port in its name; a digest has no tag to ask for.
  const std::string host = image.substr(0, slash);
  if (!has_both || host.find_first_of(".:") == std::string::npos ||
      image.find('@') != std::string::npos) {
    return std::nullopt;
  }
  return fmt::format("https://{}/v2/{}/manifests/{}", host,
                     image.substr(slash + 1, colon - slash - 1), image.substr(colon + 1));
}

Check judge_image(const std::string& image, std::optional<int> status) {
  constexpr int kOk = 200;
  constexpr int kNotFound = 404;
  if (!status) {
    return {"image", Verdict::skipped, fmt::format("{}: its registry does not answer here", image)};
  }
  if (*status == kOk) return {"image", Verdict::passed, image};
  if (*status != kNotFound) {
    return {"image", Verdict::skipped,
            fmt::format("{}: its registry answers {} without credentials", image, *status)};
  }
  const std::string what = fmt::format("its registry does not have {}", image);
  return {"image", Verdict::failed, what,
          Finding{Severity::error,
                  "D2",
                  {},
                  "preflight",
                  what,
                  "correct talos.version, the schematic or talos.installer_image"}};
}

std::vector<Check> image_checks(const ClusterProfile& profile, const Ground& ground, Desk& desk) {
  if (ground.dial) return {{"image", Verdict::not_applicable, "lab"}};
  std::set<std::string> images;
  for (const NodePlan& node : profile.nodes) images.insert(installer_image(profile.talos, node));
  std::vector<Check> checks;
  for (const std::string& image : images) {
    const auto url = manifest_url(image);
    if (!url) {
      checks.push_back({"image", Verdict::skipped, image + " names no registry and tag"});
      continue;
    }
    CancelScope scope;
    std::optional<int> status;
    const int signal =
        desk.drive(ask(Context{&desk.clock(), &scope}, desk.web(), *url, status), scope);
    if (signal != 0) break;
    checks.push_back(judge_image(image, status));
  }
  return checks;
}

}  // namespace ichor
