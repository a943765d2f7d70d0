#include "view/annotations.h"

#include <fmt/format.h>

#include "view/cells.h"

namespace ichor {

namespace {

/// A value before the second pair of colons: these and commas would end it.
std::string property_text(std::string_view text) {
  std::string escaped;
  for (const char c : annotation_text(text)) {
    if (c == ':') {
      escaped += "%3A";
    } else if (c == ',') {
      escaped += "%2C";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string_view command_of(Severity severity) {
  switch (severity) {
    case Severity::error: return "error";
    case Severity::warning: return "warning";
    default: return "notice";
  }
}

}  // namespace

std::string annotation_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '%': escaped += "%25"; break;
      case '\r': escaped += "%0D"; break;
      case '\n': escaped += "%0A"; break;
      default: escaped += c;
    }
  }
  return clean(escaped);
}

std::vector<std::string> annotations(const RunResult& result) {
  std::vector<std::string> lines;
  for (const Finding& finding : result.findings) {
    std::string title = finding.id + " " + finding.where;
    if (!finding.node.value().empty()) title += fmt::format(" ({})", finding.node.value());
    std::string text = finding.what;
    if (!finding.fix.empty()) text += "\nfix: " + finding.fix;
    lines.push_back(fmt::format("::{} title={}::{}", command_of(finding.severity),
                                property_text(title), annotation_text(text)));
  }
  return lines;
}

}  // namespace ichor
