#include "sim/faults/catalogue.h"

namespace ichor::sim {

const std::vector<FaultClass>& fault_catalogue() {
  static const std::vector<FaultClass> catalogue = {
      {"connection-refused", "N1", "connecting to a node is refused for a while", make_connection_refused},
      {"blackhole", "N2", "packets to a node vanish for a while", make_blackhole},
      {"lost-reply", "N3", "a call is carried out and its reply is lost", make_lost_reply},
      {"slow-network", "N6", "seconds of latency to a node for a while", make_slow_network},
      {"tls-error", "N5", "handshakes break in the middle", make_tls_error},
      {"transient-code", "A1", "a node answers with a passing error", make_transient_code},
      {"watch-lost", "A4", "watch events are lost", make_watch_lost},
      {"watch-doubled", "A4", "watch events are delivered twice", make_watch_doubled},
      {"reboot-in-maintenance", "D6", "a node reboots in maintenance mode", make_reboot_in_maintenance},
      {"reboot-in-installing", "D1", "a node reboots while it installs", make_reboot_in_installing},
      {"reboot-in-booting", "D6", "a node reboots while it boots", make_reboot_in_booting},
      {"reboot-in-running", "D6", "a node reboots while it runs", make_reboot_in_running},
      {"crash-in-maintenance", "D1", "a node loses power in maintenance mode", make_crash_in_maintenance},
      {"crash-in-installing", "D1", "a node loses power while it installs", make_crash_in_installing},
      {"crash-in-booting", "D1", "a node loses power while it boots", make_crash_in_booting},
      {"crash-in-running", "D1", "a node loses power while it runs", make_crash_in_running},
      {"reboot-after-bootstrap", "E1", "the bootstrap target reboots before etcd has data", make_reboot_after_bootstrap},
      {"frozen", "D7", "a node accepts connections and answers nothing", make_frozen},
      {"time-unsynced", "T7", "a node's clock is not in sync for a while", make_time_unsynced},
      {"pull-fails", "D2", "the installer image cannot be pulled for a while", make_pull_fails},
      {"slow-learner", "E7", "an etcd learner does not catch up for a while", make_slow_learner},
      {"wall-clock-jump", "L8", "ichor's wall clock jumps by up to a year", make_wall_clock_jump},
      {"crash-before-journal", "L1", "ichor is killed before a journal write", make_crash_before_append},
      {"crash-after-journal", "L1", "ichor is killed after a journal write", make_crash_after_append},
      {"crash-before-call", "L1", "ichor is killed before a call", make_crash_before_call},
      {"crash-after-call", "L1", "ichor is killed after a call", make_crash_after_call},
      {"crash-anytime", "L1", "ichor is killed at any time", make_crash_anytime},
      {"interrupt", "L11", "Ctrl-C", make_interrupt},
      {"rival", "L7", "a second ichor is started on the same cluster", make_rival},
  };
  return catalogue;
}

}  // namespace ichor::sim
