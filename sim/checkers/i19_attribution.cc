#include <algorithm>
#include <cctype>
#include <fmt/format.h>

#include "sim/checkers/make.h"

namespace ichor::sim {

namespace {

bool failed(Exit exit) {
  return exit == Exit::failed || exit == Exit::findings || exit == Exit::out_of_time ||
         exit == Exit::unsafe;
}

bool failed(StepEnd end) {
  return end == StepEnd::failed || end == StepEnd::out_of_time || end == StepEnd::unsafe;
}

bool is_complete(const Finding& finding) {
  return !finding.id.empty() && !finding.where.empty() && !finding.what.empty() &&
         !finding.fix.empty();
}

/// Whether the text says that time ran out and nothing else: no node, no call, no condition.
bool only_says_late(std::string_view text) {
  static constexpr std::string_view empty_words[] = {
      "a",    "call",  "code",     "context", "deadline", "deadlineexceeded",
      "desc", "error", "exceeded", "of",      "out",      "rpc",
      "the",  "time",  "timed",    "timeout",
  };
  bool any = false;
  std::string word;
  const auto is_empty_word = [&] {
    return std::find(std::begin(empty_words), std::end(empty_words), word) != std::end(empty_words);
  };
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const auto letter = static_cast<unsigned char>(i < text.size() ? text[i] : ' ');
    if (std::isalnum(letter) != 0) {
      word += static_cast<char>(std::tolower(letter));
    } else if (!word.empty()) {
      if (!is_empty_word()) return false;
      any = true;
      word.clear();
    }
  }
  return any;
}

}  // namespace

class Attribution final : public Checker {
 public:
  explicit Attribution(const Truth& truth) : Checker(truth) {}

  std::string_view id() const override { return "I19"; }
  std::string_view promise() const override {
    return "a failure names the node, the step, the cause and the way on";
  }

  void on_process_ended(int process, const RunResult& result) override {
    if (!failed(result.exit)) return;
    const auto is_error = [](const Finding& finding) {
      return finding.severity == Severity::error;
    };
    if (std::none_of(result.findings.begin(), result.findings.end(), is_error)) {
      violated(fmt::format("run {} failed without a finding: {}", process, result.verdict));
    }
    if (only_says_late(result.verdict)) {
      violated(fmt::format("run {} only says \"{}\"", process, result.verdict));
    }
    for (const Finding& finding : result.findings) {
      if (is_error(finding)) check_finding(process, finding);
    }
    for (const NodeResult& node : result.nodes) check_node(process, node, result.findings);
  }

 private:
  void check_finding(int process, const Finding& finding) {
    if (!is_complete(finding)) {
      violated(
          fmt::format("run {} has a finding without id, place, cause or fix: \"{}\" \"{}\" "
                      "\"{}\" \"{}\"",
                      process, finding.id, finding.where, finding.what, finding.fix));
    } else if (only_says_late(finding.what)) {
      violated(fmt::format("run {} has a finding that only says \"{}\"", process, finding.what));
    } else if (!finding.node.value().empty() && truth().profile.find(finding.node) == nullptr) {
      violated(
          fmt::format("run {} blames {}, which is not planned", process, finding.node.value()));
    }
  }

  void check_node(int process, const NodeResult& node, const std::vector<Finding>& findings) {
    if (!failed(node.end)) return;
    const bool named = std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
      return finding.node == node.node;
    });
    if (named) return;
    violated(fmt::format("run {} says that {} failed, and no finding names it", process,
                         node.node.value()));
  }
};

template std::unique_ptr<Checker> make_checker<Attribution>(const Truth& truth);

}  // namespace ichor::sim
