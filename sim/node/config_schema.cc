#include "sim/node/config_schema.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "machineconfig/schema.h"
#include "yaml/build.h"

namespace ichor::sim {

namespace {

// Names of fields, found by reflection over the types of machinery 1.12.6. 1.13 parses the same
// ones.
constexpr std::string_view kMachine =
    "machine{type token ca acceptedCAs certSANs "
    "controlPlane{controllerManager{disabled} scheduler{disabled}} "
    "kubelet{image clusterDNS extraArgs extraMounts[]{destination type source options "
    "uidMappings[]{containerID hostID size} gidMappings[]{containerID hostID size}} extraConfig "
    "credentialProviderConfig defaultRuntimeSeccompProfileEnabled registerWithFQDN "
    "nodeIP{validSubnets} skipNodeRegistration disableManifestsDirectory} pods "
    "network{hostname interfaces[]{interface deviceSelector{busPath hardwareAddr permanentAddr "
    "pciID "
    "driver physical} addresses cidr routes[]{network gateway source metric mtu} bond{interfaces "
    "deviceSelectors[]{busPath hardwareAddr permanentAddr pciID driver physical} arpIPTarget mode "
    "xmitHashPolicy lacpRate adActorSystem arpValidate arpAllTargets primary primaryReselect "
    "failOverMac adSelect miimon updelay downdelay arpInterval resendIgmp minLinks lpInterval "
    "packetsPerSlave numPeerNotif tlbDynamicLb allSlavesActive useCarrier adActorSysPrio "
    "adUserPortKey peerNotifyDelay} bridge{interfaces stp{enabled} vlan{vlanFiltering}} "
    "bridgePort{master} vlans[]{addresses cidr routes[]{network gateway source metric mtu} dhcp "
    "vlanId "
    "mtu vip{ip equinixMetal{apiToken} hcloud{apiToken}} dhcpOptions{routeMetric ipv4 ipv6 "
    "duidv6}} "
    "mtu dhcp ignore dummy dhcpOptions{routeMetric ipv4 ipv6 duidv6} wireguard{privateKey "
    "listenPort "
    "firewallMark peers[]{publicKey endpoint persistentKeepaliveInterval allowedIPs}} vip{ip "
    "equinixMetal{apiToken} hcloud{apiToken}}} nameservers searchDomains extraHostEntries[]{ip "
    "aliases} kubespan{enabled advertiseKubernetesNetworks allowDownPeerBypass "
    "harvestExtraEndpoints "
    "mtu filters{endpoints excludeAdvertisedNetworks}} disableSearchDomain} "
    "disks[]{device partitions[]{size mountpoint}} "
    "install{disk diskSelector{size name model serial modalias uuid wwid type busPath} "
    "extraKernelArgs image extensions[]{image} bootloader wipe legacyBIOSSupport "
    "grubUseUKICmdline} "
    "files[]{content permissions path op} env time{disabled servers bootTimeout} sysctls sysfs "
    "registries{mirrors<>{endpoints overridePath skipFallback} config<>{tls{clientIdentity ca "
    "insecureSkipVerify} auth{username password auth identityToken}}} "
    "systemDiskEncryption{state{provider keys[]{static{passphrase} nodeID kms{endpoint} slot "
    "tpm{checkSecurebootStatusOnEnroll}} cipher keySize blockSize options} ephemeral{provider "
    "keys[]{static{passphrase} nodeID kms{endpoint} slot tpm{checkSecurebootStatusOnEnroll}} "
    "cipher "
    "keySize blockSize options}} features{rbac stableHostname kubernetesTalosAPIAccess{enabled "
    "allowedRoles allowedKubernetesNamespaces} apidCheckExtKeyUsage diskQuotaSupport "
    "kubePrism{enabled port} hostDNS{enabled forwardKubeDNSToHost resolveMemberNames} "
    "imageCache{localEnabled} nodeAddressSortAlgorithm} udev{rules} "
    "logging{destinations[]{endpoint "
    "format extraTags}} kernel{modules[]{name parameters}} seccompProfiles[]{name value} "
    "baseRuntimeSpecOverrides nodeLabels nodeAnnotations nodeTaints} ";
constexpr std::string_view kCluster =
    "cluster{id secret controlPlane{endpoint localAPIServerPort} clusterName network{cni{name urls "
    "flannel{extraArgs}} dnsDomain podSubnets serviceSubnets} token aescbcEncryptionSecret "
    "secretboxEncryptionSecret ca acceptedCAs aggregatorCA serviceAccount apiServer{image "
    "extraArgs "
    "extraVolumes[]{hostPath mountPath readonly} env certSANs disablePodSecurityPolicy "
    "admissionControl[]{name configuration} auditPolicy resources{requests limits} "
    "authorizationConfig[]{type name webhook}} controllerManager{image extraArgs "
    "extraVolumes[]{hostPath mountPath readonly} env resources{requests limits}} proxy{disabled "
    "image "
    "mode extraArgs} scheduler{image extraArgs extraVolumes[]{hostPath mountPath readonly} env "
    "resources{requests limits} config} discovery{enabled registries{kubernetes{disabled} "
    "service{disabled endpoint}}} etcd{image ca extraArgs subnet advertisedSubnets listenSubnets} "
    "coreDNS{disabled image} externalCloudProvider{enabled manifests} extraManifests "
    "extraManifestHeaders inlineManifests[]{name contents} adminKubeconfig{certLifetime} "
    "allowSchedulingOnMasters allowSchedulingOnControlPlanes}";

struct KindNotation {
  std::string_view kind;
  std::string_view notation;  // empty: free
  bool since_13{false};
};
constexpr KindNotation kKinds[] = {
    {"HostnameConfig", "{apiVersion kind auto hostname}"},
    {"LinkConfig",
     "{apiVersion kind name up mtu addresses[]{address routePriority} routes[]{destination gateway "
     "source metric mtu table} multicast}"},
    {"Layer2VIPConfig", "{apiVersion kind name link}"},
    {"BondConfig", ""},
    {"BridgeConfig", ""},
    {"DHCPv4Config", ""},
    {"DHCPv6Config", ""},
    {"DummyLinkConfig", ""},
    {"EthernetConfig", ""},
    {"EventSinkConfig", ""},
    {"ExistingVolumeConfig", ""},
    {"ExtensionServiceConfig", ""},
    {"HCloudVIPConfig", ""},
    {"KmsgLogConfig", ""},
    {"KubeSpanEndpointsConfig", ""},
    {"LinkAliasConfig", ""},
    {"NetworkDefaultActionConfig", ""},
    {"NetworkRuleConfig", ""},
    {"OOMConfig", ""},
    {"PCIDriverRebindConfig", ""},
    {"RawVolumeConfig", ""},
    {"RegistryAuthConfig", ""},
    {"RegistryMirrorConfig", ""},
    {"RegistryTLSConfig", ""},
    {"ResolverConfig", ""},
    {"SideroLinkConfig", ""},
    {"StaticHostConfig", ""},
    {"SwapVolumeConfig", ""},
    {"TimeSyncConfig", ""},
    {"TrustedRootsConfig", ""},
    {"UserVolumeConfig", ""},
    {"VLANConfig", ""},
    {"VolumeConfig", ""},
    {"WatchdogTimerConfig", ""},
    {"WireguardConfig", ""},
    {"ZswapConfig", ""},
    {"BlackholeRouteConfig", "", true},
    {"EnvironmentConfig", "", true},
    {"ExternalVolumeConfig", "", true},
    {"ImageVerificationConfig", "", true},
    {"KubeSpanConfig", "", true},
    {"RoutingRuleConfig", "", true},
    {"TCPProbeConfig", "", true},
    {"VRFConfig", "", true},
};

struct KnownKind {
  ConfigSchema schema;
  bool since_13{false};
};

std::map<std::string, KnownKind, std::less<>> read_kinds() {
  std::map<std::string, KnownKind, std::less<>> kinds;
  const std::string machine =
      "{version debug persist " + std::string(kMachine) + std::string(kCluster) + "}";
  kinds.emplace("v1alpha1", KnownKind{ConfigSchema::parse(machine), false});
  for (const KindNotation& kind : kKinds) {
    kinds.emplace(kind.kind, KnownKind{ConfigSchema::parse(kind.notation), kind.since_13});
  }
  return kinds;
}

bool ends_name(char letter) {
  return letter == ' ' || letter == '{' || letter == '}' || letter == '[' || letter == '<';
}

}  // namespace

ConfigSchema ConfigSchema::parse(std::string_view notation) {
  ConfigSchema schema = parse_shape(notation);
  check(notation.empty(), "a config schema has a tail");
  return schema;
}

ConfigSchema ConfigSchema::parse_shape(std::string_view& notation) {
  ConfigSchema schema;
  if (notation.starts_with("[]") || notation.starts_with("<>")) {
    schema.shape_ = notation[0] == '[' ? Shape::list : Shape::keyed;
    notation.remove_prefix(2);
    schema.each_ = std::make_unique<ConfigSchema>(parse_shape(notation));
  } else if (notation.starts_with('{')) {
    schema.shape_ = Shape::mapping;
    notation.remove_prefix(1);
    while (!notation.starts_with('}')) {
      check(!notation.empty(), "a config schema ends early");
      if (notation[0] == ' ') {
        notation.remove_prefix(1);
        continue;
      }
      const auto end = static_cast<std::size_t>(
          std::find_if(notation.begin(), notation.end(), ends_name) - notation.begin());
      check(end > 0, "a config schema has a field without name");
      std::string name(notation.substr(0, end));
      notation.remove_prefix(end);
      schema.fields_.emplace_back(std::move(name),
                                  std::make_unique<ConfigSchema>(parse_shape(notation)));
    }
    notation.remove_prefix(1);
  }
  return schema;
}

std::optional<yaml::Node> ConfigSchema::unknown_part(const yaml::Node& value) const {
  if (shape_ == Shape::free) return std::nullopt;
  if (shape_ == Shape::list) {
    std::vector<yaml::Node> items;
    for (const yaml::Node& item : value.items) {
      if (auto unknown = each_->unknown_part(item)) items.push_back(std::move(*unknown));
    }
    if (items.empty()) return std::nullopt;
    return yaml::list(std::move(items));
  }
  std::map<std::string, yaml::Node> unknown_keys;  // Talos prints them sorted
  for (const yaml::Entry& entry : value.entries) {
    const ConfigSchema* inner = each_.get();
    if (shape_ == Shape::mapping) {
      const auto field = std::find_if(fields_.begin(), fields_.end(),
                                      [&](const Field& f) { return f.first == entry.key.text; });
      if (field == fields_.end()) {
        unknown_keys.emplace(entry.key.text, entry.value);
        continue;
      }
      inner = field->second.get();
    }
    if (auto unknown = inner->unknown_part(entry.value)) {
      unknown_keys.emplace(entry.key.text, std::move(*unknown));
    }
  }
  if (unknown_keys.empty()) return std::nullopt;
  yaml::Map map;
  for (auto& [key, node] : unknown_keys) map.set(key, std::move(node));
  return std::move(map).done();
}

const ConfigSchema* schema_of(std::string_view kind, Personality personality) {
  static const auto kinds = read_kinds();
  const auto found = kinds.find(kind);
  if (personality == Personality::v1_14 && kind != "v1alpha1") {
    // Keys of the others are looked at where their values are, see config_judge_yaml.cc.
    static const ConfigSchema any;
    return schema::Schema::get().find(kind) != nullptr ? &any : nullptr;
  }
  if (found == kinds.end()) return nullptr;
  if (found->second.since_13 && personality == Personality::v1_12) return nullptr;
  return &found->second.schema;
}

}  // namespace ichor::sim
