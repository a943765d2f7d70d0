#include "machineconfig/patch_input.h"

#include <algorithm>
#include <fmt/format.h>

#include "profile/formats.h"

namespace ichor {

namespace {

bool is_file_name(const std::string& text) {
  return text.find_first_of("\n ") == std::string::npos && !text.starts_with('[') &&
         !text.starts_with('{') && !text.empty();
}

}  // namespace

OrEnd<std::vector<GivenPatch>> read_given_patches(const std::vector<std::string>& given,
                                                  const std::string& flag, Files& files) {
  std::vector<GivenPatch> texts;
  for (std::size_t i = 0; i < given.size(); ++i) {
    GivenPatch& text = texts.emplace_back(GivenPatch{fmt::format("{}[{}]", flag, i + 1), given[i]});
    if (!given[i].starts_with('@') && !is_file_name(given[i])) continue;
    text.name = given[i].starts_with('@') ? given[i].substr(1) : given[i];
    auto content = files.read_input(text.name);
    if (!content) return end_with(Exit::failed, content.error().message);
    text.text = std::move(*content);
  }
  return texts;
}

OrEnd<std::vector<Patch>> read_patches(const std::vector<std::string>& given,
                                       const std::string& flag, int minor, Files& files) {
  const auto texts = read_given_patches(given, flag, files);
  if (!texts) return forward_error(texts);
  return load_given_patches(*texts, minor);
}

OrEnd<std::vector<Patch>> load_given_patches(const std::vector<GivenPatch>& texts, int minor) {
  std::vector<Patch> patches;
  for (const GivenPatch& text : texts) {
    auto patch = load_patch(text.text, text.name, minor);
    if (!patch) return end_with(Exit::failed, patch.error().message);
    patches.push_back(std::move(*patch));
  }
  return patches;
}

OrEnd<TalosVersion> read_talos_version(const std::string& text, TalosVersion otherwise) {
  if (text.empty()) return otherwise;
  if (const auto version = parse_version(text)) return *version;
  if (const auto version = parse_version(text, true)) return *version;
  return end_with(Exit::usage, fmt::format("\"{}\" is not a version of Talos such as v1.12", text));
}

OrEnd<Contract> settle_contract(const TalosVersion& version, std::vector<Finding>& findings) {
  if (auto contract = find_contract(version)) return *std::move(contract);
  const Contract& newest = newest_contract();
  if (version < newest.version)
    return end_with(Exit::usage, find_contract(version).error().message);
  Finding& finding = findings.emplace_back();
  finding.severity = Severity::warning;
  finding.id = "contract.unknown";
  finding.where = "--talos-version";
  finding.what =
      fmt::format("Talos {}.{} is not known; the contract of {}.{} is taken", version.major,
                  version.minor, newest.version.major, newest.version.minor);
  finding.fix = "take a newer ichor, or the version that is known";
  return newest;
}

OrEnd<int> read_rules_version(const std::string& text, int otherwise,
                              std::vector<Finding>& findings) {
  const auto version = read_talos_version(text, {1, otherwise, 0});
  if (!version) return forward_error(version);
  const auto contract = settle_contract(*version, findings);
  if (!contract) return forward_error(contract);
  return version->major == 1 ? std::min(version->minor, schema::Schema::kNewestMinor)
                             : schema::Schema::kNewestMinor;
}

std::vector<Finding> as_warnings(std::vector<Finding> findings) {
  for (Finding& finding : findings) finding.severity = Severity::warning;
  return findings;
}

}  // namespace ichor
