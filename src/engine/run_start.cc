#include "engine/run_start.h"

#include <fmt/format.h>

#include "model/run_record.h"
#include "phase/journal_match.h"

namespace ichor {

std::optional<Finding> find_mismatch(const ClusterProfile& profile, const ConfigSet& configs,
                                     const JournalFacts& facts) {
  if (auto other = journal_of_another(facts, profile.name)) return other;
  const Digest& known = facts.secrets();
  const Digest& present = configs.secrets_fingerprint;
  if (!known.empty() && !present.empty() && known != present) {
    return Finding{Severity::error,
                   "T9",
                   {},
                   "secrets",
                   "the secrets are not those that this cluster was created with",
                   "restore the old secrets bundle; regenerated ones lock you out of live nodes"};
  }
  return std::nullopt;
}

std::vector<JournalRecord> start_records(const ClusterProfile& profile, const ConfigSet& configs,
                                         const JournalFacts& facts, bool adopt,
                                         const std::string& command) {
  std::vector<JournalRecord> records;
  const auto add = [&records](RecordKind kind, std::string key, std::string value) {
    JournalRecord& record = records.emplace_back();
    record.kind = kind;
    record.key = std::move(key);
    record.value = std::move(value);
  };
  add(RecordKind::run_started, profile.name, to_hex(configs.plan));
  const Digest& present = configs.secrets_fingerprint;
  if (facts.secrets().empty() && !present.empty()) {
    add(RecordKind::secrets_fixed, {}, to_hex(present));
  }
  if (!configs.contract.empty() && configs.contract != facts.contract()) {
    add(RecordKind::contract_fixed, {}, configs.contract);
  }
  if (!command.empty()) {
    add(RecordKind::observed, std::string(kCommandKey), command);
    std::string versions = "Talos " + to_text(profile.talos.version);
    const std::string& kubernetes = profile.talos.kubernetes_version;
    if (!kubernetes.empty()) versions += ", Kubernetes " + kubernetes;
    add(RecordKind::observed, std::string(kVersionsKey), std::move(versions));
  }
  if (adopt && !facts.adopted()) add(RecordKind::observed, std::string(kAdoptedKey), {});
  return records;
}

std::string describe_edits(const ConfigSet& configs, const JournalFacts& facts) {
  const bool comparable = !facts.plan().empty() && !configs.plan.empty();
  if (!comparable || facts.plan() == configs.plan) return {};
  std::string edited;
  for (const auto& [node, config] : configs.nodes) {
    const MutationFact* sent = facts.last(Call::apply_configuration, node);
    const bool differs = sent && !sent->payload.empty() && sent->payload != config.digest;
    if (differs) edited += (edited.empty() ? "" : ", ") + node.value();
  }
  if (edited.empty()) {
    return "O3: the profile was edited since the last run; no node had got its config yet that "
           "differs";
  }
  return fmt::format(
      "O3: the profile was edited since the last run; these nodes have got another config before: "
      "{}",
      edited);
}

}  // namespace ichor
