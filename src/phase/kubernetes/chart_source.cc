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

std::string fetched_name(const ChartSource& source) {
  const bool exact =
      !source.version.empty() && source.version.find_first_of("+^~<>=*| ") == std::string::npos;
  if (!source.chart.starts_with("oci://") || !exact) return {};
  const std::string name = source.chart.substr(source.chart.rfind('/') + 1);
  return name.empty() ? "" : fmt::format("{}-{}.tgz", name, source.version);
}

}  // namespace ichor
