#include "machineconfig/validate/validate.h"

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>

#include "machineconfig/rules.h"
#include "machineconfig/typed_config.h"
#include "machineconfig/validate/subject.h"
#include "yaml/document.h"

namespace ichor {

namespace {

using namespace validate;

constexpr Check kChecks[] = {
    check_machine, check_install,  check_machine_network, check_kubespan,      check_disks,
    check_kubelet, check_features, check_runtime_spec,    check_control_plane,
};

void check_v1alpha1(const View& root, const ValidateOptions& options, int minor, Report& report) {
  const Subject subject{root, options.mode, minor};
  if (!subject.machine()) {
    report.error(root, "`machine` is missing", "add the machine's part of the config");
    return;
  }
  check_cluster(subject, report);
  for (const Check check : kChecks) check(subject, report);
}

void check_document(const ConfigDocument& document, Report& report) {
  for (const auto& rules :
       {link_document_rules(), network_document_rules(), volume_document_rules(),
        runtime_document_rules(), registry_document_rules(), cluster_document_rules(),
        kubernetes_document_rules(), container_document_rules(), storage_document_rules()}) {
    for (const DocumentRule& rule : rules) {
      if (document.kind->kind == rule.kind) rule.check(View(document.value), report);
    }
  }
}

/// Strict validation knows no warnings about the v1alpha1 document.
void promote(std::vector<ConfigFinding>& findings) {
  for (ConfigFinding& finding : findings) finding.severity = Severity::error;
}

void add_problems(const std::vector<ConfigProblem>& problems,
                  std::vector<ConfigFinding>& findings) {
  for (const ConfigProblem& problem : problems) {
    findings.push_back({Severity::error, problem.at, problem.what, problem.fix});
  }
}

void add(Report& report, std::vector<ConfigFinding>& findings) {
  std::vector<ConfigFinding> taken = report.take();
  findings.insert(findings.end(), std::make_move_iterator(taken.begin()),
                  std::make_move_iterator(taken.end()));
}

void check_all(const ConfigDocuments& documents, const ValidateOptions& options, int minor,
               bool whole, std::vector<ConfigFinding>& findings) {
  const ConfigDocument* v1alpha1 = nullptr;
  for (const ConfigDocument& document : documents) {
    if (document.kind == nullptr && v1alpha1 == nullptr) v1alpha1 = &document;
  }
  if (v1alpha1 != nullptr) {
    Report report(minor);
    check_v1alpha1(View(v1alpha1->value), options, minor, report);
    std::vector<ConfigFinding> found = report.take();
    if (options.strict) promote(found);
    findings.insert(findings.end(), found.begin(), found.end());
  }
  Report report(minor);
  for (const ConfigDocument& document : documents) {
    if (document.kind == nullptr) continue;
    check_document(document, report);
    if (v1alpha1 != nullptr) check_old_and_new(View(v1alpha1->value), document, report);
  }
  // Documents that cannot be read would be missed.
  if (whole && rules_of(minor).complete_without_v1alpha1) {
    check_whole_config(documents, options.mode, report);
  }
  add(report, findings);
}

}  // namespace

std::vector<ConfigFinding> validate_config(std::string_view text, const ValidateOptions& options) {
  auto parsed = yaml::parse_or_explain(text, "");
  if (!parsed) {
    return {{Severity::error, parsed.error().at, parsed.error().what, "correct the YAML"}};
  }
  std::vector<yaml::Node> roots;
  for (yaml::Document& document : *parsed) roots.push_back(std::move(document.root));
  const int minor = std::clamp(options.minor.value_or(minor_shown(roots)),
                               schema::Schema::kOldestMinor, schema::Schema::kNewestMinor);
  std::vector<ConfigFinding> findings;
  std::vector<ConfigProblem> problems;
  ConfigDocuments documents;
  bool anything = false;
  for (yaml::Node& root : roots) {
    if (root.is_null()) continue;
    anything = true;
    auto read = read_document(root, minor, problems);
    if (read) {
      if (read->kind == nullptr && !rules_of(minor).refuses_empty_items) {
        Report report(minor);
        check_empty_items(root, report);
        add(report, findings);
      }
      documents.push_back(*std::move(read));
    }
    yaml::wipe(root);
  }
  find_conflicts(documents, problems);
  if (!anything) {
    problems.push_back({{1, 1}, "there is no machine config in it", "generate one"});
  }
  const bool whole = problems.empty();
  add_problems(problems, findings);
  check_all(documents, options, minor, whole, findings);
  wipe(documents);
  std::stable_sort(findings.begin(), findings.end(),
                   [](const ConfigFinding& a, const ConfigFinding& b) {
                     return std::tie(a.at.line, a.at.column) < std::tie(b.at.line, b.at.column);
                   });
  return findings;
}

}  // namespace ichor
