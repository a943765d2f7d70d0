#include "cli/command_list.h"
#include "cli/options.h"

namespace ichor {

namespace {

ProxmoxRequest& declare(FlagSet& flags, Request& request, ProxmoxDeed deed) {
  ProxmoxRequest& proxmox = request.emplace<ProxmoxRequest>();
  proxmox.deed = deed;
  flags.arguments("NODE",
                  [&proxmox](const std::string& text) { return take_names(text, proxmox.nodes); });
  return proxmox;
}

ProxmoxRequest& declare_change(FlagSet& flags, Request& request, ProxmoxDeed deed) {
  ProxmoxRequest& proxmox = declare(flags, request, deed);
  flags.flag("--adopt", proxmox.adopt);
  return proxmox;
}

}  // namespace

void declare_proxmox_verify(FlagSet& flags, Request& request) {
  declare(flags, request, ProxmoxDeed::verify);
}

void declare_proxmox_list(FlagSet& flags, Request& request) {
  declare(flags, request, ProxmoxDeed::list);
}

void declare_proxmox_create(FlagSet& flags, Request& request) {
  declare_change(flags, request, ProxmoxDeed::create);
}

void declare_proxmox_start(FlagSet& flags, Request& request) {
  declare_change(flags, request, ProxmoxDeed::start);
}

void declare_proxmox_stop(FlagSet& flags, Request& request) {
  declare_change(flags, request, ProxmoxDeed::stop);
}

void declare_proxmox_destroy(FlagSet& flags, Request& request) {
  ProxmoxRequest& proxmox = declare_change(flags, request, ProxmoxDeed::destroy);
  flags.text("--cluster-name", "NAME", proxmox.cluster_name);
  flags.rule([&proxmox]() -> std::string {
    return proxmox.cluster_name.empty()
               ? "needs --cluster-name NAME, so that it is certain whose machines go"
               : "";
  });
}

}  // namespace ichor
