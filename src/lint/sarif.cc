#include "lint/sarif.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <set>

#include "lint/rules.h"

namespace ichor {

namespace {

using Json = nlohmann::ordered_json;

std::string_view level_of(Severity severity) {
  return severity == Severity::error ? "error" : severity == Severity::warning ? "warning" : "note";
}

/// Takes a number and its colon from the end of "file:line:column"; 1 if there is none.
int take_number(std::string_view& where) {
  const std::size_t colon = where.rfind(':');
  int number = 0;
  if (colon == std::string_view::npos) return 1;
  const char* const end = where.data() + where.size();
  const auto [stop, error] = std::from_chars(where.data() + colon + 1, end, number);
  if (error != std::errc() || stop != end || number < 1) return 1;
  where = where.substr(0, colon);
  return number;
}

Json location_of(std::string_view where) {
  const int column = take_number(where);
  const int line = take_number(where);
  return {{"physicalLocation",
           {{"artifactLocation", {{"uri", where}}},
            {"region", {{"startLine", line}, {"startColumn", column}}}}}};
}

/// Every rule that has a finding, with what the page of its kind says.
Json rules_of(const std::vector<Finding>& findings) {
  std::set<std::string> ids;
  for (const Finding& finding : findings) ids.insert(finding.id);
  Json rules = Json::array();
  for (const std::string& id : ids) {
    const LintRule* rule = rule_of(id);
    Json entry = {{"id", id}};
    entry["shortDescription"] = {
        {"text", rule != nullptr ? rule->title : std::string_view("the profile can be read")}};
    if (rule != nullptr) entry["fullDescription"] = {{"text", rule->reason}};
    entry["helpUri"] = rule != nullptr ? rule->page() : "docs/lint/profile.md";
    rules.push_back(std::move(entry));
  }
  return rules;
}

}  // namespace

std::string to_sarif(const std::vector<Finding>& findings, std::string_view version) {
  Json results = Json::array();
  for (const Finding& finding : findings) {
    Json result = {{"ruleId", finding.id}, {"level", level_of(finding.severity)}};
    result["message"] = {{"text", finding.what + "\nfix: " + finding.fix}};
    result["locations"] = Json::array({location_of(finding.where)});
    results.push_back(std::move(result));
  }
  Json driver = {{"name", "ichor"}, {"version", version}, {"rules", rules_of(findings)}};
  Json log = {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"}, {"version", "2.1.0"}};
  log["runs"] = Json::array(
      {Json{{"tool", {{"driver", std::move(driver)}}}, {"results", std::move(results)}}});
  return log.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace ichor
