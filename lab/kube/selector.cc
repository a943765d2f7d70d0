#include "lab/kube/selector.h"

#include <algorithm>

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

}  // namespace

Result<Selector> Selector::parse_labels(std::string_view text) {
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

Result<Selector> Selector::parse_fields(std::string_view text) { return parse_labels(text); }

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
    std::string path = "/" + term.key;
    std::replace(path.begin(), path.end(), '.', '/');
    const json::json_pointer pointer(path);
    std::string value;
    if (object.contains(pointer) && object.at(pointer).is_string()) {
      value = object.at(pointer).get<std::string>();
    }
    return holds(term, &value);
  });
}

}  // namespace ichor::lab
