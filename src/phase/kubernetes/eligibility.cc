#include "phase/kubernetes/eligibility.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include "phase/kubernetes/json_view.h"

namespace ichor {

namespace {

std::vector<std::string> texts_of(const KubeObject& list) {
  std::vector<std::string> texts;
  if (!list.is_array()) return texts;
  for (const KubeObject& item : list) {
    if (item.is_string()) texts.push_back(item.get<std::string>());
  }
  return texts;
}

std::optional<std::int64_t> as_number(const std::string& text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// One requirement on the value of a key, which may be missing.
bool meets(const KubeObject& requirement, const KubeObject& labels) {
  const std::string key = text_at(requirement, {"key"});
  const std::string how = text_at(requirement, {"operator"});
  const std::vector<std::string> values = texts_of(at(requirement, {"values"}));
  const KubeObject& label = at(labels, {key});
  const bool there = label.is_string();
  const std::string value = there ? label.get<std::string>() : std::string();
  const bool listed = std::find(values.begin(), values.end(), value) != values.end();
  if (how == "In") return there && listed;
  if (how == "NotIn") return !there || !listed;
  if (how == "Exists") return there;
  if (how == "DoesNotExist") return !there;
  if (how != "Gt" && how != "Lt") return false;
  const auto number = as_number(value);
  const auto bound = values.size() == 1 ? as_number(values.front()) : std::nullopt;
  if (!number || !bound) return false;
  return how == "Gt" ? *number > *bound : *number < *bound;
}

bool all_meet(const KubeObject& requirements, const KubeObject& labels) {
  return !requirements.is_array() ||
         std::all_of(requirements.begin(), requirements.end(),
                     [&](const KubeObject& one) { return meets(one, labels); });
}

bool has_labels(const KubeObject& wanted, const KubeObject& labels) {
  if (!wanted.is_object()) return true;
  for (const auto& [key, value] : wanted.items()) {
    if (at(labels, {key}) != value) return false;
  }
  return true;
}

/// Any of the terms, each with all of its requirements.
bool affinity_allows(const KubeObject& pod, const KubeObject& node) {
  const KubeObject& terms =
      at(pod, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
               "nodeSelectorTerms"});
  if (!terms.is_array()) return true;
  const KubeObject fields{{"metadata.name", name_in(node)}};
  const KubeObject& labels = at(node, {"metadata", "labels"});
  return std::any_of(terms.begin(), terms.end(), [&](const KubeObject& term) {
    const KubeObject& expressions = at(term, {"matchExpressions"});
    const KubeObject& on_fields = at(term, {"matchFields"});
    if (expressions.is_null() && on_fields.is_null()) return false;
    return all_meet(expressions, labels) && all_meet(on_fields, fields);
  });
}

/// The controller adds these to every daemon pod.
bool always_tolerated(const std::string& key, bool host_network) {
  constexpr std::array<std::string_view, 6> keys{
      "node.kubernetes.io/not-ready",     "node.kubernetes.io/unreachable",
      "node.kubernetes.io/disk-pressure", "node.kubernetes.io/memory-pressure",
      "node.kubernetes.io/pid-pressure",  "node.kubernetes.io/unschedulable"};
  if (std::find(keys.begin(), keys.end(), key) != keys.end()) return true;
  return host_network && key == "node.kubernetes.io/network-unavailable";
}

bool tolerates(const KubeObject& toleration, const KubeObject& taint) {
  const std::string effect = text_at(toleration, {"effect"});
  if (!effect.empty() && effect != text_at(taint, {"effect"})) return false;
  const std::string key = text_at(toleration, {"key"});
  const bool exists = text_at(toleration, {"operator"}) == "Exists";
  if (key.empty()) return exists;
  if (key != text_at(taint, {"key"})) return false;
  return exists || text_at(toleration, {"value"}) == text_at(taint, {"value"});
}

bool taints_allow(const KubeObject& pod, const KubeObject& node) {
  const KubeObject& taints = at(node, {"spec", "taints"});
  if (!taints.is_array()) return true;
  const KubeObject& tolerations = at(pod, {"tolerations"});
  const bool host_network = flag_at(pod, {"hostNetwork"});
  return std::all_of(taints.begin(), taints.end(), [&](const KubeObject& taint) {
    if (text_at(taint, {"effect"}) == "PreferNoSchedule") return true;
    if (always_tolerated(text_at(taint, {"key"}), host_network)) return true;
    return tolerations.is_array() &&
           std::any_of(tolerations.begin(), tolerations.end(),
                       [&](const KubeObject& one) { return tolerates(one, taint); });
  });
}

std::string requirement_text(const KubeObject& requirement) {
  const std::string key = text_at(requirement, {"key"});
  const std::string how = text_at(requirement, {"operator"});
  const std::string values =
      fmt::format("{}", fmt::join(texts_of(at(requirement, {"values"})), ","));
  if (how == "Exists") return key;
  if (how == "DoesNotExist") return "!" + key;
  return fmt::format("{} {} ({})", key, how == "In" ? "in" : "notin", values);
}

}  // namespace

bool selects(const KubeObject& selector, const KubeObject& labels) {
  return has_labels(at(selector, {"matchLabels"}), labels) &&
         all_meet(at(selector, {"matchExpressions"}), labels);
}

bool wants_node(const KubeObject& daemon_set, const KubeObject& node) {
  const KubeObject& pod = at(daemon_set, {"spec", "template", "spec"});
  return has_labels(at(pod, {"nodeSelector"}), at(node, {"metadata", "labels"})) &&
         affinity_allows(pod, node) && taints_allow(pod, node);
}

std::string selector_text(const KubeObject& selector) {
  std::vector<std::string> parts;
  const KubeObject& labels = at(selector, {"matchLabels"});
  if (labels.is_object()) {
    for (const auto& [key, value] : labels.items()) {
      if (value.is_string()) parts.push_back(fmt::format("{}={}", key, value.get<std::string>()));
    }
  }
  const KubeObject& expressions = at(selector, {"matchExpressions"});
  if (expressions.is_array()) {
    for (const KubeObject& one : expressions) parts.push_back(requirement_text(one));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

}  // namespace ichor
