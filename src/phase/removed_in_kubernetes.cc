#include "phase/removed_in_kubernetes.h"

namespace ichor {

namespace {

using enum KubeComponent;

constexpr RemovedApi kApis[] = {
    {27, "storage.k8s.io", "v1beta1", "CSIStorageCapacity", false},
    {29, "flowcontrol.apiserver.k8s.io", "v1beta2", "FlowSchema", false},
    {29, "flowcontrol.apiserver.k8s.io", "v1beta2", "PriorityLevelConfiguration", false},
    {29, "networking.k8s.io", "v1alpha1", "ClusterCIDR", true},
    {32, "flowcontrol.apiserver.k8s.io", "v1beta3", "FlowSchema", false},
    {32, "flowcontrol.apiserver.k8s.io", "v1beta3", "PriorityLevelConfiguration", false},
    {32, "resource.k8s.io", "v1alpha3", "PodSchedulingContext", true},
};

constexpr RemovedFlag kFlags[] = {
    {27, controller_manager, "enable-taint-manager"},
    {27, controller_manager, "pod-eviction-timeout"},
    {27, kubelet, "container-runtime"},
    {27, kubelet, "master-service-namespace"},
    {31, kubelet, "keep-terminated-pod-volumes"},
    {31, kubelet, "iptables-masquerade-bit"},
    {31, kubelet, "iptables-drop-bit"},
    {31, controller_manager, "volume-host-cidr-denylist"},
    {31, controller_manager, "volume-host-allow-local-loopback"},
    {31, controller_manager, "horizontal-pod-autoscaler-upscale-delay"},
    {31, controller_manager, "horizontal-pod-autoscaler-downscale-delay"},
    {33, api_server, "cloud-config"},
    {34, kubelet, "cloud-config"},
    {35, kubelet, "pod-infra-container-image"},
};

constexpr RemovedGate kGates[] = {
    {27, "ExpandCSIVolumes"},
    {27, "ExpandInUsePersistentVolumes"},
    {27, "ExpandPersistentVolumes"},
    {27, "ControllerManagerLeaderMigration"},
    {27, "CSIMigration"},
    {27, "CSIInlineVolume"},
    {27, "EphemeralContainers"},
    {27, "LocalStorageCapacityIsolation"},
    {27, "NetworkPolicyEndPort"},
    {27, "StatefulSetMinReadySeconds"},
    {27, "IdentifyPodOS"},
    {27, "DaemonSetUpdateSurge"},
    {28, "AdvancedAuditing"},
    {28, "DelegateFSGroupToCSIDriver"},
    {28, "DevicePlugins"},
    {28, "DisableAcceleratorUsageMetrics"},
    {28, "EndpointSliceTerminatingCondition"},
    {28, "CSIStorageCapacity"},
    {28, "CSIMigrationGCE"},
    {28, "KubeletCredentialProviders"},
    {28, "MixedProtocolLBService"},
    {28, "ServiceInternalTrafficPolicy"},
    {28, "ServiceIPStaticSubrange"},
    {28, "WindowsHostProcessContainers"},
    {30, "ExpandedDNSConfig"},
    {30, "ExperimentalHostUserNamespaceDefaultingGate"},
    {30, "IPTablesOwnershipCleanup"},
    {30, "KubeletPodResources"},
    {30, "KubeletPodResourcesGetAllocatable"},
    {30, "MinimizeIPTablesRestore"},
    {30, "ProxyTerminatingEndpoints"},
    {30, "RemoveSelfLink"},
    {31, "APIPriorityAndFairness"},
    {31, "CSINodeExpandSecret"},
    {31, "ConsistentHTTPGetHandlers"},
    {31, "DefaultHostNetworkHostPortsInPodTemplates"},
    {31, "ServiceNodePortStaticSubrange"},
    {31, "SkipReadOnlyValidationGCE"},
    {32, "AllowServiceLBStatusOnNonLB"},
    {32, "CloudDualStackNodeIPs"},
    {32, "DRAControlPlaneController"},
    {32, "HPAContainerMetrics"},
    {32, "KMSv2"},
    {32, "KMSv2KDF"},
    {32, "LegacyServiceAccountTokenCleanUp"},
    {32, "MinDomainsInPodTopologySpread"},
    {32, "NewVolumeManagerReconstruction"},
    {32, "NodeOutOfServiceVolumeDetach"},
    {32, "ServerSideApply"},
    {32, "ServerSideFieldValidation"},
    {32, "StableLoadBalancerNodeSet"},
    {32, "ValidatingAdmissionPolicy"},
    {32, "ZeroLimitedNominalConcurrencyShares"},
    {33, "AppArmor"},
    {33, "AppArmorFields"},
    {33, "CPUManager"},
    {33, "DisableCloudProviders"},
    {33, "DisableKubeletCloudCredentialProviders"},
    {33, "JobPodFailurePolicy"},
    {33, "KubeProxyDrainingTerminatingNodes"},
    {33, "PDBUnhealthyPodEvictionPolicy"},
    {33, "PersistentVolumeLastPhaseTransitionTime"},
    {33, "VolumeCapacityPriority"},
    {34, "DevicePluginCDIDevices"},
    {34, "LegacySidecarContainers"},
    {34, "PodDisruptionConditions"},
    {35, "SizeMemoryBackedVolumes"},
    {35, "UserNamespacesHostNetworkSupport"},
    {36, "CSIMigrationPortworx"},
    {36, "InTreePluginPortworxUnregister"},
    {36, "WatchFromStorageWithoutResourceVersion"},
};

}  // namespace

std::span<const RemovedApi> removed_apis() { return kApis; }
std::span<const RemovedFlag> removed_flags() { return kFlags; }
std::span<const RemovedGate> removed_gates() { return kGates; }

}  // namespace ichor
