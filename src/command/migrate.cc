#include "machineconfig/migrate/migrate.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/redact.h"
#include "command/commands.h"
#include "machineconfig/contract.h"
#include "machineconfig/diff.h"
#include "machineconfig/patch_input.h"
#include "machineconfig/patch_texts.h"
#include "machineconfig/validate/validate.h"
#include "profile/profile_file.h"
#include "profile/read_profile.h"
#include "run/deliver.h"
#include "run/finish.h"
#include "yaml/emit.h"

namespace ichor {

namespace {

constexpr int kMinor = 14;

/// One file on its way to Talos 1.14.
struct Migrated {
  std::string file;
  SecretString before, after;
  std::vector<Finding> findings;
  bool is_patch{false};
  bool holds_secrets{true};

  bool ok() const {
    return std::ranges::none_of(
        findings, [](const Finding& found) { return found.severity == Severity::error; });
  }
};

Finding finding_of(const MigrationNote& note, const std::string& file) {
  Finding finding;
  finding.severity = note.severity;
  finding.id = "migrate";
  finding.where = yaml::to_text(file, note.at);
  finding.what = fmt::format("{}: {}", note.path, note.what);
  finding.fix = note.fix;
  return finding;
}

/// What Talos 1.14 would refuse of the result. The places are those of the new text.
void add_refusals(Migrated& migrated) {
  ValidateOptions options;
  options.minor = kMinor;
  for (const ConfigFinding& found : validate_config(migrated.after.reveal(), options)) {
    if (found.severity != Severity::error) continue;
    Finding& finding = migrated.findings.emplace_back();
    finding.severity = Severity::error;
    finding.id = "migrate";
    finding.where = yaml::to_text(migrated.file + " (migrated)", found.at);
    finding.what = found.what;
    finding.fix = found.fix;
  }
}

OrEnd<Migrated> migrate_text(const std::string& file, std::string text,
                             const MigrateRequest& request) {
  auto migration = migrate_config(text, file, {request.kubernetes_version});
  if (!migration) return end_with(migration.error());
  Migrated result;
  result.file = file;
  result.before = SecretString(std::move(text));
  result.after = SecretString(yaml::emit_all(migration->documents));
  result.is_patch = migration->is_patch;
  for (yaml::Node& document : migration->documents) yaml::wipe(document);
  for (const MigrationNote& note : migration->notes) {
    result.findings.push_back(finding_of(note, file));
  }
  for (const std::string& setting : migration->unproved) {
    Finding& finding = result.findings.emplace_back();
    finding.severity = Severity::warning;
    finding.id = "migrate";
    finding.where = file;
    finding.what = "not proved to mean the same: " + redact_urls(setting);
    finding.fix = "compare this setting in both files yourself before you apply the new one";
  }
  if (!result.is_patch) {
    add_refusals(result);
  } else if (const auto patch = load_patch(result.after.reveal(), file, kMinor)) {
    result.holds_secrets = !touches_secrets(*patch).empty();
  } else if (result.ok()) {
    return end_with(patch.error());
  }
  return result;
}

struct Steps {
  ConfigDocuments documents;
  std::vector<Deletion> deletions;
};

/// A config is read as a patch as well, because that is what may delete.
Steps steps_of(const SecretString& text, const std::string& file) {
  Steps steps;
  const auto patch = load_patch(text.reveal(), file, kMinor);
  const auto* strategic = patch ? std::get_if<StrategicPatch>(&patch->content) : nullptr;
  if (strategic == nullptr) return steps;
  for (const auto& step : *strategic) {
    if (const auto* document = std::get_if<ConfigDocument>(&step)) {
      steps.documents.push_back(*document);
    } else {
      steps.deletions.push_back(std::get<Deletion>(step));
    }
  }
  return steps;
}

void add_difference(const Migrated& migrated, Listing& listing) {
  Steps before = steps_of(migrated.before, migrated.file);
  Steps after = steps_of(migrated.after, migrated.file);
  const auto add = [&](const std::string& document, const std::string& path,
                       const std::string& old_value, const std::string& new_value) {
    listing.rows.push_back({{"file", migrated.file},
                            {"document", document},
                            {"path", path},
                            {"before", old_value},
                            {"after", new_value}});
  };
  for (const ConfigDifference& one : diff_configs(before.documents, after.documents)) {
    add(one.document, one.path, one.before, one.after);
  }
  constexpr const char* kDeleted = "$patch: delete";
  for (const Deletion& deletion : before.deletions) {
    if (deletion.document != "v1alpha1") continue;  // stays
    add(deletion.document, fmt::format("{}", fmt::join(deletion.path, ".")), kDeleted, "");
  }
  for (const Deletion& deletion : after.deletions) {
    const bool stays = std::ranges::any_of(before.deletions, [&](const Deletion& other) {
      return other.document == deletion.document && other.path == deletion.path;
    });
    if (stays) continue;
    add(deletion.document, fmt::format("{}", fmt::join(deletion.path, ".")), "", kDeleted);
  }
  wipe(before.documents);
  wipe(after.documents);
}

Listing empty_listing() {
  return {"difference",
          {{"file", "FILE"},
           {"document", "DOCUMENT"},
           {"path", "PATH"},
           {"before", "BEFORE"},
           {"after", "AFTER"}},
          {}};
}

/// Beside a config on standard output the differences are lines of their own, elsewhere.
void print_aside(const Migrated& migrated, const CommonOptions& common, Host& host) {
  if (for_programs(common.output)) return;  // they get the config, and nothing else
  Listing listing = empty_listing();
  add_difference(migrated, listing);
  for (const auto& row : listing.rows) {
    const auto text = [&](const char* key) { return row.at(key).get<std::string>(); };
    const auto shown = [&](const char* key) { return text(key).empty() ? "(nothing)" : text(key); };
    host.terminal.err() << fmt::format("{}{}{}: {} -> {}\n", text("document"),
                                       text("path").empty() ? "" : " ", text("path"),
                                       shown("before"), shown("after"));
  }
}

/// Nothing is written if one of the files cannot be converted.
Exit end(std::vector<Migrated> all, const std::vector<std::string>& places,
         const CommonOptions& common, Host& host) {
  std::vector<Finding> findings;
  for (Migrated& one : all) {
    findings.insert(findings.end(), one.findings.begin(), one.findings.end());
  }
  if (!std::ranges::all_of(all, &Migrated::ok)) {
    RunResult result;
    result.exit = Exit::findings;
    result.verdict = "nothing was written: some settings have no form that Talos 1.14 accepts";
    result.findings = std::move(findings);
    return finish_aside(std::move(result), host.terminal);
  }
  Listing listing = empty_listing();
  std::vector<TextOutput> outputs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (places[i] == "-") {
      print_aside(all[i], common, host);
    } else {
      add_difference(all[i], listing);
    }
    const bool public_patch = all[i].is_patch && !all[i].holds_secrets;
    outputs.push_back({"config", places[i], std::move(all[i].after), false, public_patch});
  }
  if (!listing.rows.empty()) host.terminal.display().show(listing);
  return deliver(std::move(outputs), true, std::move(findings), common, host);
}

/// What a config of contract 1.14 has by itself, although no patch says so.
void warn_of_new_defaults(const ClusterProfile& profile, const std::string& file,
                          std::vector<Finding>& findings) {
  const auto contract = find_contract(profile.talos.contract);
  if (!contract || contract->typed_documents) return;
  Finding& finding = findings.emplace_back();
  finding.severity = Severity::warning;
  finding.id = "migrate";
  finding.where = file;
  finding.what =
      "generated configs of contract v1.14 turn workload isolation on and mount EPHEMERAL "
      "securely, which those of this profile do not";
  finding.fix =
      "test your workloads with it; or first add a patch `apiVersion: v1alpha1, kind: "
      "SecurityProfileConfig, workloadIsolation: false`";
}

/// Which lines of the profile are to be changed by hand.
void name_versions(const ProfileReading& reading, std::vector<Finding>& findings) {
  const TalosPlan& talos = reading.profile.talos;
  const auto add = [&](const char* key, const TalosVersion& version, const char* wanted) {
    if (version.minor >= kMinor) return;
    Finding& finding = findings.emplace_back();
    finding.severity = Severity::warning;
    finding.id = "migrate";
    finding.where = reading.source.where(key);
    finding.what = fmt::format("{} is that of Talos {}.{}", key, version.major, version.minor);
    finding.fix = fmt::format("write {} there when the patches are converted", wanted);
  };
  add("talos.version", talos.version, "v1.14.1");
  if (talos.contract_given) add("talos.contract", talos.contract, "v1.14");
}

/// The patches of a profile that stand in files of their own, and the profile itself.
Exit migrate_profile(const MigrateRequest& request, std::vector<Finding> findings,
                     const CommonOptions& common, Host& host) {
  SecretWords secrets;
  const auto reading = read_profile_file(common.profile, secrets, host);
  if (!reading) return finish_aside(reading.error(), host.terminal);
  warn_of_new_defaults(reading->profile, common.profile, findings);
  name_versions(*reading, findings);
  Listing listing = empty_listing();
  const PatchTexts patches =
      read_patch_texts(*reading, profile_folder(common.profile, host), findings, host);
  std::vector<Migrated> all;
  std::vector<std::string> places;
  for (const PatchText& patch : patches.patches) {
    const std::string& path = patch.file.path;
    const bool by_hand = patch.file.is_template || !patch.file.text.empty() || path.empty() ||
                         path.find(".sops.") != std::string::npos;
    auto migrated = migrate_text(path.empty() ? common.profile : path,
                                 std::string(patch.text.reveal()), request);
    if (!migrated) return finish_aside(std::move(migrated).error(), host.terminal);
    const std::size_t rows = listing.rows.size();
    if (by_hand || !request.write) add_difference(*migrated, listing);
    if (by_hand && listing.rows.size() > rows) {
      Finding& finding = migrated->findings.emplace_back();
      finding.severity = Severity::warning;
      finding.id = "migrate";
      finding.where = migrated->file;
      finding.what =
          "a template, an encrypted patch or a patch inside the profile is not rewritten";
      finding.fix =
          "leave it, because ichor converts it whenever it makes configs of Talos 1.14; or write "
          "the documents that the differences name into it";
      findings.insert(findings.end(), migrated->findings.begin(), migrated->findings.end());
      continue;
    }
    if (by_hand || std::ranges::count(places, path) > 0) continue;
    places.push_back(path);
    all.push_back(*std::move(migrated));
  }
  if (!listing.rows.empty()) host.terminal.display().show(listing);
  if (request.write && !all.empty()) {
    all.front().findings.insert(all.front().findings.end(), findings.begin(), findings.end());
    return end(std::move(all), places, common, host);
  }
  RunResult result;
  for (Migrated& one : all) {
    findings.insert(findings.end(), one.findings.begin(), one.findings.end());
  }
  result.findings = std::move(findings);
  const bool good = std::ranges::all_of(all, &Migrated::ok);
  result.exit = good ? Exit::done : Exit::findings;
  result.verdict =
      all.empty() ? "the profile has no patch files to convert; set talos.version to v1.14.1 in it"
                  : fmt::format(
                        "{} patch files can be converted; --write does it, then set "
                        "talos.version to v1.14.1 in {}",
                        all.size(), common.profile);
  return finish_aside(std::move(result), host.terminal);
}

}  // namespace

Exit run(const MigrateRequest& request, const CommonOptions& common, Host& host) {
  std::vector<Finding> unknown;
  const auto minor = read_rules_version(request.to, kMinor, unknown);
  if (!minor) return finish_aside(minor.error(), host.terminal);
  if (*minor != kMinor) {
    return finish_aside(
        end_with(Exit::usage, "ichor migrates to v1.14; --to " + request.to + " is not it").value(),
        host.terminal);
  }
  for (Finding& finding : unknown) finding.where = "--to";
  if (request.file.empty()) return migrate_profile(request, std::move(unknown), common, host);
  auto text = host.files.read_input(request.file);
  if (!text)
    return finish_aside(end_with(Exit::usage, text.error().message).value(), host.terminal);
  auto migrated = migrate_text(request.file, *std::move(text), request);
  if (!migrated) return finish_aside(std::move(migrated).error(), host.terminal);
  for (Finding& finding : unknown) migrated->findings.push_back(std::move(finding));
  std::vector<Migrated> all;
  all.push_back(*std::move(migrated));
  return end(std::move(all), {request.write ? request.file : request.output}, common, host);
}

}  // namespace ichor
