#include "cli/command_list.h"
#include "cli/kube_options.h"
#include "cli/options.h"

namespace ichor {

namespace {

/// The gates of the table; an object, and etcd, which the nodes themselves report.
std::vector<std::string> words() {
  return {
#define ICHOR_GATE(id, name, layer, phase, summary) name,
#include "model/gates.inc"
#undef ICHOR_GATE
      "object", "etcd"};
}

std::string take_object(const std::string& text, std::string& target) {
  const std::size_t slash = text.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == text.size()) {
    return "\"" + text + "\" is not a KIND/NAME such as deployment/coredns";
  }
  target = text;
  return {};
}

std::string take_condition(const std::string& text, std::string& target) {
  constexpr std::string_view condition = "condition=";
  const bool named = text.starts_with(condition) && text.size() > condition.size();
  if (!named && text != "ready" && text != "exists" && text != "deleted") {
    return "\"" + text + "\" is none of ready, exists, deleted and condition=NAME[=VALUE]";
  }
  target = text;
  return {};
}

}  // namespace

void declare_wait(FlagSet& flags, Request& request) {
  WaitRequest& wait = request.emplace<WaitRequest>();
  flags.argument(
      "WHAT", FlagSet::Need::required,
      [&wait](const std::string& text) {
        wait.what = text;
        return std::string();
      },
      words());
  flags.argument("KIND/NAME", FlagSet::Need::optional,
                 [&wait](const std::string& text) { return take_object(text, wait.object); });
  flags.value("--for", "WHAT",
              [&wait](const std::string& text) { return take_condition(text, wait.condition); });
  flags.text("--namespace", "NAME", wait.name_space);
  flags.value("--timeout", "TIME", [&wait](const std::string& text) -> std::string {
    // A look, and no wait.
    const std::optional<Duration> time = text == "0s" ? Duration::zero() : parse_time(text);
    if (!time) return "\"" + text + "\" is not a time such as 90s, 5m or 1h";
    wait.timeout = *time;
    return {};
  });
  declare_time(flags, "--stable", wait.stable);
  flags.text("--kubeconfig", "FILE", wait.kubeconfig);
  declare_identity(flags, wait.nodes.access);
  declare_endpoints(flags, wait.nodes.access);
  flags.rule([&wait]() -> std::string {
    const bool needs = wait.what == "object";
    if (needs && wait.object.empty()) return "`wait object` needs a KIND/NAME";
    if (!needs && !wait.object.empty()) return "only `wait object` takes a KIND/NAME";
    const bool never =
        wait.stable && wait.timeout > Duration::zero() && *wait.stable >= wait.timeout;
    if (never) return "--stable must be shorter than --timeout: it could never hold for so long";
    return {};
  });
}

}  // namespace ichor
