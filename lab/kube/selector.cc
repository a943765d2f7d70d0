#include "lab/kube/selector.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>

#include "lab/kube/validation.h"

namespace ichor::lab {

namespace {

using nlohmann::json;

std::string trim(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

/// Splits at commas that are not within parentheses.
std::vector<std::string> split_terms(std::string_view text) {
  std::vector<std::string> terms;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at < text.size() && text[at] == '(') ++depth;
    if (at < text.size() && text[at] == ')') --depth;
    if (at < text.size() && (text[at] != ',' || depth > 0)) continue;
    if (std::string term = trim(text.substr(begin, at - begin)); !term.empty()) {
      terms.push_back(std::move(term));
    }
    begin = at + 1;
  }
  return terms;
}

/// Those that every resource has, and its own.
std::vector<std::string_view> selectable(std::string_view plural) {
  static const std::map<std::string_view, std::vector<std::string_view>> own = {
      {"certificatesigningrequests", {"spec.signerName"}},
      {"events",
       {"involvedObject.kind", "involvedObject.name", "involvedObject.namespace",
        "involvedObject.uid", "reason", "reportingComponent", "source", "type"}},
      {"namespaces", {"status.phase"}},
      {"nodes", {"spec.unschedulable"}},
      {"pods",
       {"spec.nodeName", "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
        "spec.hostNetwork", "status.phase", "status.podIP", "status.nominatedNodeName"}},
      {"replicasets", {"status.replicas"}},
      {"replicationcontrollers", {"status.replicas"}},
      {"secrets", {"type"}},
      {"services", {"spec.clusterIP", "spec.type"}}};
  std::vector<std::string_view> all{"metadata.name", "metadata.namespace"};
  if (const auto found = own.find(plural); found != own.end()) {
    all.insert(all.end(), found->second.begin(), found->second.end());
  }
  return all;
}

/// What a field says, as a selector compares it; a flag that is not set is false.
std::string field_text(const json& object, const std::string& key) {
  std::string path = "/" + key;
  std::replace(path.begin(), path.end(), '.', '/');
  const json::json_pointer pointer(path);
  const json value = object.contains(pointer) ? object.at(pointer) : json();
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean() || value.is_number()) return value.dump();
  return key == "spec.unschedulable" || key == "spec.hostNetwork" ? "false" : "";
}

}  // namespace

Result<Selector> Selector::parse_labels(std::string_view text) {
  if (trim(text).ends_with(',')) {
    return fail(Errc::invalid, "found '', expected: identifier after ','");
  }
  auto selector = parse(text);
  if (!selector) return selector;
  for (const Term& term : selector->terms_) {
    if (!is_label_key(term.key)) {
      return fail(Errc::invalid,
                  fmt::format("unable to parse requirement: key: Invalid value: \"{}\"", term.key));
    }
    for (const std::string& value : term.values) {
      if (is_label_value(value)) continue;
      return fail(Errc::invalid,
                  fmt::format("unable to parse requirement: values[0][{}]: Invalid value: \"{}\"",
                              term.key, value));
    }
  }
  return selector;
}

Result<Selector> Selector::parse(std::string_view text) {
  Selector selector;
  for (const std::string& term : split_terms(text)) {
    const std::size_t open = term.find('(');
    if (open != std::string::npos && term.ends_with(')')) {
      const std::string head = trim(std::string_view(term).substr(0, open));
      const std::size_t space = head.find(' ');
      const std::string word = space == std::string::npos ? "" : trim(head.substr(space));
      if (word != "in" && word != "notin") {
        return fail(Errc::invalid, "unable to parse requirement: " + term);
      }
      selector.terms_.push_back(
          {word == "in" ? Term::Op::in : Term::Op::not_in, head.substr(0, space),
           split_terms(std::string_view(term).substr(open + 1, term.size() - open - 2))});
    } else if (const std::size_t differs = term.find("!="); differs != std::string::npos) {
      selector.terms_.push_back(
          {Term::Op::not_equal, trim(term.substr(0, differs)), {trim(term.substr(differs + 2))}});
    } else if (const std::size_t equals = term.find('='); equals != std::string::npos) {
      const std::size_t value = equals + (term.compare(equals, 2, "==") == 0 ? 2 : 1);
      selector.terms_.push_back(
          {Term::Op::equal, trim(term.substr(0, equals)), {trim(term.substr(value))}});
    } else if (term.starts_with('!')) {
      selector.terms_.push_back({Term::Op::absent, trim(term.substr(1)), {}});
    } else {
      selector.terms_.push_back({Term::Op::exists, term, {}});
    }
  }
  return selector;
}

Result<Selector> Selector::parse_fields(std::string_view text, std::string_view plural) {
  auto selector = parse(text);
  if (!selector) return selector;
  const std::vector<std::string_view> known = selectable(plural);
  for (const Term& term : selector->terms_) {
    if (term.op != Term::Op::equal && term.op != Term::Op::not_equal) {
      return fail(Errc::invalid,
                  fmt::format("invalid selector: '{}'; can't understand '{}'", text, term.key));
    }
    if (std::find(known.begin(), known.end(), term.key) != known.end()) continue;
    return fail(Errc::invalid, fmt::format("\"{}\" is not a known field selector: only \"{}\"",
                                           term.key, fmt::join(known, "\", \"")));
  }
  return selector;
}

bool Selector::holds(const Term& term, const std::string* value) {
  const auto among = [&] {
    return value != nullptr &&
           std::find(term.values.begin(), term.values.end(), *value) != term.values.end();
  };
  switch (term.op) {
    case Term::Op::equal:
    case Term::Op::in: return among();
    case Term::Op::not_equal:
    case Term::Op::not_in: return !among();
    case Term::Op::exists: return value != nullptr;
    case Term::Op::absent: return value == nullptr;
  }
  return false;
}

bool Selector::matches_labels(const json& object) const {
  const json labels = object.at("metadata").value("labels", json::object());
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    const auto found = labels.find(term.key);
    const std::string* value =
        found == labels.end() ? nullptr : found->get_ptr<const std::string*>();
    return holds(term, value);
  });
}

bool Selector::matches_fields(const json& object) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    const std::string value = field_text(object, term.key);
    return holds(term, &value);
  });
}

}  // namespace ichor::lab
