#include "phase/preflight_checks.h"

#include <algorithm>
#include <fmt/format.h>

#include "machineconfig/needed_release.h"
#include "phase/discover.h"
#include "phase/install_disk.h"
#include "phase/stranger.h"
#include "wait/retry_table.h"

namespace ichor {

namespace {

/// The checks of one node, in the order in which they are shown.
class Inspection {
 public:
  Inspection(const Wanted& wanted, const NodePlan& plan, const NodeView& view)
      : wanted_(wanted), plan_(plan), view_(view) {}

  std::vector<Check> run() {
    if (!reachable()) return std::move(checks_);
    stage();
    identity();
    install_disk();
    memory();
    version();
    time();
    secure_boot();
    return std::move(checks_);
  }

 private:
  bool in_maintenance() const { return view_.presence == Presence::maintenance; }
  bool container() const { return view_.hardware && view_.hardware->container; }

  void add(std::string name, Verdict verdict, std::string detail) {
    checks_.push_back({std::move(name), verdict, std::move(detail)});
  }

  void complain(std::string name, Verdict verdict, std::string id, std::string what,
                std::string fix) {
    const Severity severity = verdict == Verdict::failed ? Severity::error : Severity::warning;
    Finding finding{severity, std::move(id), plan_.name, "preflight", what, std::move(fix)};
    checks_.push_back({std::move(name), verdict, std::move(what), std::move(finding)});
  }

  bool reachable() {
    const std::string at =
        view_.address.value().empty() ? plan_.maintenance_address.value() : view_.address.value();
    if (in_maintenance() || view_.presence == Presence::configured) {
      add("reachable", Verdict::passed, at + ":50000");
      return true;
    }
    if (view_.presence == Presence::stranger && view_.identity) {
      const Finding finding = stranger_finding(wanted_.profile, plan_, view_);
      complain("reachable", Verdict::failed, finding.id, finding.what, finding.fix);
      return false;
    }
    auto decided = decide_presence(plan_, view_);
    if (const Stop* stop = std::get_if<Stop>(&*decided)) {
      complain("reachable", Verdict::failed, stop->finding.id, stop->finding.what,
               stop->finding.fix);
    } else {
      const RetryRule* rule = view_.trouble ? &rule_for(*view_.trouble) : nullptr;
      complain("reachable", Verdict::failed, rule ? std::string(rule->fault) : "N2",
               std::get<Wait>(*decided).reason,
               rule ? std::string(rule->hint) : "switch the machine on, and check its address");
    }
    return false;
  }

  void stage() {
    if (!view_.status) return add("stage", Verdict::skipped, "the node has not reported it");
    const std::string name(name_of(view_.status->stage));
    if (in_maintenance() && wanted_.facts.settled(plan_.name)) {
      Finding finding = fallen_back(plan_.name, view_.address, "stage");
      return complain("stage", Verdict::failed, "T2", std::move(finding.what),
                      std::move(finding.fix));
    }
    add("stage", Verdict::passed, in_maintenance() ? name : name + ", under this cluster's CA");
  }

  void identity() {
    if (!view_.identity) return add("identity", Verdict::skipped, "the node has not reported it");
    if (std::string conflict = identity_conflict(plan_, *view_.identity); !conflict.empty()) {
      return complain("identity", Verdict::failed, "O2", std::move(conflict),
                      "correct uuid, serial or mac in the profile, or the address");
    }
    for (const auto& [name, bound] : wanted_.facts.identities()) {
      if (name == plan_.name || !bound.identity.same_machine(*view_.identity)) continue;
      return complain("identity", Verdict::failed, "D8",
                      fmt::format("the machine at {} already belongs to {}", view_.address.value(),
                                  name.value()),
                      "two nodes of the profile reach the same machine: correct their addresses");
    }
    const Identity& seen = *view_.identity;
    std::string text = seen.uuid.value().empty() ? "no UUID" : "UUID " + seen.uuid.value();
    for (const MacAddress& mac : seen.macs) text += ", " + mac.value();
    add("identity", Verdict::passed, std::move(text));
  }

