#include "lab/lab_seat.h"

#include <fmt/format.h>

#include "base/words.h"
#include "lab/control.h"

namespace ichor {

namespace {

OrEnd<std::string> lab_folder(const CommonOptions& common, Desk& desk) {
  if (!common.lab_state.empty()) return desk.absolute(common.lab_state);
  auto folder = desk.make_temp_dir();
  if (!folder) return end_with(folder.error());
  return *std::move(folder);
}

OrEnd<void> start_lab(const LabOptions& options, const CommonOptions& common,
                      const std::string& folder, Desk& desk) {
  const auto program = desk.program();
  if (!program) return end_with(program.error());
  lab::LabProcess process;
  process.argv = {*program,
                  "lab",
                  "start",
                  "--profile",
                  desk.absolute(common.profile),
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

OrEnd<LabSeat> seat_in(std::string folder) {
  auto addresses = lab::read_address_map(folder);
  if (!addresses) return end_with(addresses.error());
  LabSeat seat;
  seat.state_dir = std::move(folder);
  seat.addresses = *std::move(addresses);
  return seat;
}

}  // namespace

OrEnd<LabSeat> sit_down(const CommonOptions& common, Desk& desk) {
  std::string folder = desk.absolute(common.lab_state);
  const auto status = lab::status_of(folder);
  if (!status) {
    return end_with(Exit::failed,
                    fmt::format("no lab runs in {}; `ichor lab start --state {} --detach` starts "
                                "one",
                                folder, shell_quoted(folder)));
  }
  desk.set_time_scale(status->time_scale);
  return seat_in(std::move(folder));
}

OrEnd<LabSeat> take_lab(const LabOptions& options, const CommonOptions& common, Desk& desk) {
  auto folder = lab_folder(common, desk);
  if (!folder) return tl::unexpected(std::move(folder).error());
  const bool runs = lab::status_of(*folder).has_value();
  if (!runs) {
    if (auto started = start_lab(options, common, *folder, desk); !started) {
      return tl::unexpected(std::move(started).error());
    }
  }
  auto seat = seat_in(*std::move(folder));
  if (!seat) return seat;
  seat->ends_with_us = !runs && !options.keep;
  seat->temporary = seat->ends_with_us && common.lab_state.empty();
  return seat;
}

void remove_lab(const std::string& folder, Desk& desk) {
  // Whoever still writes there would leave something behind.
  constexpr Duration kPatience = std::chrono::seconds(20);
  if (lab::stop_lab(folder, kPatience)) desk.remove_temp_dir(folder);
}

}  // namespace ichor
