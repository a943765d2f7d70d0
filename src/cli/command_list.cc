#include "cli/command_list.h"

#include <iterator>

namespace ichor {

namespace {

const CommandSpec kCommands[] = {
    {"up", "bring the cluster up, or continue where the last run ended", declare_up, false, true},
    {"plan", "show what up would do, and change nothing", declare_plan, false, true},
    {"lint", "check the profile without contacting any machine", declare_lint, false, true},
    {"preflight", "check every node before anything is changed on it", declare_preflight, false,
     true},
    {"discover", "find out which machine is which node", declare_discover},
    {"apply", "apply the machine configs to the nodes", declare_apply},
    {"bootstrap", "bootstrap etcd (once per cluster)", declare_bootstrap},
    {"verify", "wait until every node is running", declare_verify, false, true},
    {"reset", "take nodes back to maintenance mode", declare_reset},
    {"node add", "bring a new node of the profile into the cluster", declare_node_add},
    {"node replace", "remove a node, and install another machine under its name",
     declare_node_replace},
    {"node remove", "take a node out of the cluster, also one that is dead", declare_node_remove},
    {"drift", "compare profile, journal and live nodes, and fix what differs", declare_drift},
    {"certs status", "show when every certificate expires", declare_certs_status, false, true},
    {"certs renew", "renew talosconfig and kubeconfig", declare_certs_renew},
    {"etcd status", "show the members of etcd and what is wrong with them", declare_etcd_status,
     false, true},
    {"etcd snapshot", "save a snapshot of etcd and prove that it is whole", declare_etcd_snapshot},
    {"etcd restore", "bring a cluster back whose etcd is gone", declare_etcd_restore},
    {"etcd defrag", "free space in the databases of etcd, one member at a time",
     declare_etcd_defrag},
    {"upgrade", "upgrade Talos on the nodes, one control plane at a time", declare_upgrade},
    {"upgrade-k8s", "upgrade Kubernetes, one component and one node at a time",
     declare_upgrade_k8s},
    {"kubeconfig", "write the kubeconfig and prove that it works", declare_kubeconfig, false, true},
    {"phase", "run one Kubernetes phase: 0 secrets, 1 crds, 2 core, 3 validation", declare_phase,
     false, true},
    {"wait", "wait until a part of the cluster works", declare_wait, false, true},
    {"health", "wait until nodes, etcd and API are healthy at the same time", declare_health, false,
     true},
    {"status", "look at every node once", declare_status, false, true},
    {"doctor", "explain an error, a node or the last run, and say what to do", declare_doctor},
    {"explain", "explain a fault or a lint rule by its ID", declare_explain},
    {"watch", "follow a run of the cluster from another terminal", declare_watch},
    {"serve", "serve clusters and runs as web pages and as metrics", declare_serve},
    {"report", "show what a run did, from the journal", declare_report, false, true},
    {"history", "list the runs of the cluster", declare_history, false, true},
    {"history diff", "show what differs between two runs", declare_history_diff},
    {"unlock", "remove the lock of a run that no longer exists", declare_unlock},
    {"gen secrets", "generate the secrets of a new cluster", declare_gen_secrets, true},
    {"gen config", "generate machine configs and a talosconfig from flags", declare_gen_config,
     true},
    {"gen talosconfig", "generate a talosconfig from secrets", declare_gen_talosconfig, true},
    {"machineconfig patch", "patch a machine config", declare_machineconfig_patch, true},
    {"machineconfig diff", "show how two machine configs differ", declare_machineconfig_diff},
    {"migrate", "convert configs and patches to the documents of Talos 1.14", declare_migrate,
     true},
    {"validate", "check whether Talos would accept a machine config", declare_validate},
    {"proxmox verify", "check token, privileges, image and VMs on Proxmox", declare_proxmox_verify},
    {"proxmox list", "list the machines of the cluster on Proxmox", declare_proxmox_list},
    {"proxmox create", "create the machines of the profile", declare_proxmox_create},
    {"proxmox start", "start the machines of the cluster", declare_proxmox_start},
    {"proxmox stop", "stop the machines of the cluster", declare_proxmox_stop},
    {"proxmox destroy", "remove the machines of the cluster", declare_proxmox_destroy},
    {"lab start", "run simulated nodes behind real sockets on this machine", declare_lab_start},
    {"lab status", "show the state of the nodes of a lab", declare_lab_status},
    {"lab inject", "inject a fault into a node of a lab", declare_lab_inject},
    {"lab stop", "stop a lab", declare_lab_stop},
    {"lab list", "list the labs of this machine", declare_lab_list},
    {"lab rm", "remove labs that do not run", declare_lab_rm},
    {"render", "render a Jinja template", declare_render, true},
    {"rehearse", "bring this profile up many times in the simulator", declare_rehearse},
    {"simulate", "search for faults of ichor itself in the simulator", declare_simulate},
    {"init", "write a profile, or convert the profile of another tool", declare_init},
    {"schema", "print the JSON schema of the profile", declare_schema},
    {"schematic id", "print the ID of an Image Factory schematic", declare_schematic_id},
    {"schematic show", "print a schematic in its canonical form", declare_schematic_show},
    {"schematic diff", "compare two schematics", declare_schematic_diff},
    {"schematic upload", "upload a schematic to an Image Factory", declare_schematic_upload},
    {"secrets encrypt", "encrypt a file with SOPS or age", declare_secrets_encrypt, true},
    {"secrets decrypt", "decrypt a SOPS or age file", declare_secrets_decrypt, true},
    {"completion", "print the completion script of a shell", declare_completion},
    {"version", "print version and commit", declare_version},
};

}  // namespace

const std::vector<CommandSpec>& commands() {
  static const std::vector<CommandSpec> list(std::begin(kCommands), std::end(kCommands));
  return list;
}

void declare_common(FlagSet& flags, CommonOptions& common, bool& help, const CommandSpec* command) {
  const bool output_is_file = command && command->output_is_file;
  flags.text("-p,--profile", "FILE", common.profile);
  if (command && command->each_cluster) flags.flag("--all", common.all_clusters);
  flags.text("--cluster", "NAME", common.cluster);
  flags.text("--state-dir", "DIR", common.state_dir);
  flags.text("--lab-state", "DIR", common.lab_state);
  flags.choice<OutputFormat>(output_is_file ? "--format" : "-o,--output", "FORMAT",
                             {{"table", OutputFormat::table},
                              {"wide", OutputFormat::wide},
                              {"json", OutputFormat::json},
                              {"yaml", OutputFormat::yaml},
                              {"flat", OutputFormat::flat},
                              {"sarif", OutputFormat::sarif}},
                             common.output);
  flags.flag("-q,--quiet", common.quiet);
  flags.flag("-h,--help", help);
}

std::vector<FlagSet::Declared> flags_of(const CommandSpec& command) {
  FlagSet flags;
  CommonOptions common;
  Request request;
  bool help = false;
  declare_common(flags, common, help, &command);
  command.declare(flags, request);
  return flags.declared();
}

}  // namespace ichor
