#include <fmt/format.h>

#include "base/check.h"
#include "machine_etcd.pb.h"
#include "talos/decode.h"
#include "talos/rpc.h"
#include "talos/session.h"

namespace ichor {

namespace {

using google::protobuf::Empty;

/// Members and alarms of one cluster; etcd has seven members at the most.
constexpr int kItemsMax = 1'000;
/// A defragmentation stops the member for as long as it takes to copy its database.
constexpr Duration kDefragmentLimit = std::chrono::minutes(10);
/// Talos tries for five minutes to leave.
constexpr Duration kLeaveLimit = std::chrono::minutes(6);
constexpr std::size_t kUploadChunk = 256u << 10;

tl::unexpected<CallError> too_many(Call call, const char* what) {
  return tl::unexpected(bad_reply(call, fmt::format("more than {} {}", kItemsMax, what)));
}

/// Our own disk failed, and not the node.
tl::unexpected<CallError> own_trouble(Call call, const Error& error, Progress progress) {
  return tl::unexpected(
      CallError{call, progress, TlsVerdict::fine, Code::internal, error.message, {}, error.fault});
}

}  // namespace

Task<CallResult<std::vector<EtcdMember>>> GrpcSession::etcd_members(Context context) {
  // The node's own member is asked, so that every control plane's view can be compared.
  machine::EtcdMemberListRequest request;
  request.set_query_local(true);
  auto reply =
      co_await unary(context, connection_, Call::etcd_members, method::kEtcdMemberList, request);
  auto item = only_item(Call::etcd_members, std::move(reply));
  if (!item) co_return forward_error(item);
  if (item->members_size() > kItemsMax) co_return too_many(Call::etcd_members, "members");
  std::vector<EtcdMember> members;
  for (const auto& member : item->members()) members.push_back(etcd_member_from(member));
  co_return members;
}

Task<CallResult<EtcdStatus>> GrpcSession::etcd_status(Context context) {
  auto reply =
      co_await unary(context, connection_, Call::etcd_status, method::kEtcdStatus, Empty());
  auto item = only_item(Call::etcd_status, std::move(reply));
  if (!item) co_return forward_error(item);
  co_return etcd_status_from(item->member_status());
}

Task<CallResult<std::vector<EtcdAlarm>>> GrpcSession::etcd_alarms(Context context) {
  auto reply =
      co_await unary(context, connection_, Call::etcd_alarms, method::kEtcdAlarmList, Empty());
  if (!reply) co_return forward_error(reply);
  std::vector<EtcdAlarm> alarms;
  for (const auto& item : reply->messages()) {
    if (auto error = item_error(Call::etcd_alarms, item)) co_return tl::unexpected(*error);
    if (item.member_alarms_size() > kItemsMax) co_return too_many(Call::etcd_alarms, "alarms");
    for (const auto& raised : item.member_alarms()) {
      if (const auto alarm = etcd_alarm_from(raised)) alarms.push_back(*alarm);
    }
  }
  co_return alarms;
}

Task<CallResult<void>> GrpcSession::etcd_snapshot(Context context, ByteSink& sink) {
  constexpr Call call = Call::etcd_snapshot;
  const TakeMessage take = [&sink](std::string message) -> CallResult<void> {
    std::size_t fields = 0;
    const auto piece = decode_reply<common::Data>(call, message, fields);
    if (!piece) return forward_error(piece);
    if (auto error = item_error(call, *piece)) return tl::unexpected(*std::move(error));
    if (auto taken = sink.take(piece->bytes()); !taken) {
      return own_trouble(call, taken.error(), Progress::answered);
    }
    return {};
  };
  co_return co_await stream_bytes(context, connection_, call, method::kEtcdSnapshot.path, {},
                                  method::kEtcdSnapshot.reply_bytes_max, take);
}

Task<Outcome> GrpcSession::bootstrap(Context context, BootstrapRequest request) {
  constexpr Call call = Call::bootstrap;
  machine::BootstrapRequest message;
  message.set_recover_etcd(request.recover);
  co_return outcome_of(
      call, co_await unary(context, connection_, call, method::kBootstrap, std::move(message)));
}

Task<Outcome> GrpcSession::change_etcd(Context context, EtcdChange change) {
  const Call call = change.call;
  switch (call) {
    case Call::etcd_defragment:
      co_return outcome_of(call, co_await unary(context, connection_, call, method::kEtcdDefragment,
                                                Empty(), kDefragmentLimit));
    case Call::etcd_leave:
      co_return outcome_of(call,
                           co_await unary(context, connection_, call, method::kEtcdLeaveCluster,
                                          machine::EtcdLeaveClusterRequest(), kLeaveLimit));
    case Call::etcd_forfeit_leadership:
      co_return outcome_of(
          call, co_await unary(context, connection_, call, method::kEtcdForfeitLeadership,
                               machine::EtcdForfeitLeadershipRequest()));
    case Call::etcd_remove_member: {
      machine::EtcdRemoveMemberByIDRequest request;
      request.set_member_id(change.member.value());
      co_return outcome_of(call, co_await unary(context, connection_, call,
                                                method::kEtcdRemoveMember, std::move(request)));
    }
    default: break;
  }
  check(false, "this call changes etcd");
  co_return Outcome{};
}

Task<Outcome> GrpcSession::etcd_recover(Context context, const ByteSource& snapshot) {
  constexpr Call call = Call::etcd_recover;
  std::uint64_t at = 0;
  const NextMessage next = [&]() -> CallResult<std::optional<std::string>> {
    if (at == snapshot.size()) return std::optional<std::string>();
    const auto count = std::min<std::uint64_t>(kUploadChunk, snapshot.size() - at);
    auto bytes = snapshot.read(at, static_cast<std::size_t>(count));
    if (!bytes) return own_trouble(call, bytes.error(), Progress::sent);
    at += count;
    common::Data piece;
    piece.set_bytes(*std::move(bytes));
    return std::optional(piece.SerializeAsString());
  };
  auto reply = co_await upload_bytes(context, connection_, call, method::kEtcdRecover.path, next,
                                     method::kEtcdRecover.reply_bytes_max);
  if (!reply) co_return Outcome::failed(std::move(reply).error());
  std::size_t fields = 0;
  co_return outcome_of(call, decode_reply<machine::EtcdRecoverResponse>(call, *reply, fields));
}

}  // namespace ichor
