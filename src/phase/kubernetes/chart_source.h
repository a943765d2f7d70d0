#pragma once

#include <map>
#include <string>
#include <vector>

namespace ichor {

/// Where helm gets a chart.
struct ChartSource {
  std::string chart;  // as helm needs it
  std::string version;
  bool plain_http{false};  // of its registry

  auto operator<=>(const ChartSource&) const = default;
};

/// Charts that were fetched in this run, and the file of each.
using FetchedCharts = std::map<ChartSource, std::string>;

/// The arguments that name a chart to helm: the chart itself, then flags.
struct ChartWords {
  std::string chart;
  std::vector<std::string> flags;
};

/// The file if it was fetched, else where it comes from.
ChartWords chart_words(const FetchedCharts& fetched, const ChartSource& source);

/// `helm template` of a chart with its CRDs; the values come on standard input.
std::vector<std::string> template_words(const std::string& name, const std::string& name_space,
                                        const ChartWords& chart);

/// The name that `helm pull` gives the chart's file. Empty for what is not fetched ahead: charts in
/// folders and repositories, and versions that a registry writes in another way.
std::string fetched_name(const ChartSource& source);

}  // namespace ichor
