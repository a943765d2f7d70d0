#include "lab/running_lab.h"

#include <fmt/format.h>

#include "base/words.h"
#include "lab/control.h"

namespace ichor {

namespace {

OrEnd<std::string> lab_folder(const CommonOptions& common, Host& host) {
  if (!common.lab_state.empty()) return host.files.absolute(common.lab_state);
  auto folder = host.files.make_temp_dir();
  if (!folder) return end_with(folder.error());
  return *std::move(folder);
}

OrEnd<void> start_lab(const LabOptions& options, const CommonOptions& common,
                      const std::string& folder, Host& host) {
  const auto program = host.environment.program();
  if (!program) return end_with(program.error());
  lab::LabProcess process;
  process.argv = {*program,
                  "lab",
                  "start",
                  "--profile",
                  host.files.absolute(common.profile),
                  "--state",
                  folder,
                  "--time-scale",
                  fmt::format("{}", options.time_scale)};
  if (options.proxmox) process.argv.emplace_back("--proxmox");
  process.state_dir = folder;
  process.dies_with_parent = !options.keep;
  if (auto started = lab::start_process(process); !started) return end_with(started.error());
  return {};
}

OrEnd<RunningLab> lab_in(std::string folder) {
  auto addresses = lab::read_address_map(folder);
  if (!addresses) return end_with(addresses.error());
  RunningLab lab_found;
  lab_found.state_dir = std::move(folder);
  lab_found.addresses = *std::move(addresses);
  return lab_found;
}

}  // namespace

OrEnd<RunningLab> find_lab(const CommonOptions& common, Host& host) {
  std::string folder = host.files.absolute(common.lab_state);
  const auto status = lab::status_of(folder);
  if (!status) {
    return end_with(Exit::failed,
                    fmt::format("no lab runs in {}; `ichor lab start --state {} --detach` starts "
                                "one",
                                folder, shell_quoted(folder)));
  }
  host.loop.set_time_scale(status->time_scale);
  return lab_in(std::move(folder));
}

OrEnd<RunningLab> find_or_start_lab(const LabOptions& options, const CommonOptions& common,
                                    Host& host) {
  auto folder = lab_folder(common, host);
  if (!folder) return forward_error(folder);
  const bool runs = lab::status_of(*folder).has_value();
  if (!runs) {
    if (auto started = start_lab(options, common, *folder, host); !started) {
      return forward_error(started);
    }
  }
  auto lab_found = lab_in(*std::move(folder));
  if (!lab_found) return lab_found;
  lab_found->ends_with_us = !runs && !options.keep;
  lab_found->temporary = lab_found->ends_with_us && common.lab_state.empty();
  return lab_found;
}

void end_lab(const std::string& folder, bool temporary, Host& host) {
  constexpr Duration kPatience = std::chrono::seconds(20);
  if (lab::stop_lab(folder, kPatience) && temporary) host.files.remove_temp_dir(folder);
}

}  // namespace ichor
