#pragma once

#include <memory>

#include "sim/faults/fault.h"

namespace ichor::sim {

// The makers that catalogue.cc lists, each defined in the file of its fault.
std::unique_ptr<Fault> make_connection_refused(SeededRandom random);
std::unique_ptr<Fault> make_blackhole(SeededRandom random);
std::unique_ptr<Fault> make_lost_reply(SeededRandom random);
std::unique_ptr<Fault> make_slow_network(SeededRandom random);
std::unique_ptr<Fault> make_tls_error(SeededRandom random);
std::unique_ptr<Fault> make_transient_code(SeededRandom random);
std::unique_ptr<Fault> make_watch_lost(SeededRandom random);
std::unique_ptr<Fault> make_watch_doubled(SeededRandom random);
std::unique_ptr<Fault> make_reboot_in_maintenance(SeededRandom random);
std::unique_ptr<Fault> make_reboot_in_installing(SeededRandom random);
std::unique_ptr<Fault> make_reboot_in_booting(SeededRandom random);
std::unique_ptr<Fault> make_reboot_in_running(SeededRandom random);
std::unique_ptr<Fault> make_crash_in_maintenance(SeededRandom random);
std::unique_ptr<Fault> make_crash_in_installing(SeededRandom random);
std::unique_ptr<Fault> make_crash_in_booting(SeededRandom random);
std::unique_ptr<Fault> make_crash_in_running(SeededRandom random);
std::unique_ptr<Fault> make_reboot_after_bootstrap(SeededRandom random);
std::unique_ptr<Fault> make_frozen(SeededRandom random);
std::unique_ptr<Fault> make_time_unsynced(SeededRandom random);
std::unique_ptr<Fault> make_pull_fails(SeededRandom random);
std::unique_ptr<Fault> make_slow_learner(SeededRandom random);
std::unique_ptr<Fault> make_wall_clock_jump(SeededRandom random);
std::unique_ptr<Fault> make_crash_before_append(SeededRandom random);
std::unique_ptr<Fault> make_crash_after_append(SeededRandom random);
std::unique_ptr<Fault> make_crash_before_call(SeededRandom random);
std::unique_ptr<Fault> make_crash_after_call(SeededRandom random);
std::unique_ptr<Fault> make_crash_anytime(SeededRandom random);
std::unique_ptr<Fault> make_interrupt(SeededRandom random);
std::unique_ptr<Fault> make_rival(SeededRandom random);

}  // namespace ichor::sim
