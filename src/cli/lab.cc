#include <charconv>
#include <fmt/format.h>

#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

void declare_lab_start(FlagSet& flags, Request& request) {
  LabStartRequest& start = request.emplace<LabStartRequest>();
  flags.text("--state", "DIR", start.state_dir);
  flags.value("--time-scale", "N", [&start](const std::string& text) {
    return take_time_scale(text, start.time_scale);
  });
  flags.text("--faults", "FILE", start.fault_plan);
  flags.number("--seed", "N", 0, INT64_MAX,
               [&start](std::int64_t seed) { start.seed = static_cast<std::uint64_t>(seed); });
  flags.text("--base-address", "IP", start.base_address);
  flags.text("--diary", "FILE", start.diary);
  flags.text("--real-addresses", "DEVICE", start.device);
  flags.flag("--container", start.container);
  flags.flag("--proxmox", start.proxmox);
  flags.flag("--detach", start.detach);
  flags.rule([&start]() -> std::string {
    if (start.state_dir.empty()) return "needs --state DIR";
    const bool both = start.seed && !start.fault_plan.empty();
    if (both) return "--faults and --seed exclude each other";
    const bool odd = start.proxmox && (start.container || !start.device.empty());
    return odd ? "--proxmox goes with neither --container nor --real-addresses" : "";
  });
}

void declare_lab_status(FlagSet& flags, Request& request) {
  LabStatusRequest& status = request.emplace<LabStatusRequest>();
  flags.text("--state", "DIR", status.state_dir);
  flags.rule(
      [&status]() -> std::string { return status.state_dir.empty() ? "needs --state DIR" : ""; });
}

void declare_lab_inject(FlagSet& flags, Request& request) {
  LabInjectRequest& inject = request.emplace<LabInjectRequest>();
  flags.text("--state", "DIR", inject.state_dir);
  flags.text("--node", "NODE", inject.node);
  flags.value("--for", "TIME", [&inject](const std::string& text) {
    const auto time = parse_time(text);
    inject.lasts = time.value_or(Duration::zero());
    return time ? std::string() : fmt::format("\"{}\" is not a time such as 90s, 5m or 1h", text);
  });
  const auto take = [&inject](const std::string& text) {
    inject.fault = text;
    return std::string();
  };
  flags.argument("FAULT", FlagSet::Need::optional, take);
  flags.text("--call", "METHOD", inject.call);
  flags.flag("--list", inject.list);
  flags.rule([&inject]() -> std::string {
    if (inject.list) return inject.fault.empty() ? "" : "--list takes no fault";
    if (inject.fault.empty()) return "needs a FAULT, or --list";
    return inject.state_dir.empty() ? "needs --state DIR" : "";
  });
}

void declare_lab_stop(FlagSet& flags, Request& request) {
  LabStopRequest& stop = request.emplace<LabStopRequest>();
  flags.text("--state", "DIR", stop.state_dir);
  flags.rule(
      [&stop]() -> std::string { return stop.state_dir.empty() ? "needs --state DIR" : ""; });
}

void declare_lab_list(FlagSet&, Request& request) { request.emplace<LabListRequest>(); }

void declare_lab_rm(FlagSet& flags, Request& request) {
  LabRmRequest& rm = request.emplace<LabRmRequest>();
  flags.arguments("DIR", [&rm](const std::string& word) {
    rm.folders.push_back(word);
    return word.empty() ? std::string("DIR must not be empty") : std::string();
  });
  flags.rule([&rm]() -> std::string { return rm.folders.empty() ? "needs the folder DIR" : ""; });
}

}  // namespace ichor