  void install_disk() {
    if (container()) {
      return add("install disk", Verdict::not_applicable, "container");
    }
    if (!view_.disks) {
      return add("install disk", Verdict::skipped, "unsupported: the node does not list its disks");
    }
    const auto chosen = install_disks(plan_, *view_.disks);
    if (!chosen) {
      return complain("install disk", Verdict::failed, "C4", chosen.error().message,
                      fmt::format("correct diskSelector of {}", plan_.name.value()));
    }
    switch (chosen->how) {
      case InstallDisks::How::unspecified:
        return add("install disk", Verdict::skipped, "the profile does not name it");
      case InstallDisks::How::link:
        return add("install disk", Verdict::skipped,
                   fmt::format("this release of Talos does not say which disk {} is", plan_.disk));
      case InstallDisks::How::found: break;
    }
    if (!in_maintenance() || boots_elsewhere(*chosen)) return installed_disk(*chosen);
    if (chosen->disks.size() != 1) return wrong_count(*chosen);
    add("install disk", Verdict::passed, to_text(chosen->disks.front()));
    disk_size(chosen->disks.front());
    data_on(chosen->disks.front());
  }

  /// Whether Talos is installed in maintenance mode already, as from a disk image, and not where
  /// the profile means: it would take its config and install nothing.
  bool boots_elsewhere(const InstallDisks& chosen) const {
    return std::any_of(view_.disks->begin(), view_.disks->end(), [&](const Disk& disk) {
      return disk.system_disk &&
             std::none_of(chosen.disks.begin(), chosen.disks.end(),
                          [&](const Disk& meant) { return meant.id == disk.id; });
    });
  }

  /// D4: Talos runs from a disk that the profile does not mean.
  void installed_disk(const InstallDisks& chosen) {
    for (const Disk& disk : *view_.disks) {
      if (!disk.system_disk) continue;
      for (const Disk& meant : chosen.disks) {
        if (meant.id == disk.id) return add("install disk", Verdict::passed, to_text(disk));
      }
      return complain("install disk", Verdict::failed, "D4",
                      fmt::format("{} is installed on {}, but the profile selects another disk",
                                  plan_.name.value(), to_text(disk)),
                      in_maintenance()
                          ? "it was booted from a disk image there: take that disk out or wipe it, "
                            "and boot the machine from an ISO or by network"
                          : fmt::format("it was booted from a disk image there: `ichor reset {0} "
                                        "--consent-wipe {0}={1}`, and boot it from an ISO or by "
                                        "network",
                                        plan_.name.value(), consent_name(disk)));
    }
    add("install disk", Verdict::skipped, "the node does not say what it runs from");
  }

  void wrong_count(const InstallDisks& chosen) {
    const bool none = chosen.disks.empty();
    std::string candidates;
    for (const Disk& disk : none ? *view_.disks : chosen.disks) {
      if (none && !takes_talos(disk)) continue;
      candidates += (candidates.empty() ? "" : "; ") + to_text(disk);
    }
    complain("install disk", Verdict::failed, "D3",
             none ? fmt::format("no disk of {} matches the profile: {}", plan_.name.value(),
                                wanted_disk(plan_))
                  : fmt::format("{} disks of {} match; Talos would take the first",
                                chosen.disks.size(), plan_.name.value()),
             fmt::format("name one of these by serial or path: {}",
                         candidates.empty() ? "the node has none to install to" : candidates));
  }

  void disk_size(const Disk& disk) {
    if (disk.size_bytes >= kDiskMinimum) {
      return add("disk size", Verdict::passed, fmt::format("{} MiB", disk.size_bytes >> 20));
    }
    complain("disk size", Verdict::failed, "D5",
             fmt::format("{} has {} MiB; Talos needs {}", disk.dev_path, disk.size_bytes >> 20,
                         kDiskMinimum >> 20),
             "install to a larger disk");
  }

  /// D3: an install overwrites whatever is there.
  void data_on(const Disk& disk) {
    if (!disk.has_volumes) return add("data on disk", Verdict::passed, "none");
    // What an install of this journal left half done is no data of anybody.
    if (wanted_.facts.last(Call::apply_configuration, plan_.name)) {
      return add("data on disk", Verdict::passed, "from an installation that ichor started");
    }
    const std::string name = consent_name(disk);
    const auto consent = wanted_.profile.wipe_consents.find(plan_.name);
    const bool consented = consent != wanted_.profile.wipe_consents.end() &&
                           (consent->second == name || consent->second == disk.wwid);
    if (consented) {
      return add("data on disk", Verdict::passed, "may be overwritten: consent names " + name);
    }
    complain("data on disk", Verdict::failed, "D3",
             fmt::format("{} holds data, and an install overwrites it: {}", disk.dev_path,
                         to_text(disk)),
             fmt::format("to overwrite it: `--consent-wipe {}={}`; otherwise choose another disk",
                         plan_.name.value(), name));
  }

