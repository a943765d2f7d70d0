#include "phase/kubernetes/chart_source.h"

#include <fmt/format.h>

namespace ichor {

ChartWords chart_words(const FetchedCharts& fetched, const ChartSource& source) {
  if (const auto found = fetched.find(source); found != fetched.end()) return {found->second, {}};
  ChartWords words{source.chart, {}};
  if (!source.version.empty()) words.flags = {"--version", source.version};
  if (source.plain_http) words.flags.emplace_back("--plain-http");
  return words;
}

std::vector<std::string> template_words(const std::string& name, const std::string& name_space,
                                        const ChartWords& chart) {
  std::vector<std::string> words{"template", name, chart.chart, "--include-crds", "--values", "-"};
  words.insert(words.end(), chart.flags.begin(), chart.flags.end());
  if (!name_space.empty()) words.insert(words.end(), {"--namespace", name_space});
  return words;
}

std::string fetched_name(const ChartSource& source) {
  const bool exact =
      !source.version.empty() && source.version.find_first_of("+^~<>=*| ") == std::string::npos;
  if (!source.chart.starts_with("oci://") || !exact) return {};
  const std::string name = source.chart.substr(source.chart.rfind('/') + 1);
  return name.empty() ? "" : fmt::format("{}-{}.tgz", name, source.version);
}

}  // namespace ichor
