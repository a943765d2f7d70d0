#include "phase/drift.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "machineconfig/diff.h"
#include "machineconfig/typed_config.h"
#include "model/json.h"
#include "profile/formats.h"

namespace ichor {

namespace {

/// "v1.35.4", "1.35.4" or the tag of an image; nothing for anything else.
std::optional<TalosVersion> version_in(std::string_view text) {
  text = text.substr(0, text.find('@'));
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) text.remove_prefix(colon + 1);
  return parse_version(text);
}

bool is_older(std::string_view wanted, std::string_view live) {
  const auto one = version_in(wanted);
  const auto other = version_in(live);
  return one && other && *one < *other;
}

/// An image or a version, whose change can be a step back.
bool is_version(std::string_view path) {
  return path.ends_with("image") || path.ends_with("Image") || path.ends_with("ersion");
}

std::string place_of(const ConfigDifference& one) {
  if (one.path.empty()) return one.document;
  return one.document == "v1alpha1" ? one.path : one.document + " " + one.path;
}

std::string or_none(std::string value) { return value.empty() ? "(none)" : value; }

/// Who changed the config since it was applied.
std::string changed_by(const JournalFacts& facts, const NodeName& node, const Digest& wanted) {
  const MutationFact* sent = facts.last(Call::apply_configuration, node);
  if (!sent || sent->payload.empty()) return {};
  return sent->payload == wanted ? "node" : "profile";
}

Result<void> compare_configs(const ConfigSet& configs, const JournalFacts& facts,
                             const LiveNode& live, std::vector<Drift>& found) {
  const NodeName& node = live.view.node;
  const auto config = configs.nodes.find(node);
  if (config == configs.nodes.end() || !live.config) return {};
  if (live.view.config && *live.view.config == config->second.canonical) return {};
  auto wanted = read_config(config->second.bytes.reveal(), "the config of " + node.value());
  if (!wanted) return forward_error(wanted);
  auto runs = read_config(live.config->reveal(), "the config on " + node.value());
  if (!runs) {
    wipe(*wanted);
    return forward_error(runs);
  }
  const std::string changed = changed_by(facts, node, config->second.digest);
  for (const ConfigDifference& one : diff_configs(*runs, *wanted)) {
    Drift drift{node, place_of(one), or_none(one.after), or_none(one.before), changed, true};
    drift.downgrade = is_version(one.path) && is_older(one.after, one.before);
    found.push_back(std::move(drift));
  }
  wipe(*wanted);
  wipe(*runs);
  return {};
}

void compare_system(const ClusterProfile& profile, const LiveNode& live,
                    std::vector<Drift>& found) {
  const NodePlan& plan = *profile.find(live.view.node);
  if (live.view.version && *live.view.version != profile.talos.version) {
    Drift drift{plan.name, "Talos version", to_text(profile.talos.version),
                to_text(*live.view.version)};
    drift.downgrade = profile.talos.version < *live.view.version;
    found.push_back(std::move(drift));
  }
  if (!live.view.hardware || live.view.hardware->container) return;
  const std::string& wanted = plan.schematic.empty() ? profile.talos.schematic_id : plan.schematic;
  const std::string& runs = live.view.hardware->schematic;
  // An image without a schematic is the plain one, or one that was not made by an Image Factory.
  if (!wanted.empty() && wanted != runs) {
    found.push_back({plan.name, "schematic", wanted, or_none(runs)});
  }
}

std::string text_of(const Taint& taint) {
  return fmt::format("{}{}{}:{}", taint.key, taint.value.empty() ? "" : "=", taint.value,
                     taint.effect);
}

bool has_taint(const KubeObject& object, const Taint& wanted) {
  const auto spec = object.find("spec");
  if (spec == object.end() || !spec->is_object()) return false;
  const auto taints = spec->find("taints");
  if (taints == spec->end() || !taints->is_array()) return false;
  return std::any_of(taints->begin(), taints->end(), [&](const KubeObject& one) {
    return text_in(one, "key") == wanted.key && text_in(one, "value") == wanted.value &&
           text_in(one, "effect") == wanted.effect;
  });
}

/// The object at a path; an empty one if there is none.
KubeObject part_of(const KubeObject& object, std::initializer_list<const char*> path) {
  const KubeObject* at = &object;
  for (const char* key : path) {
    const auto found = at->is_object() ? at->find(key) : at->end();
    if (found == at->end()) return KubeObject::object();
    at = &*found;
  }
  return *at;
}

}  // namespace

Result<std::vector<Drift>> find_drift(const ClusterProfile& profile, const ConfigSet& configs,
                                      const JournalFacts& facts, const LiveNode& node) {
  std::vector<Drift> found;
  if (node.view.presence != Presence::configured) return found;
  compare_system(profile, node, found);
  if (auto compared = compare_configs(configs, facts, node, found); !compared) {
    return forward_error(compared);
  }
  return found;
}

std::vector<Drift> find_node_drift(const ClusterProfile& profile, const NodePlan& plan,
                                   const KubeObject& object) {
  std::vector<Drift> found;
  const std::string wanted = profile.talos.kubernetes_version;
  const std::string runs = text_in(part_of(object, {"status", "nodeInfo"}), "kubeletVersion");
  const auto wanted_version = version_in(wanted);
  const auto running_version = version_in(runs);
  if (wanted_version && running_version && *wanted_version != *running_version) {
    Drift drift{plan.name, "kubelet version", to_text(*wanted_version), runs};
    drift.downgrade = *wanted_version < *running_version;
    found.push_back(std::move(drift));
  }
  const KubeObject labels = part_of(object, {"metadata", "labels"});
  for (const auto& [key, value] : plan.labels) {
    const auto live = labels.find(key);
    const bool same = live != labels.end() && live->is_string() && *live == value;
    if (same) continue;
    found.push_back(
        {plan.name, "label " + key, value, live == labels.end() ? "(none)" : text_in(labels, key)});
  }
  for (const Taint& taint : plan.taints) {
    if (has_taint(object, taint)) continue;
    found.push_back({plan.name, "taint " + taint.key, text_of(taint), "(none)"});
  }
  return found;
}

}  // namespace ichor
