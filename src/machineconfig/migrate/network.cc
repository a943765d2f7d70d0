#include <fmt/format.h>

#include "machineconfig/document.h"
#include "machineconfig/migrate/mover.h"

namespace ichor::migrate {

namespace {

void move_hostname(Mover& mover) {
  auto hostname = mover.take({"machine", "network", "hostname"});
  const auto stable = mover.take({"machine", "features", "stableHostname"});
  if (hostname && !hostname->text.empty()) {
    yaml::Node& document = mover.document("HostnameConfig");
    put(document, "auto", yaml::make_string("off"));
    put(document, "hostname", *std::move(hostname));
  } else if (stable && stable->text == "true" && !mover.find_document("HostnameConfig")) {
    put(mover.document("HostnameConfig"), "auto", yaml::make_string("stable"));
  }
}

void move_resolver(Mover& mover) {
  if (auto servers = mover.take({"machine", "network", "nameservers"})) {
    std::vector<std::string> addresses;
    for (const yaml::Node& item : servers->items) addresses.push_back(item.text);
    put(mover.document("ResolverConfig"), "nameservers", nameserver_list(addresses));
  }
  const auto domains = mover.take({"machine", "network", "searchDomains"});
  const auto disabled = mover.take({"machine", "network", "disableSearchDomain"});
  if (!domains && !disabled) return;
  yaml::Map search;
  if (domains) {
    search.set("domains", *domains);
    mover.warn({"machine", "network", "searchDomains"},
               "Talos 1.14 uses the search domains of DHCP as well, and a patch replaces the list",
               "check /etc/resolv.conf of a node after the first apply");
  }
  if (disabled) search.set("disableDefault", *disabled);
  put(mover.document("ResolverConfig"), "searchDomains", search);
}

void move_time(Mover& mover) {
  if (!mover.has({"machine", "time"})) return;
  const auto disabled = mover.take({"machine", "time", "disabled"});
  const auto servers = mover.take({"machine", "time", "servers"});
  const auto timeout = mover.take({"machine", "time", "bootTimeout"});
  mover.take({"machine", "time"});
  if (!disabled && !servers && !timeout) return;
  yaml::Node& document = mover.document("TimeSyncConfig");
  if (disabled) put(document, "enabled", inverted(*disabled));
  if (timeout) put(document, "bootTimeout", *timeout);
  if (servers) put(document, "ntp", yaml::map().set("servers", *servers));
}

}  // namespace

void move_network(Mover& mover) {
  move_hostname(mover);
  move_resolver(mover);
  move_time(mover);
  if (auto kubespan = mover.take({"machine", "network", "kubespan"})) {
    yaml::Node& document = mover.document("KubeSpanConfig");
    for (const yaml::Entry& entry : kubespan->entries) put(document, entry.key.text, entry.value);
  }
  if (auto hosts = mover.take({"machine", "network", "extraHostEntries"})) {
    for (const yaml::Node& host : hosts->items) {
      const yaml::Node* address = host.find("ip");
      const yaml::Node* aliases = host.find("aliases");
      if (!address || !aliases) continue;
      put(mover.document("StaticHostConfig", address->text), "hostnames", *aliases);
    }
  }
  move_links(mover);
}

}  // namespace ichor::migrate
