#include "cli/command_list.h"
#include "cli/kube_options.h"
#include "cli/options.h"

namespace ichor {

namespace {

void declare_lab(FlagSet& flags, LabOptions& lab) {
  flags.flag("--lab", lab.wanted);
  flags.flag("--lab-keep", lab.keep);
  flags.value("--time-scale", "N",
              [&lab](const std::string& text) { return take_time_scale(text, lab.time_scale); });
  flags.rule([&lab]() -> std::string {
    if (lab.wanted) return {};
    if (lab.keep || lab.time_scale != 1.0) return "--lab-keep and --time-scale need --lab";
    return {};
  });
}

}  // namespace

void declare_up(FlagSet& flags, Request& request) {
  UpRequest& up = request.emplace<UpRequest>();
  declare_dry_run(flags, up.change);
  declare_adopt(flags, up.change);
  declare_configs(flags, up.change);
  declare_order(flags, up.change);
  declare_backoff(flags, up.change.patience);
  declare_patience(flags, up.change.patience);
  declare_consents(flags, up.nodes);
  declare_addresses(flags, up.nodes);
  declare_identity(flags, up.nodes.access);
  declare_trust(flags, up.nodes.trust);
  declare_exclude(flags, up.exclude);
  flags.text("--kubeconfig", "FILE", up.kubeconfig);
  flags.value("--from", "PART",
              [&up](const std::string& word) { return take_part(word, up.from); });
  flags.value("--only", "PART",
              [&up](const std::string& word) { return take_part(word, up.only.emplace()); });
  flags.flag("--force-conflicts", up.force_conflicts);
  flags.flag("--provision", up.provision);
  flags.rule([&up]() -> std::string {
    const bool with_nodes = up.only.value_or(up.from) == UpPart::talos;
    if (up.provision && !with_nodes) return "--provision goes with the Talos part";
    if (up.provision && up.change.dry_run) {
      return "--provision changes Proxmox; `ichor proxmox verify` looks without changing anything";
    }
    up.lab.proxmox = up.lab.wanted && up.provision;
    return up.only && up.from != UpPart::talos ? "--from and --only exclude each other" : "";
  });
  declare_lab(flags, up.lab);
}

}  // namespace ichor
