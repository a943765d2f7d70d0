#include "sim/node/sequences.h"

#include <array>
#include <cstddef>

namespace ichor::sim {

namespace {

template <std::size_t N>
using Names = std::array<const char*, N>;

constexpr Names<1> kEnforceKspp = {"enforceKSPPRequirements"};
constexpr Names<5> kEarly112 = {"startUdevd", "startMachined", "startAuditd", "startSyslogd",
                                "startContainerd"};
constexpr Names<6> kEarly113 = {"startUdevd",   "startMachined",   "startAuditd",
                                "startSyslogd", "startContainerd", "startApid"};
constexpr Names<2> kMachined112 = {"startMachined", "startContainerd"};
constexpr Names<3> kMachined113 = {"startMachined", "startContainerd", "startApid"};
constexpr Names<1> kWaitForUsb = {"waitForUSB"};
constexpr Names<1> kReloadMeta = {"reloadMeta"};
constexpr Names<1> kStartDashboard = {"startDashboard"};
constexpr Names<1> kLoadConfig = {"loadConfig"};
constexpr Names<1> kSetUserEnv = {"setUserEnvVars"};
constexpr Names<1> kInstall = {"install"};
constexpr Names<1> kFlushMeta = {"flushMeta"};
constexpr Names<1> kTeardown = {"teardownLifecycle"};
constexpr Names<1> kStopAllServices = {"stopAllServices"};
constexpr Names<1> kKexecPrepare = {"kexecPrepare"};
constexpr Names<1> kReboot = {"reboot"};
constexpr Names<1> kShutdown = {"shutdown"};
constexpr Names<1> kMemorySize = {"memorySizeCheck"};
constexpr Names<1> kDiskSize = {"diskSizeCheck"};
constexpr Names<2> kBootEnv = {"setUserEnvVars", "waitForCARoots"};
constexpr Names<1> kStartDbus = {"startDBus"};
constexpr Names<1> kSharedFilesystems = {"setupSharedFilesystems"};
constexpr Names<1> kMountEphemeral = {"mountEphemeralPartition"};
constexpr Names<1> kUdevRules = {"writeUdevRules"};
constexpr Names<1> kMountUserDisks = {"mountUserDisks"};
constexpr Names<1> kWriteUserFiles = {"writeUserFiles"};
constexpr Names<1> kStartAllServices = {"startAllServices"};
constexpr Names<1> kStopAllPods = {"stopAllPods"};
constexpr Names<1> kRemoveAllPods = {"removeAllPods"};
constexpr Names<1> kStopDbus = {"stopDBus"};
constexpr Names<1> kStopServices = {"stopServicesForUpgrade"};
constexpr Names<1> kUnmountPods = {"unmountPodMounts"};
constexpr Names<1> kUnmountBind = {"unmountSystemDiskBindMounts"};
constexpr Names<1> kUnmountEphemeral = {"unmountEphemeralPartition"};
constexpr Names<1> kUpgrade = {"upgrade"};
constexpr Names<1> kStoreShutdown = {"storeShutdownEmergency"};
constexpr Names<1> kCordon = {"cordonAndDrainNode"};
constexpr Names<1> kLeaveEtcd = {"leaveEtcd"};
constexpr Names<1> kSendReset = {"sendResetSignal"};
constexpr Names<1> kForceCleanup = {"forceCleanup"};
constexpr Names<1> kResetDisk = {"resetSystemDisk"};
constexpr Names<1> kResetPartitions = {"resetSystemDiskSpec"};
constexpr Names<1> kResetUserDisks = {"resetUserDisks"};

// 1.14 waits for udevd, tells services what is coming, and has volumes of its own for CRI, kubelet,
// logs and etcd.
constexpr Names<6> kEarly114 = {"startMachined", "waitForUdevd", "startApid",
                                "startAuditd",   "startSyslogd", "startContainerd"};
constexpr Names<1> kMountPromotable = {"mountPromotableSystemPartitions"};
constexpr Names<1> kUnmountPromotable = {"unmountPromotableSystemPartitions"};
constexpr Names<1> kPreShutdown = {"preShutdownServices"};
constexpr Names<1> kDenyServices = {"denyNewServices"};
constexpr Names<1> kTeardownContainers = {"teardownContainerLifecycle"};

constexpr std::array<PhaseScript, 6> kInitializeMetal112 = {{{"systemRequirements", kEnforceKspp},
                                                             {"earlyServices", kEarly112},
                                                             {"usb", kWaitForUsb},
                                                             {"meta", kReloadMeta},
                                                             {"dashboard", kStartDashboard},
                                                             {"config", kLoadConfig}}};
constexpr std::array<PhaseScript, 6> kInitializeMetal113 = {{{"systemRequirements", kEnforceKspp},
                                                             {"earlyServices", kEarly113},
                                                             {"usb", kWaitForUsb},
                                                             {"meta", kReloadMeta},
                                                             {"dashboard", kStartDashboard},
                                                             {"config", kLoadConfig}}};
constexpr std::array<PhaseScript, 2> kInitializeContainer112 = {
    {{"machined", kMachined112}, {"config", kLoadConfig}}};
constexpr std::array<PhaseScript, 2> kInitializeContainer113 = {
    {{"machined", kMachined113}, {"config", kLoadConfig}}};

constexpr std::array<PhaseScript, 8> kInstallMetal = {{{"env", kSetUserEnv},
                                                       {"install", kInstall},
                                                       {"meta", kReloadMeta},
                                                       {"saveMeta", kFlushMeta},
                                                       {"volumeFinalize", kTeardown},
                                                       {"stopEverything", kStopAllServices},
                                                       {"kexec", kKexecPrepare},
                                                       {"reboot", kReboot}}};

constexpr std::array<PhaseScript, 9> kBootMetal = {{{"memorySizeCheck", kMemorySize},
                                                    {"diskSizeCheck", kDiskSize},
                                                    {"env", kBootEnv},
                                                    {"dbus", kStartDbus},
                                                    {"ephemeral", kMountEphemeral},
                                                    {"udevSetup", kUdevRules},
                                                    {"userDisks", kMountUserDisks},
                                                    {"userSetup", kWriteUserFiles},
                                                    {"startEverything", kStartAllServices}}};
constexpr std::array<PhaseScript, 8> kBootContainer = {{{"memorySizeCheck", kMemorySize},
                                                        {"diskSizeCheck", kDiskSize},
                                                        {"env", kBootEnv},
                                                        {"dbus", kStartDbus},
                                                        {"sharedFilesystems", kSharedFilesystems},
                                                        {"ephemeral", kMountEphemeral},
                                                        {"userSetup", kWriteUserFiles},
                                                        {"startEverything", kStartAllServices}}};

constexpr std::array<PhaseScript, 10> kRebootMetal = {{{"cleanup", kStopAllPods},
                                                       {"dbus", kStopDbus},
                                                       {"stopServices", kStopServices},
                                                       {"umount", kUnmountPods},
                                                       {"unmountBind", kUnmountBind},
                                                       {"unmountSystem", kUnmountEphemeral},
                                                       {"volumeFinalize", kTeardown},
                                                       {"kexec", kKexecPrepare},
                                                       {"stopEverything", kStopAllServices},
                                                       {"reboot", kReboot}}};
constexpr std::array<PhaseScript, 4> kRebootContainer = {{{"cleanup", kStopAllPods},
                                                          {"dbus", kStopDbus},
                                                          {"stopEverything", kStopAllServices},
                                                          {"reboot", kReboot}}};
constexpr std::array<PhaseScript, 11> kShutdownMetal = {{{"storeShutdown", kStoreShutdown},
                                                         {"drain", kCordon},
                                                         {"cleanup", kStopAllPods},
                                                         {"dbus", kStopDbus},
                                                         {"stopServices", kStopServices},
                                                         {"umount", kUnmountPods},
                                                         {"unmountBind", kUnmountBind},
                                                         {"unmountSystem", kUnmountEphemeral},
                                                         {"volumeFinalize", kTeardown},
                                                         {"stopEverything", kStopAllServices},
                                                         {"shutdown", kShutdown}}};
constexpr std::array<PhaseScript, 13> kUpgradeMetal = {{{"drain", kCordon},
                                                        {"cleanup", kStopAllPods},
                                                        {"dbus", kStopDbus},
                                                        {"stopServices", kStopServices},
                                                        {"unmount", kUnmountPods},
                                                        {"unmountBind", kUnmountBind},
                                                        {"unmountSystem", kUnmountEphemeral},
                                                        {"volumeFinalize", kTeardown},
                                                        {"upgrade", kUpgrade},
                                                        {"meta", kReloadMeta},
                                                        {"kexec", kKexecPrepare},
                                                        {"stopEverything", kStopAllServices},
                                                        {"reboot", kReboot}}};
/// Every phase that a reset can have; Node::Impl::leaves_out() knows which of them it has.
constexpr std::array<PhaseScript, 19> kResetMetal = {{{"drain", kCordon},
                                                      {"cleanup", kRemoveAllPods},
                                                      {"cleanup", kStopAllPods},
                                                      {"dbus", kStopDbus},
                                                      {"leave", kLeaveEtcd},
                                                      {"preReset", kSendReset},
                                                      {"stopServices", kStopServices},
                                                      {"umount", kUnmountPods},
                                                      {"unmountBind", kUnmountBind},
                                                      {"unmountSystem", kUnmountEphemeral},
                                                      {"volumeFinalize", kTeardown},
                                                      {"kexec", kKexecPrepare},
                                                      {"stopEverything", kStopAllServices},
                                                      {"forceCleanup", kForceCleanup},
                                                      {"reset", kResetDisk},
                                                      {"resetSpec", kResetPartitions},
                                                      {"resetUserDisks", kResetUserDisks},
                                                      {"reboot", kReboot},
                                                      {"shutdown", kShutdown}}};
constexpr std::array<PhaseScript, 2> kResetContainer = {
    {{"stopEverything", kStopAllServices}, {"shutdown", kShutdown}}};

constexpr std::array<PhaseScript, 5> kInitializeMetal114 = {{{"systemRequirements", kEnforceKspp},
                                                             {"earlyServices", kEarly114},
                                                             {"meta", kReloadMeta},
                                                             {"dashboard", kStartDashboard},
                                                             {"config", kLoadConfig}}};
constexpr std::array<PhaseScript, 10> kInstallMetal114 = {{{"env", kSetUserEnv},
                                                           {"install", kInstall},
                                                           {"meta", kReloadMeta},
                                                           {"saveMeta", kFlushMeta},
                                                           {"denyNewServices", kDenyServices},
                                                           {"stopContainers", kTeardownContainers},
                                                           {"volumeFinalize", kTeardown},
                                                           {"stopEverything", kStopAllServices},
                                                           {"kexec", kKexecPrepare},
                                                           {"reboot", kReboot}}};
constexpr std::array<PhaseScript, 9> kBootMetal114 = {{{"memorySizeCheck", kMemorySize},
                                                       {"diskSizeCheck", kDiskSize},
                                                       {"env", kBootEnv},
                                                       {"dbus", kStartDbus},
                                                       {"ephemeral", kMountEphemeral},
                                                       {"promotableVolumes", kMountPromotable},
                                                       {"userDisks", kMountUserDisks},
                                                       {"userSetup", kWriteUserFiles},
                                                       {"startEverything", kStartAllServices}}};
constexpr std::array<PhaseScript, 14> kRebootMetal114 = {{{"cleanup", kStopAllPods},
                                                          {"preShutdown", kPreShutdown},
                                                          {"dbus", kStopDbus},
                                                          {"denyNewServices", kDenyServices},
                                                          {"stopContainers", kTeardownContainers},
                                                          {"stopServices", kStopServices},
                                                          {"umount", kUnmountPods},
                                                          {"unmountBind", kUnmountBind},
                                                          {"unmountPromotable", kUnmountPromotable},
                                                          {"unmountSystem", kUnmountEphemeral},
                                                          {"volumeFinalize", kTeardown},
                                                          {"stopEverything", kStopAllServices},
                                                          {"kexec", kKexecPrepare},
                                                          {"reboot", kReboot}}};
constexpr std::array<PhaseScript, 5> kRebootContainer114 = {{{"cleanup", kStopAllPods},
                                                             {"preShutdown", kPreShutdown},
                                                             {"dbus", kStopDbus},
                                                             {"stopEverything", kStopAllServices},
                                                             {"reboot", kReboot}}};

std::span<const PhaseScript> script_of_1_14(SequenceName sequence, Platform platform) {
  using Script = std::span<const PhaseScript>;
  const bool container = platform == Platform::container;
  switch (sequence) {
    case SequenceName::initialize:
      return container ? Script(kInitializeContainer113) : Script(kInitializeMetal114);
    case SequenceName::install: return container ? Script() : Script(kInstallMetal114);
    case SequenceName::boot: return container ? Script(kBootContainer) : Script(kBootMetal114);
    case SequenceName::reboot:
      return container ? Script(kRebootContainer114) : Script(kRebootMetal114);
    // What a node tells on its way out for good, or upgraded, was not looked at.
    case SequenceName::upgrade: return Script(kUpgradeMetal);
    case SequenceName::shutdown: return Script(kShutdownMetal);
    case SequenceName::reset: return container ? Script(kResetContainer) : Script(kResetMetal);
  }
  return {};
}

}  // namespace

const char* name_of(SequenceName sequence) {
  switch (sequence) {
    case SequenceName::initialize: return "initialize";
    case SequenceName::install: return "install";
    case SequenceName::boot: return "boot";
    case SequenceName::reboot: return "reboot";
    case SequenceName::shutdown: return "shutdown";
    case SequenceName::reset: return "reset";
    case SequenceName::upgrade: return "upgrade";
  }
  return "noop";
}

std::span<const PhaseScript> script_of(SequenceName sequence, Platform platform,
                                       Personality personality) {
  if (personality == Personality::v1_14) return script_of_1_14(sequence, platform);
  const bool container = platform == Platform::container;
  const bool old = personality == Personality::v1_12;
  using Script = std::span<const PhaseScript>;
  switch (sequence) {
    case SequenceName::initialize:
      if (container) return old ? Script(kInitializeContainer112) : Script(kInitializeContainer113);
      return old ? Script(kInitializeMetal112) : Script(kInitializeMetal113);
    case SequenceName::install: return container ? Script() : Script(kInstallMetal);
    case SequenceName::boot: return container ? Script(kBootContainer) : Script(kBootMetal);
    case SequenceName::reboot: return container ? Script(kRebootContainer) : Script(kRebootMetal);
    case SequenceName::shutdown: return Script(kShutdownMetal);
    case SequenceName::upgrade: return Script(kUpgradeMetal);
    case SequenceName::reset: return container ? Script(kResetContainer) : Script(kResetMetal);
  }
  return {};
}

}  // namespace ichor::sim
