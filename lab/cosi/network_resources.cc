#include <charconv>
#include <fmt/format.h>
#include <string>

#include "lab/cosi/kinds.h"
#include "lab/cosi/make.h"
#include "spec_network.pb.h"

namespace ichor::lab::makers {

namespace {

// Flags of the kernel: UP, BROADCAST, LOOPBACK, RUNNING, MULTICAST, LOWER_UP.
constexpr std::uint32_t kEthernetFlags = 0x1 | 0x2 | 0x40 | 0x1000 | 0x10000;
constexpr std::uint32_t kLoopbackFlags = 0x1 | 0x8 | 0x40 | 0x10000;
constexpr std::uint32_t kPermanent = 0x80;
constexpr std::uint32_t kEthernetIndex = 2;
// What the kernel knows of a virtio network card.
constexpr std::int64_t kUnknownSpeed = 4'294'967'295;
constexpr std::uint32_t kOtherPort = 255;
constexpr std::uint32_t kUnknownDuplex = 255;

std::string mac_bytes(const std::string& text) {
  std::string bytes;
  for (std::size_t at = 0; at + 2 <= text.size(); at += 3) {
    unsigned value = 0;
    std::from_chars(text.data() + at, text.data() + at + 2, value, 16);
    bytes += static_cast<char>(value);
  }
  return bytes;
}

/// udev's second name of a link: "enx52540005000b".
std::string other_name(const std::string& mac) {
  std::string name = "enx" + mac;
  std::erase(name, ':');
  return name;
}

void add_link(Resources& out, const std::string& name, const spec::LinkStatus& message,
              yaml::Map text) {
  out.push_back(make_resource("network", name, message, text));
}

void add_address(Resources& out, const std::string& link, std::uint32_t index,
                 const std::string& address, int length, const std::string& broadcast) {
  const bool v6 = address.find(':') != std::string::npos;
  const bool host = address.starts_with("127.") || address == "::1";
  const std::string prefix = fmt::format("{}/{}", address, length);
  spec::AddressStatus message;
  *message.mutable_address() = net_prefix(address, length);
  *message.mutable_local() = net_ip(address);
  if (!broadcast.empty()) *message.mutable_broadcast() = net_ip(broadcast);
  message.set_link_index(index);
  message.set_link_name(link);
  message.set_family(v6 ? spec::FAMILY_INET6 : spec::FAMILY_INET4);
  message.set_scope(host ? spec::SCOPE_HOST : spec::SCOPE_GLOBAL);
  message.set_flags(kPermanent);
  out.push_back(make_resource("network", link + "/" + prefix, message,
                              yaml::map()
                                  .set("address", prefix)
                                  .set("linkIndex", index)
                                  .set("linkName", link)
                                  .set("family", v6 ? "inet6" : "inet4")
                                  .set("scope", host ? "host" : "global")
                                  .set("flags", "permanent")
                                  .set("priority", 0)));
}

/// The last, or else the first usable, address of an IPv4 network.
std::string in_network(const std::string& address, int length, bool last) {
  const std::string bytes = address_bytes(address);
  if (bytes.size() != 4) return "";
  std::uint32_t value = 0;
  for (const char byte : bytes) value = value << 8 | static_cast<unsigned char>(byte);
  const std::uint32_t mask = length == 0 ? 0 : ~std::uint32_t{0} << (32 - length);
  const std::uint32_t found = last ? value | ~mask : (value & mask) + 1;
  return fmt::format("{}.{}.{}.{}", found >> 24, (found >> 16) & 255, (found >> 8) & 255,
                     found & 255);
}

}  // namespace

void links(const Sight& sight, Resources& out) {
  spec::LinkStatus lo;
  lo.set_index(1);
  lo.set_type(spec::LINK_LOOPBACK);
  lo.set_flags(kLoopbackFlags);
  lo.set_hardware_addr(std::string(6, '\0'));
  lo.set_permanent_addr(std::string(6, '\0'));
  lo.set_broadcast_addr(std::string(6, '\0'));
  lo.set_mtu(65536);
  lo.set_queue_disc("noqueue");
  lo.set_link_state(true);
  lo.set_port(kOtherPort);
  lo.set_duplex(kUnknownDuplex);
  const std::string zero = "00:00:00:00:00:00";
  yaml::Map lo_text;
  lo_text.set("index", 1).set("type", "loopback").set("linkIndex", 0);
  lo_text.set("flags", "UP,LOOPBACK,RUNNING,LOWER_UP").set("hardwareAddr", zero);
  lo_text.set("permanentAddr", zero).set("broadcastAddr", zero).set("mtu", 65536);
  lo_text.set("queueDisc", "noqueue").set("operationalState", "unknown").set("kind", "");
  lo_text.set("slaveKind", "").set("linkState", true).set("port", "Other");
  lo_text.set("duplex", "Unknown");
  add_link(out, "lo", lo, lo_text);

  std::uint32_t index = kEthernetIndex;
  for (const MacAddress& mac : sight.node.spec().hardware.macs) {
    const std::string name =
        index == kEthernetIndex ? sight.machine.link() : fmt::format("eth{}", index - 1);
    spec::LinkStatus eth;
    eth.set_index(index);
    eth.set_type(spec::LINK_ETHER);
    eth.set_flags(kEthernetFlags);
    eth.set_hardware_addr(mac_bytes(mac.value()));
    eth.set_permanent_addr(mac_bytes(mac.value()));
    eth.set_broadcast_addr(std::string(6, '\xff'));
    eth.set_mtu(1500);
    eth.set_queue_disc("fq_codel");
    eth.set_operational_state(spec::OPERATIONAL_UP);
    eth.set_bus_path(fmt::format("0000:00:{:02}.0", index));
    eth.set_driver("virtio_net");
    eth.set_driver_version("1.0.0");
    eth.set_product_id("0x1000");
    eth.set_vendor_id("0x1af4");
    eth.set_product("Virtio network device");
    eth.set_vendor("Red Hat, Inc.");
    eth.set_link_state(true);
    eth.set_speed_mbit(kUnknownSpeed);
    eth.set_port(kOtherPort);
    eth.set_duplex(kUnknownDuplex);
    eth.add_alt_names(other_name(mac.value()));
    yaml::Map text;
    text.set("altNames", yaml::list(std::vector<std::string>{eth.alt_names(0)}));
    text.set("index", index).set("type", "ether").set("linkIndex", 0);
    text.set("flags", "UP,BROADCAST,RUNNING,MULTICAST,LOWER_UP");
    text.set("hardwareAddr", mac.value()).set("permanentAddr", mac.value());
    text.set("broadcastAddr", "ff:ff:ff:ff:ff:ff").set("mtu", 1500);
    text.set("queueDisc", "fq_codel").set("operationalState", "up").set("kind", "");
    text.set("slaveKind", "").set("busPath", eth.bus_path()).set("driver", "virtio_net");
    text.set("driverVersion", "1.0.0").set("productID", eth.product_id());
    text.set("vendorID", eth.vendor_id()).set("product", eth.product());
    text.set("vendor", eth.vendor()).set("linkState", true).set("speedMbit", kUnknownSpeed);
    text.set("port", "Other").set("duplex", "Unknown");
    add_link(out, name, eth, text);
    ++index;
  }
}

void addresses(const Sight& sight, Resources& out) {
  add_address(out, "lo", 1, "127.0.0.1", 8, "");
  add_address(out, "lo", 1, "::1", 128, "");
  if (sight.address.empty()) return;
  add_address(out, sight.machine.link(), kEthernetIndex, sight.address, sight.prefix_length,
              in_network(sight.address, sight.prefix_length, true));
}

void node_addresses(const Sight& sight, Resources& out) {
  if (sight.address.empty()) return;
  const std::string prefix = fmt::format("{}/{}", sight.address, sight.prefix_length);
  for (const std::string kind : {"default", "current", "accumulative", "routed"}) {
    for (const std::string suffix : {"", "-no-k8s", "-only-k8s"}) {
      const bool filtered = !suffix.empty();
      // Filters come with Kubernetes' config, and `default` has none.
      if (filtered && (kind == "default" || !sight.config)) continue;
      const bool empty = suffix == "-only-k8s";
      spec::NodeAddress message;
      if (!empty) *message.add_addresses() = net_prefix(sight.address, sight.prefix_length);
      out.push_back(
          make_resource("network", kind + suffix, message,
                        yaml::map()
                            .set("addresses", yaml::list(empty ? std::vector<std::string>{}
                                                               : std::vector<std::string>{prefix}))
                            .set("sortAlgorithm", "v1")));
    }
  }
}

void hostname(const Sight& sight, Resources& out) {
  // A machine gets its name from its config; a container has one before.
  if (!sight.config && !sight.machine.container()) return;
  spec::HostnameStatus message;
  message.set_hostname(sight.hostname);
  out.push_back(make_resource("network", "hostname", message,
                              yaml::map().set("hostname", sight.hostname).set("domainname", "")));
}

void routes(const Sight& sight, Resources& out) {
  const std::string gateway = in_network(sight.address, sight.prefix_length, false);
  if (gateway.empty()) return;
  spec::RouteStatus message;
  message.set_family(spec::FAMILY_INET4);
  *message.mutable_gateway() = net_ip(gateway);
  message.set_out_link_index(kEthernetIndex);
  message.set_out_link_name(sight.machine.link());
  message.set_table(254);
  message.set_priority(1024);
  message.set_type(1);
  message.set_protocol(4);
  out.push_back(make_resource("network", "inet4/" + gateway + "//1024", message,
                              yaml::map()
                                  .set("family", "inet4")
                                  .set("dst", "")
                                  .set("src", "")
                                  .set("gateway", gateway)
                                  .set("outLinkIndex", kEthernetIndex)
                                  .set("outLinkName", sight.machine.link())
                                  .set("table", "main")
                                  .set("priority", 1024)
                                  .set("scope", "global")
                                  .set("type", "unicast")
                                  .set("flags", "")
                                  .set("protocol", "static")));
}

void resolvers(const Sight& sight, Resources& out) {
  std::vector<std::string> servers = {"1.1.1.1", "8.8.8.8"};
  if (sight.config && !sight.config->nameservers.empty()) servers = sight.config->nameservers;
  spec::ResolverStatus message;
  for (const std::string& server : servers) *message.add_dns_servers() = net_ip(server);
  out.push_back(make_resource("network", "resolvers", message,
                              yaml::map()
                                  .set("dnsServers", yaml::list(servers))
                                  .set("searchDomains", yaml::list(std::vector<std::string>{}))));
}

void time_servers(const Sight& sight, Resources& out) {
  std::vector<std::string> servers = {"time.cloudflare.com"};
  if (sight.config && !sight.config->time_servers.empty()) servers = sight.config->time_servers;
  spec::TimeServerStatus message;
  for (const std::string& server : servers) message.add_time_servers(server);
  out.push_back(make_resource("network", "timeservers", message,
                              yaml::map().set("timeServers", yaml::list(servers))));
}

void network_status(const Sight& sight, Resources& out) {
  const bool up = !sight.address.empty();
  spec::NetworkStatus message;
  message.set_address_ready(up);
  message.set_connectivity_ready(up);
  message.set_hostname_ready(true);
  message.set_etc_files_ready(true);
  out.push_back(make_resource("network", "status", message,
                              yaml::map()
                                  .set("addressReady", up)
                                  .set("connectivityReady", up)
                                  .set("hostnameReady", true)
                                  .set("etcFilesReady", true)));
}

}  // namespace ichor::lab::makers
