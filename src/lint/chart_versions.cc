#include "lint/chart_versions.h"

#include <fmt/format.h>
#include <string_view>

#include "model/kubernetes_plan.h"
#include "profile/profile_layout.h"

namespace ichor {

namespace {

/// "cert-manager" of "oci://quay.io/jetstack/charts/cert-manager".
std::string last_part(std::string_view chart) {
  return std::string(chart.substr(chart.rfind('/') + 1));
}

/// The word behind a key: of `version: v1.19.1 # why` or of `"version" "v1.19.1"`. Empty if the key
/// is not in the line, or if a template makes the value.
std::string word_behind(std::string_view line, std::string_view key) {
  std::size_t at = line.find(key);
  while (at != std::string_view::npos) {
    const bool starts = at == 0 || std::string_view(" \"({-").find(line[at - 1]) != line.npos;
    std::string_view rest = line.substr(at + key.size());
    const bool in_quotes = rest.starts_with('"');
    const bool ends = rest.starts_with(':') || in_quotes;
    if (starts && ends) {
      rest.remove_prefix(1);
      const std::size_t begin = rest.find_first_not_of(" \"'");
      if (begin == std::string_view::npos) return {};
      rest = rest.substr(begin);
      const std::string_view word = rest.substr(0, rest.find_first_of(" \"',)}#"));
      return word.starts_with("{{") || word.starts_with('.') ? std::string() : std::string(word);
    }
    at = line.find(key, at + 1);
  }
  return {};
}

/// Collects what the lines of one release say.
class Collector {
 public:
  explicit Collector(const std::string& file) : file_(file) {}

  void take(std::string_view line, int number) {
    if (line.find_first_not_of(' ') == line.find('#')) return;
    const std::string name = word_behind(line, "name");
    const std::size_t first = line.find_first_not_of(' ');
    const bool entry = first != std::string_view::npos && line[first] == '-';
    const bool in_dict = !name.empty() && line.find("(dict") != std::string_view::npos;
    if (entry || in_dict) flush();
    if (!name.empty() && current_.name.empty()) current_.name = name;
    const std::string chart = word_behind(line, "chart");
    if (!chart.empty()) current_.name = last_part(chart);
    const std::string version = word_behind(line, "version");
    if (version.empty()) return;
    current_.version = version;
    current_.where = fmt::format("{}:{}:{}", file_, number, line.find("version") + 1);
  }

  std::vector<ChartVersion> done() {
    flush();
    return std::move(found_);
  }

 private:
  void flush() {
    if (!current_.name.empty() && !current_.version.empty()) found_.push_back(current_);
    current_ = {};
  }

  const std::string& file_;
  ChartVersion current_;
  std::vector<ChartVersion> found_;
};

void add_helmfile(const std::string& path, Files& files, std::vector<ChartVersion>& into) {
  if (path.empty() || !files.has_file(path)) return;
  const auto text = files.read_input(path);
  if (!text) return;
  for (ChartVersion& chart : versions_in_helmfile(*text, path)) into.push_back(std::move(chart));
}

}  // namespace

std::vector<ChartVersion> versions_in_helmfile(const std::string& text, const std::string& file) {
  Collector collector(file);
  std::string_view rest = text;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    collector.take(rest.substr(0, end), number);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return collector.done();
}

void read_chart_versions(const ProfileReading& reading, const std::string& folder, Files& files,
                         LintMaterial& material) {
  const KubernetesPlan* plan = reading.profile.kubernetes.get();
  if (plan == nullptr) return;
  const std::string root = plan->root == "." ? folder : at_profile(folder, plan->root) + "/";
  for (std::size_t i = 0; i < plan->crds.charts.size(); ++i) {
    const KubernetesPlan::Chart& chart = plan->crds.charts[i];
    material.crd_charts.push_back({last_part(chart.chart), chart.version,
                                   reading.source.where(fmt::format("phases.crds.charts[{}]", i))});
  }
  for (std::size_t i = 0; i < plan->core.releases.size(); ++i) {
    const KubernetesPlan::Release& release = plan->core.releases[i];
    material.controllers.push_back(
        {release.chart.chart.empty() ? release.name : last_part(release.chart.chart),
         release.chart.version, reading.source.where(fmt::format("phases.core.releases[{}]", i))});
  }
  if (!plan->crds.helmfile.empty()) {
    add_helmfile(at_profile(root, plan->crds.helmfile), files, material.crd_charts);
  }
  if (!plan->core.helmfile.empty()) {
    add_helmfile(at_profile(root, plan->core.helmfile), files, material.controllers);
  }
}

}  // namespace ichor
