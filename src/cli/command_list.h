#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/flag_set.h"
#include "cli/request.h"

namespace ichor {

/// One command as it is typed. `declare` puts the command's request into `request` and its flags,
/// which fill that request, into `flags`.
struct CommandSpec {
  std::string_view name;     // "lab start": a group and its command
  std::string_view summary;  // one line, as in docs/commands/ichor.md
  void (*declare)(FlagSet& flags, Request& request);
  bool output_is_file{false};  // -o and --output name a file, and the format is --format
  bool each_cluster{false};    // it can be given several clusters: --all, --cluster A,B

  /// What stands in docs/commands/: the group, or the command itself.
  std::string_view page() const { return name.substr(0, name.find(' ')); }
};

/// All commands, in the order in which help lists them.
const std::vector<CommandSpec>& commands();

/// The flags that every command takes.
void declare_common(FlagSet& flags, CommonOptions& common, bool& help,
                    const CommandSpec* command = nullptr);

/// All flags and arguments that a command takes.
std::vector<FlagSet::Declared> flags_of(const CommandSpec& command);

// One file for each.
void declare_up(FlagSet& flags, Request& request);
void declare_plan(FlagSet& flags, Request& request);
void declare_lint(FlagSet& flags, Request& request);
void declare_preflight(FlagSet& flags, Request& request);
void declare_discover(FlagSet& flags, Request& request);
void declare_apply(FlagSet& flags, Request& request);
void declare_bootstrap(FlagSet& flags, Request& request);
void declare_verify(FlagSet& flags, Request& request);
void declare_proxmox_verify(FlagSet& flags, Request& request);
void declare_proxmox_list(FlagSet& flags, Request& request);
void declare_proxmox_create(FlagSet& flags, Request& request);
void declare_proxmox_start(FlagSet& flags, Request& request);
void declare_proxmox_stop(FlagSet& flags, Request& request);
void declare_proxmox_destroy(FlagSet& flags, Request& request);
void declare_reset(FlagSet& flags, Request& request);
void declare_drift(FlagSet& flags, Request& request);
void declare_certs_status(FlagSet& flags, Request& request);
void declare_certs_renew(FlagSet& flags, Request& request);
void declare_node_add(FlagSet& flags, Request& request);
void declare_node_remove(FlagSet& flags, Request& request);
void declare_node_replace(FlagSet& flags, Request& request);
void declare_etcd_status(FlagSet& flags, Request& request);
void declare_etcd_snapshot(FlagSet& flags, Request& request);
void declare_etcd_restore(FlagSet& flags, Request& request);
void declare_etcd_defrag(FlagSet& flags, Request& request);
void declare_upgrade(FlagSet& flags, Request& request);
void declare_upgrade_k8s(FlagSet& flags, Request& request);
void declare_kubeconfig(FlagSet& flags, Request& request);
void declare_phase(FlagSet& flags, Request& request);
void declare_wait(FlagSet& flags, Request& request);
void declare_health(FlagSet& flags, Request& request);
void declare_status(FlagSet& flags, Request& request);
void declare_doctor(FlagSet& flags, Request& request);
void declare_report(FlagSet& flags, Request& request);
void declare_history(FlagSet& flags, Request& request);
void declare_history_diff(FlagSet& flags, Request& request);
void declare_watch(FlagSet& flags, Request& request);
void declare_serve(FlagSet& flags, Request& request);
void declare_explain(FlagSet& flags, Request& request);
void declare_unlock(FlagSet& flags, Request& request);
void declare_gen_secrets(FlagSet& flags, Request& request);
void declare_gen_config(FlagSet& flags, Request& request);
void declare_gen_talosconfig(FlagSet& flags, Request& request);
void declare_machineconfig_patch(FlagSet& flags, Request& request);
void declare_machineconfig_diff(FlagSet& flags, Request& request);
void declare_lab_start(FlagSet& flags, Request& request);
void declare_lab_status(FlagSet& flags, Request& request);
void declare_lab_inject(FlagSet& flags, Request& request);
void declare_lab_stop(FlagSet& flags, Request& request);
void declare_lab_list(FlagSet& flags, Request& request);
void declare_lab_rm(FlagSet& flags, Request& request);
void declare_render(FlagSet& flags, Request& request);
void declare_simulate(FlagSet& flags, Request& request);
void declare_rehearse(FlagSet& flags, Request& request);
void declare_schematic_id(FlagSet& flags, Request& request);
void declare_schematic_show(FlagSet& flags, Request& request);
void declare_schematic_diff(FlagSet& flags, Request& request);
void declare_schematic_upload(FlagSet& flags, Request& request);
void declare_secrets_encrypt(FlagSet& flags, Request& request);
void declare_secrets_decrypt(FlagSet& flags, Request& request);
void declare_migrate(FlagSet& flags, Request& request);
void declare_validate(FlagSet& flags, Request& request);
void declare_completion(FlagSet& flags, Request& request);
void declare_init(FlagSet& flags, Request& request);
void declare_schema(FlagSet& flags, Request& request);
void declare_version(FlagSet& flags, Request& request);

}  // namespace ichor
