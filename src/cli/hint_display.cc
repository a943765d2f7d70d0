#include "cli/hint_display.h"

namespace ichor {

void HintDisplay::emit(const Event& event) {
  Event complete = event;
  complete.text = hints_.in(std::move(complete.text));
  inner_.emit(complete);
}

void HintDisplay::show(const Listing& listing) {
  Listing complete = listing;
  for (nlohmann::ordered_json& row : complete.rows) {
    const auto fix = row.find("fix");
    if (fix != row.end() && fix->is_string()) *fix = hints_.in(fix->get<std::string>());
  }
  inner_.show(complete);
}

std::string HintDisplay::next_line(const std::string& line) const {
  if (!line.starts_with("ichor ")) return hints_.in(line);
  const std::size_t end = std::min(line.find("  # "), line.size());
  return hints_.command(line.substr(0, end)) + line.substr(end);
}

void HintDisplay::end(const Summary& summary) {
  Summary complete = summary;
  complete.result.verdict = hints_.in(std::move(complete.result.verdict));
  for (Finding& finding : complete.result.findings) {
    finding.what = hints_.in(std::move(finding.what));
    finding.why = hints_.in(std::move(finding.why));
    finding.fix = hints_.in(std::move(finding.fix));
  }
  for (std::string& line : complete.next) line = next_line(line);
  inner_.end(complete);
}

}  // namespace ichor
