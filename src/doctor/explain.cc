#include "doctor/explain.h"

#include <algorithm>
#include <fmt/format.h>

namespace ichor {

namespace {

constexpr std::size_t kColumnsMax = 100;

void add(std::vector<std::string>& lines, std::vector<std::string> more) {
  std::move(more.begin(), more.end(), std::back_inserter(lines));
}

void add_part(std::vector<std::string>& lines, std::string_view heading, std::string_view text) {
  std::vector<std::string> part = wrapped(text, "            ");
  if (part.empty()) return;
  part.front().replace(0, 12, fmt::format("  {:<10}", heading));
  add(lines, std::move(part));
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
    at += with.size();
  }
}

void write_row(const Fault& fault, std::string& page) {
  page += fmt::format("\n### {}: {}\n\n", fault.id, fault.title);
  const auto item = [&](std::string_view heading, std::string_view text) {
    std::vector<std::string> lines = wrapped(fmt::format("{}: {}", heading, text), "  ");
    lines.front().replace(0, 2, "- ");
    for (const std::string& line : lines) page += line + "\n";
  };
  item("Symptom", fault.signs);
  item("Cause", fault.cause);
  item("ichor", fault.response);
  for (const std::string_view step : fault.steps) item("You", step);
  item("Resolved", name_of(fault.recovery));
  item("Invariants", fault.holds);
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, std::string_view indent) {
  std::vector<std::string> lines;
  std::string line(indent);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const bool begins = line.size() == indent.size();
    if (!begins && line.size() + 1 + word.size() > kColumnsMax) {
      lines.push_back(std::move(line));
      line = indent;
    } else if (!begins) {
      line += ' ';
    }
    line += word;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (line.size() > indent.size()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> explain(const Fault& fault) {
  std::vector<std::string> lines{fmt::format("{}: {}", fault.id, fault.title)};
  add_part(lines, "symptom", fault.signs);
  add_part(lines, "cause", fault.cause);
  add_part(lines, "ichor", fault.response);
  std::string_view heading = "fix";
  for (const std::string_view step : fault.steps) {
    add_part(lines, heading, step);
    heading = "";
  }
  add_part(lines, "resolved", name_of(fault.recovery));
  add_part(lines, "invariant", fault.holds);
  return lines;
}

std::vector<std::string> explain(const Invariant& invariant) {
  std::vector<std::string> lines{fmt::format("{}: {}", invariant.id, invariant.title)};
  add_part(lines, "promise", invariant.promise);
  return lines;
}

nlohmann::ordered_json row_of(const Fault& fault) {
  nlohmann::ordered_json row;
  row["id"] = fault.id;
  row["title"] = fault.title;
  row["signs"] = fault.signs;
  row["cause"] = fault.cause;
  row["ichor"] = fault.response;
  row["fix"] = fault.steps;
  row["recovers"] = name_of(fault.recovery);
  row["holds"] = fault.holds;
  return row;
}

std::string fill_in(std::string_view step, std::string_view node) {
  std::string filled(step);
  if (!node.empty()) replace_all(filled, "NODE", node);
  replace_all(filled, " -p PROFILE", "");
  replace_all(filled, "PROFILE", "the profile");
  return filled;
}

std::string catalogue_markdown() {
  std::string page =
      "# Faults\n\n"
      "Every known way in which a bring-up fails: the symptom, the cause, what ichor does and\n"
      "what you do. Errors name these IDs, and `ichor doctor ID` prints the same text.\n"
      "`make faults` writes this file from `src/doctor`: do not edit it.\n";
  for (const FaultFamily& family : fault_families()) {
    page += fmt::format("\n## {}: {}\n", family.letter, family.title);
    for (const Fault& fault : faults()) {
      if (fault.id.front() == family.letter) write_row(fault, page);
    }
  }
  page += "\n## I: what is true of every run\n\n";
  for (const Invariant& invariant : invariants()) {
    std::vector<std::string> lines =
        wrapped(fmt::format("{}, {}: {}", invariant.id, invariant.title, invariant.promise), "  ");
    lines.front().replace(0, 2, "- ");
    for (const std::string& line : lines) page += line + "\n";
  }
  return page;
}

}  // namespace ichor
