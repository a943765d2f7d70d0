#include "run/cluster_checks.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/clean_text.h"
#include "lab/kube/played_helm.h"
#include "machineconfig/installer.h"
#include "phase/image_check.h"
#include "phase/kubernetes/tools.h"
#include "secrets/certificate.h"
#include "secrets/talosconfig.h"

namespace ichor {

namespace {

constexpr Duration kAnswerTime = std::chrono::seconds(5);

Task<void> ask_registry(Context context, WebClient& web, std::string url,
                        std::optional<int>& status) {
  const SecretString no_token;
  const auto answer = co_await web.get(context.within(kAnswerTime), std::move(url), no_token);
  if (answer) status = answer->status;
}

constexpr Duration kProbeTime = std::chrono::seconds(2);
/// How long a program may take to print its version.
constexpr Duration kToolTime = std::chrono::seconds(10);
constexpr std::size_t kVersionMax = 200;
constexpr Duration kSoon = std::chrono::hours(24 * 30);

Check complaint(std::string name, Verdict verdict, Finding finding) {
  finding.where = "preflight";
  finding.severity = verdict == Verdict::failed ? Severity::error : Severity::warning;
  std::string detail = finding.what;
  return {std::move(name), verdict, std::move(detail), std::move(finding)};
}

/// Whether the cluster can hold its VIP itself by now.
bool may_be_ours(const ClusterProfile& profile, const JournalFacts& facts) {
  if (facts.adopted()) return true;
  return std::any_of(profile.nodes.begin(), profile.nodes.end(), [&](const NodePlan& plan) {
    return plan.role == Role::control_plane &&
           (facts.settled(plan.name) || facts.found_running(plan.name) ||
            facts.last(Call::apply_configuration, plan.name));
  });
}

const char* version_word(const std::string& tool) {
  if (tool == "kubeconform") return "-v";
  return tool == "op" ? "--version" : "version";
}

}  // namespace

Check vip_check(const ProfileInput& input, const RunTarget& target, const JournalFacts& facts,
                Host& host) {
  const std::string& vip = input.profile.network.vip;
  if (vip.empty()) return {"VIP", Verdict::not_applicable, "the profile has none"};
  if (target.dial) return {"VIP", Verdict::not_applicable, "lab"};
  if (may_be_ours(input.profile, facts)) {
    return {"VIP", Verdict::not_applicable, "the cluster may hold it itself by now"};
  }
  for (const int port : {6443, 50000}) {
    const PortAnswer answer = host.network.probe(IpAddress(vip), port, kProbeTime);
    if (answer == PortAnswer::silent) continue;
    if (answer == PortAnswer::unreachable) {
      return {"VIP", Verdict::skipped, fmt::format("this machine has no route to {}", vip)};
    }
    return complaint("VIP", Verdict::failed,
                     {Severity::error,
                      "D8",
                      {},
                      {},
                      fmt::format("another machine already has the VIP {}: port {} {}", vip, port,
                                  answer == PortAnswer::accepted ? "is open" : "is refused"),
                      "find the machine that uses the address, or choose another network.vip; if "
                      "it belongs to this cluster, the state folder is missing: use --adopt"});
  }
  return {"VIP", Verdict::passed, fmt::format("nothing answers at {}", vip)};
}

std::string tool_trouble(const NeededTool& tool, const std::string& program,
                         const Result<ProcessResult>& ended) {
  if (ended) return fmt::format("{} does not report its version: exit {}", program, ended->exit);
  if (ended.error().code == Errc::invalid) {
    return fmt::format("the program {} is not installed; it is needed {}", tool.name, tool.why);
  }
  return ended.error().message;
}

Check credentials_check(const ProfileInput& input, const Workspace& space, Host& host) {
  const std::string& named = input.access.talosconfig;
  std::optional<SecretString> text;
  if (!named.empty()) {
    if (auto read = host.files.read_secret(named)) text = *std::move(read);
  } else if (space.state) {
    if (auto read = space.state->load("talosconfig")) text = *std::move(read);
  }
  if (!text) return {"credentials", Verdict::not_applicable, "made when the cluster is created"};
  const std::string file = named.empty() ? "talosconfig of the state folder" : named;
  const auto parsed = pki::read_talosconfig(text->reveal(), file);
  const std::string wanted =
      input.access.context.empty() ? input.profile.name : input.access.context;
  const pki::TalosContext* context = parsed ? parsed->find(wanted) : nullptr;
  if (parsed && !context && !named.empty() && input.access.context.empty()) {
    context = parsed->find(parsed->current);
  }
  if (!context) {
    return complaint(
        "credentials", Verdict::failed,
        {Severity::error,
         "T6",
         {},
         {},
         parsed ? fmt::format("{} has no context {}", file, wanted) : parsed.error().message,
         "name another with --talosconfig and --context"});
  }
  const auto facts = pki::inspect(context->client.certificate);
  const WallTime now = host.loop.clock().wall();
  if (!facts || pki::expires_within(*facts, now, Duration::zero())) {
    return complaint("credentials", Verdict::failed,
                     {Severity::error,
                      "T6",
                      {},
                      {},
                      fmt::format("the client certificate in {} is expired or broken", file),
                      "`ichor gen talosconfig` makes a new one of the secrets"});
  }
  if (pki::expires_within(*facts, now, kSoon)) {
    return complaint("credentials", Verdict::warning,
                     {Severity::warning,
                      "T6",
                      {},
                      {},
                      fmt::format("the client certificate in {} expires within 30 days", file),
                      "`ichor gen talosconfig` makes a new one of the secrets"});
  }
  return {"credentials", Verdict::passed, fmt::format("context {} of {}", context->name, file)};
}

std::vector<Check> cluster_checks(const ProfileInput& input, const RunTarget& target,
                                  const Workspace& space, Host& host) {
  return {vip_check(input, target, space.facts, host), credentials_check(input, space, host)};
}

std::vector<Check> tool_checks(const ClusterProfile& profile, const RunTarget& target, Host& host) {
  constexpr int kFirstPhase = 0;
  constexpr int kLastPhase = 3;
  const KubernetesPlan* plan = profile.kubernetes.get();
  std::vector<NeededTool> needed;
  if (plan && plan->phases) needed = tools_needed(*plan, kFirstPhase, kLastPhase);
  if (needed.empty()) return {{"tools", Verdict::not_applicable, "the profile needs none"}};
  PlayedHelm played(host.programs.processes(), [] { return nullptr; });
  std::vector<Check> checks;
  for (const NeededTool& tool : needed) {
    const auto named = plan->tools.find(tool.name);
    ProcessCall call;
    call.program = named == plan->tools.end() ? tool.name : named->second;
    if (!target.lab.empty() && tool.name == "helm" && played.plays(call.program)) {
      checks.push_back({"tool helm", Verdict::not_applicable, "not installed: the lab plays it"});
      continue;
    }
    call.arguments = {version_word(tool.name)};
    call.limit = kToolTime;
    const auto ended = host.programs.run_program(call);
    if (ended && ended->exit == 0) {
      const std::string_view said = ended->output.reveal();
      checks.push_back({"tool " + tool.name, Verdict::passed,
                        clean_text(said.substr(0, said.find('\n')), kVersionMax)});
      continue;
    }
    checks.push_back(complaint(
        "tool " + tool.name, Verdict::failed,
        {Severity::error,
         "L14",
         {},
         {},
         tool_trouble(tool, call.program, ended),
         fmt::format("install it, or name it in the profile: phases.tools.{}", tool.name)}));
  }
  return checks;
}

std::vector<Check> image_checks(const ClusterProfile& profile, const RunTarget& target,
                                Host& host) {
  if (target.dial) return {{"image", Verdict::not_applicable, "lab"}};
  std::set<std::string> images;
  for (const NodePlan& node : profile.nodes) images.insert(installer_image(profile.talos, node));
  std::vector<Check> checks;
  for (const std::string& image : images) {
    const auto url = manifest_url(image);
    if (!url) {
      checks.push_back({"image", Verdict::skipped, image + " names no registry and tag"});
      continue;
    }
    CancelScope scope;
    std::optional<int> status;
    const int signal = host.loop.drive(
        ask_registry(Context{&host.loop.clock(), &scope}, host.network.web(), *url, status), scope);
    if (signal != 0) break;
    checks.push_back(judge_image(image, status));
  }
  return checks;
}

Check twin_check(const ClusterView& seen) {
  int known = 0;
  for (auto one = seen.nodes.begin(); one != seen.nodes.end(); ++one) {
    if (!one->identity) continue;
    ++known;
    for (auto other = one + 1; other != seen.nodes.end(); ++other) {
      if (!other->identity || !one->identity->same_machine(*other->identity)) continue;
      return complaint(
          "identities", Verdict::failed,
          {Severity::error,
           "D8",
           {},
           {},
           fmt::format("{} at {} and {} at {} are one machine, or clones: {} and {}",
                       one->node.value(), one->address.value(), other->node.value(),
                       other->address.value(), encode_identity(*one->identity, {}),
                       encode_identity(*other->identity, {})),
           "correct their addresses, or give each virtual machine its own UUID and MAC"});
    }
  }
  if (known == 0) return {"identities", Verdict::skipped, "no node has reported its identity"};
  return {"identities", Verdict::passed, fmt::format("{} different machines", known)};
}

std::vector<Finding> failures_of(const std::vector<Check>& checks) {
  std::vector<Finding> failures;
  for (const Check& check : checks) {
    if (check.verdict == Verdict::failed) failures.push_back(check.finding);
  }
  return failures;
}

}  // namespace ichor
