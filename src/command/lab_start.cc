#include <csignal>
#include <fmt/format.h>

#include "cluster/profile_input.h"
#include "command/commands.h"
#include "lab/control.h"
#include "lab/lab.h"
#include "lab/listing.h"
#include "run/finish.h"

namespace ichor {

namespace {

OrEnd<std::vector<lab::ScheduledFault>> faults_of(const LabStartRequest& request,
                                                  const ClusterProfile& profile, Host& host) {
  if (request.seed) {
    std::vector<NodeName> names;
    for (const NodePlan& plan : profile.nodes) names.push_back(plan.name);
    return lab::draw_fault_plan(*request.seed, names);
  }
  if (request.fault_plan.empty()) return std::vector<lab::ScheduledFault>{};
  const auto text = host.files.read_input(request.fault_plan);
  if (!text) return end_with(Exit::usage, text.error().message);
  auto plan = lab::read_fault_plan(*text, request.fault_plan);
  if (!plan) return end_with(Exit::findings, plan.error().message);
  return *std::move(plan);
}

/// The same lab in a process of its own.
Exit start_detached(const LabStartRequest& request, const CommonOptions& common, Host& host) {
  const auto program = host.environment.program();
  if (!program) return finish(end_with(program.error()).value(), host.terminal);
  lab::LabProcess process;
  process.state_dir = host.files.absolute(request.state_dir);
  process.argv = {*program,
                  "lab",
                  "start",
                  "--profile",
                  host.files.absolute(common.profile),
                  "--state",
                  process.state_dir,
                  "--time-scale",
                  fmt::format("{}", request.time_scale)};
  const auto pass = [&](const char* flag, const std::string& value) {
    if (value.empty()) return;
    process.argv.emplace_back(flag);
    process.argv.push_back(value);
  };
  pass("--faults", request.fault_plan.empty() ? "" : host.files.absolute(request.fault_plan));
  pass("--seed", request.seed ? fmt::to_string(*request.seed) : "");
  pass("--base-address", request.base_address);
  pass("--real-addresses", request.device);
  pass("--diary", request.diary.empty() ? "" : host.files.absolute(request.diary));
  if (request.container) process.argv.emplace_back("--container");
  if (request.proxmox) process.argv.emplace_back("--proxmox");
  const auto status = lab::start_process(process);
  if (!status) return finish(end_with(status.error()).value(), host.terminal);
  host.terminal.display().show(lab_listing(*status));
  RunResult result;
  result.exit = Exit::done;
  result.verdict = fmt::format("the lab runs as process {}", status->pid);
  Summary summary;
  summary.result = std::move(result);
  summary.next = {fmt::format("ichor lab stop --state {}", request.state_dir)};
  return finish(std::move(summary), host.terminal);
}

}  // namespace

Exit run(const LabStartRequest& request, const CommonOptions& common, Host& host) {
  auto input = read_profile_input(common, {}, host);
  if (!input) return finish(std::move(input).error(), host.terminal);
  auto faults = faults_of(request, input->profile, host);
  if (!faults) return finish(std::move(faults).error(), host.terminal);
  if (request.detach) return start_detached(request, common, host);
  lab::LabOptions options;
  options.state_dir = request.state_dir;
  options.time_scale = request.time_scale;
  options.base_address = request.base_address;
  options.diary = request.diary;
  options.real_device = request.device;
  if (request.container) options.platform = sim::Platform::container;
  options.faults = *std::move(faults);
  if (request.proxmox && !input->provider) {
    return finish(
        end_with(Exit::usage, common.profile + " has no providers.proxmox with a url").value(),
        host.terminal);
  }
  options.provider = input->provider;
  options.proxmox = request.proxmox;
  auto started = lab::Lab::start(input->profile, std::move(options));
  if (!started) return finish(end_with(started.error()).value(), host.terminal);
  host.terminal.display().show(lab_listing((*started)->status()));
  const int signal = (*started)->wait(true);
  RunResult result;
  // A signal is how a lab in the foreground ends.
  result.exit = signal == SIGTERM ? Exit::terminated : signal != 0 ? Exit::interrupted : Exit::done;
  result.verdict = "the lab is off; its disks are in " + request.state_dir;
  return finish(summary_of(*input, std::move(result)), host.terminal);
}

}  // namespace ichor