  void memory() {
    if (!in_maintenance()) {
      return add("memory", Verdict::not_applicable, "the node runs already");
    }
    if (container()) return add("memory", Verdict::not_applicable, "container");
    if (!view_.hardware || !view_.hardware->memory_bytes) {
      return add("memory", Verdict::skipped, "unsupported: the node does not report it");
    }
    const std::uint64_t has = *view_.hardware->memory_bytes >> 20;
    const bool control_plane = plan_.role == Role::control_plane;
    const std::uint64_t needs = (control_plane ? kControlPlaneMemory : kWorkerMemory) >> 20;
    if (has >= needs) return add("memory", Verdict::passed, fmt::format("{} MiB", has));
    complain("memory", Verdict::failed, "D5",
             fmt::format("{} has {} MiB of memory; a {} needs {}", plan_.name.value(), has,
                         name_of(plan_.role), needs),
             "give the machine more memory");
  }

  void version() {
    if (!view_.version) return add("version", Verdict::skipped, "the node has not reported it");
    const TalosVersion& runs = *view_.version;
    const TalosPlan& talos = wanted_.profile.talos;
    const auto minor = [](const TalosVersion& v) { return std::pair(v.major, v.minor); };
    if (minor(runs) < minor(talos.contract)) {
      return complain("version", Verdict::failed, "D10",
                      fmt::format("{} runs {}, which does not know configs of the contract {}.{}",
                                  plan_.name.value(), to_text(runs), talos.contract.major,
                                  talos.contract.minor),
                      fmt::format("boot the machine with an image of {}, or lower talos.contract",
                                  to_text(talos.version)));
    }
    if (const auto config = wanted_.configs.nodes.find(plan_.name);
        config != wanted_.configs.nodes.end()) {
      const NeededRelease needed = needed_release(config->second.bytes.reveal());
      if (runs.major == 1 && runs.minor < needed.minor) {
        return complain("version", Verdict::failed, "D10",
                        fmt::format("{} runs {}, which cannot read its config: {} exists since "
                                    "v1.{}",
                                    plan_.name.value(), to_text(runs), needed.what, needed.minor),
                        fmt::format("boot the machine with an image of {}, or take it out of the "
                                    "patches",
                                    to_text(talos.version)));
      }
    }
    if (minor(runs) != minor(talos.version)) {
      return complain("version", Verdict::warning, "D10",
                      fmt::format("{} runs {}; the profile says {}", plan_.name.value(),
                                  to_text(runs), to_text(talos.version)),
                      "boot the machine with an image of the profile's version");
    }
    add("version", Verdict::passed, to_text(runs));
  }

  void time() {
    if (!view_.time_synced) {
      return add("time", Verdict::skipped, "unsupported: the node does not report it");
    }
    if (*view_.time_synced) return add("time", Verdict::passed, "in sync");
    complain("time", Verdict::warning, "T7",
             fmt::format("the clock of {} is not in sync yet", plan_.name.value()),
             "certificates may seem invalid, and etcd waits for the clock: check network.ntp and "
             "UDP 123");
  }

  void secure_boot() {
    if (container()) return add("secure boot", Verdict::not_applicable, "container");
    if (!view_.hardware || !view_.hardware->secure_boot) {
      return add("secure boot", Verdict::skipped, "unsupported: the node does not report it");
    }
    const bool on = *view_.hardware->secure_boot;
    const TalosPlan& talos = wanted_.profile.talos;
    const bool signed_image =
        talos.secure_boot || talos.installer_image.find("secureboot") != std::string::npos;
    if (on == signed_image) return add("secure boot", Verdict::passed, on ? "on" : "off");
    complain("secure boot", Verdict::failed, "D10",
             on ? fmt::format("{} boots with secure boot, and the installer image is not signed",
                              plan_.name.value())
                : fmt::format("{} boots without secure boot, and the installer image is the one "
                              "for secure boot",
                              plan_.name.value()),
             on ? "set talos.secure_boot: true"
                : "set talos.secure_boot: false, or turn on secure boot");
  }

  const Wanted& wanted_;
  const NodePlan& plan_;
  const NodeView& view_;
  std::vector<Check> checks_;
};

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed: return "passed";
    case Verdict::warning: return "warning";
    case Verdict::failed: return "failed";
    case Verdict::not_applicable: return "not applicable";
    case Verdict::skipped: return "skipped";
  }
  return "?";
}

std::vector<Check> preflight_checks(const Wanted& wanted, const NodePlan& plan,
                                    const NodeView& view) {
  return Inspection(wanted, plan, view).run();
}

}  // namespace ichor
