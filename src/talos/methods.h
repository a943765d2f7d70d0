#pragma once

#include <cstddef>
#include <google/protobuf/empty.pb.h>
#include <string_view>

#include "base/time.h"
#include "cosi_state.pb.h"
#include "lifecycle.pb.h"
#include "machine.pb.h"

namespace ichor {

// The methods of Talos' API that ichor calls: a path, the message that goes out and the one that
// comes back. A test compares this table with the services in proto/.

/// What no reply needs more of. A peer may be anybody until its certificate is judged, and even
/// then it may be broken into.
inline constexpr std::size_t kReplyBytesMax = 1u << 20;

/// No call lasts longer, whatever its caller grants; but for those that move images.
inline constexpr Duration kCallLimit = std::chrono::seconds(60);
inline constexpr Duration kImageCallLimit = std::chrono::minutes(30);

/// One message for one message.
template <class RequestType, class ReplyType>
struct UnaryMethod {
  using Request = RequestType;
  using Reply = ReplyType;
  std::string_view path;
  std::size_t reply_bytes_max{kReplyBytesMax};
  Duration longest{kCallLimit};
};

/// One message for any number of messages.
template <class RequestType, class ReplyType>
struct StreamMethod {
  using Request = RequestType;
  using Reply = ReplyType;
  std::string_view path;
  std::size_t reply_bytes_max{kReplyBytesMax};  // of each message
  Duration longest{kCallLimit};
};

/// Any number of messages for one message.
template <class RequestType, class ReplyType>
struct UploadMethod {
  using Request = RequestType;
  using Reply = ReplyType;
  std::string_view path;
  std::size_t reply_bytes_max{kReplyBytesMax};
};

namespace method {

using google::protobuf::Empty;

inline constexpr UnaryMethod<machine::ApplyConfigurationRequest,
                             machine::ApplyConfigurationResponse>
    kApplyConfiguration{"/machine.MachineService/ApplyConfiguration"};
inline constexpr UnaryMethod<machine::BootstrapRequest, machine::BootstrapResponse> kBootstrap{
    "/machine.MachineService/Bootstrap"};
inline constexpr UnaryMethod<machine::ResetRequest, machine::ResetResponse> kReset{
    "/machine.MachineService/Reset"};
inline constexpr UnaryMethod<machine::RebootRequest, machine::RebootResponse> kReboot{
    "/machine.MachineService/Reboot"};
inline constexpr UnaryMethod<machine::UpgradeRequest, machine::UpgradeResponse> kUpgrade{
    "/machine.MachineService/Upgrade", kReplyBytesMax, kImageCallLimit};
inline constexpr UnaryMethod<machine::ImagePullRequest, machine::ImagePullResponse> kImagePull{
    "/machine.MachineService/ImagePull", kReplyBytesMax, kImageCallLimit};
inline constexpr UnaryMethod<Empty, machine::VersionResponse> kVersion{
    "/machine.MachineService/Version"};
inline constexpr UnaryMethod<Empty, machine::MemoryResponse> kMemory{
    "/machine.MachineService/Memory"};
inline constexpr UnaryMethod<Empty, machine::ServiceListResponse> kServiceList{
    "/machine.MachineService/ServiceList"};
inline constexpr UnaryMethod<machine::EtcdMemberListRequest, machine::EtcdMemberListResponse>
    kEtcdMemberList{"/machine.MachineService/EtcdMemberList"};
inline constexpr UnaryMethod<Empty, machine::EtcdStatusResponse> kEtcdStatus{
    "/machine.MachineService/EtcdStatus"};
inline constexpr UnaryMethod<Empty, machine::EtcdAlarmListResponse> kEtcdAlarmList{
    "/machine.MachineService/EtcdAlarmList"};
inline constexpr UnaryMethod<Empty, machine::EtcdDefragmentResponse> kEtcdDefragment{
    "/machine.MachineService/EtcdDefragment"};
inline constexpr UnaryMethod<machine::EtcdLeaveClusterRequest, machine::EtcdLeaveClusterResponse>
    kEtcdLeaveCluster{"/machine.MachineService/EtcdLeaveCluster"};
inline constexpr UnaryMethod<machine::EtcdForfeitLeadershipRequest,
                             machine::EtcdForfeitLeadershipResponse>
    kEtcdForfeitLeadership{"/machine.MachineService/EtcdForfeitLeadership"};
inline constexpr UnaryMethod<machine::EtcdRemoveMemberByIDRequest,
                             machine::EtcdRemoveMemberByIDResponse>
    kEtcdRemoveMember{"/machine.MachineService/EtcdRemoveMemberByID"};
inline constexpr UnaryMethod<cosi::resource::GetRequest, cosi::resource::GetResponse> kGet{
    "/cosi.resource.State/Get"};
/// The same for a machine config, which may hold manifests.
inline constexpr UnaryMethod<cosi::resource::GetRequest, cosi::resource::GetResponse> kGetConfig{
    "/cosi.resource.State/Get", 5u << 20};

inline constexpr StreamMethod<machine::ReadRequest, common::Data> kRead{
    "/machine.MachineService/Read"};
inline constexpr StreamMethod<machine::ListRequest, machine::FileInfo> kList{
    "/machine.MachineService/List"};
inline constexpr StreamMethod<Empty, common::Data> kKubeconfig{
    "/machine.MachineService/Kubeconfig"};
/// Talos sends a few KiB at a time; a member of etcd in between may send more.
inline constexpr StreamMethod<machine::EtcdSnapshotRequest, common::Data> kEtcdSnapshot{
    "/machine.MachineService/EtcdSnapshot", 4u << 20};
inline constexpr UploadMethod<common::Data, machine::EtcdRecoverResponse> kEtcdRecover{
    "/machine.MachineService/EtcdRecover"};
inline constexpr StreamMethod<machine::DmesgRequest, common::Data> kDmesg{
    "/machine.MachineService/Dmesg"};
inline constexpr StreamMethod<machine::EventsRequest, machine::Event> kEvents{
    "/machine.MachineService/Events"};
inline constexpr StreamMethod<machine::LifecycleServiceUpgradeRequest,
                              machine::LifecycleServiceUpgradeResponse>
    kLifecycleUpgrade{"/machine.LifecycleService/Upgrade", kReplyBytesMax, kImageCallLimit};
inline constexpr StreamMethod<machine::ImageServicePullRequest, machine::ImageServicePullResponse>
    kImageServicePull{"/machine.ImageService/Pull", kReplyBytesMax, kImageCallLimit};
inline constexpr StreamMethod<cosi::resource::ListRequest, cosi::resource::ListResponse>
    kListResources{"/cosi.resource.State/List"};
inline constexpr StreamMethod<cosi::resource::WatchRequest, cosi::resource::WatchResponse> kWatch{
    "/cosi.resource.State/Watch"};

}  // namespace method
}  // namespace ichor
