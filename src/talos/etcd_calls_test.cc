#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "talos/test_session.h"

namespace ichor {
namespace {

using testing::ElementsAre;

/// A sink that is full after so many bytes.
class SmallDisk final : public ByteSink {
 public:
  explicit SmallDisk(std::size_t size) : size_(size) {}
  Result<void> take(std::string_view bytes) override {
    if (bytes.size() > size_) return fail(Errc::io, "no space left on device", "L1");
    size_ -= bytes.size();
    return {};
  }

 private:
  std::size_t size_;
};

class EtcdCallsTest : public OneSession {
 protected:
  void serve(int pieces, std::size_t size) {
    common::Data data;
    data.set_bytes(std::string(size, 's'));
    node->snapshot.assign(static_cast<std::size_t>(pieces), data);
  }
};

TEST_F(EtcdCallsTest, ASnapshotIsHandedOnPieceByPiece) {
  serve(600, 1024);
  MemoryBytes bytes;
  const auto streamed = loop.run(session().etcd_snapshot(context(), bytes));
  ASSERT_TRUE(streamed) << to_text(streamed.error());
  EXPECT_EQ(bytes.size(), 600u * 1024);
}

TEST_F(EtcdCallsTest, AStreamThatBreaksOffIsAnError) {
  serve(10, 1024);
  node->snapshot_status = {Code::unavailable, "error reading from server: EOF"};
  MemoryBytes bytes;
  const auto streamed = loop.run(session().etcd_snapshot(context(), bytes));
  ASSERT_FALSE(streamed);
  EXPECT_EQ(streamed.error().code, Code::unavailable);
}

TEST_F(EtcdCallsTest, AnErrorWithinTheStreamIsTheNodes) {
  serve(1, 10);
  node->snapshot.front().mutable_metadata()->set_error("rpc error: code = Unavailable");
  MemoryBytes bytes;
  EXPECT_FALSE(loop.run(session().etcd_snapshot(context(), bytes)));
}

TEST_F(EtcdCallsTest, AFullDiskEndsTheStreamAndIsNamed) {
  serve(100, 1024);
  SmallDisk disk(10'000);
  const auto streamed = loop.run(session().etcd_snapshot(context(), disk));
  ASSERT_FALSE(streamed);
  EXPECT_EQ(streamed.error().text, "no space left on device");
  EXPECT_EQ(streamed.error().fault, FaultId("L1"));
}

TEST_F(EtcdCallsTest, ChangesOfEtcdAreSentAsWhatTheyAre) {
  for (const Call call : {Call::etcd_defragment, Call::etcd_leave, Call::etcd_forfeit_leadership}) {
    EtcdChange change;
    change.call = call;
    EXPECT_EQ(loop.run(session().change_etcd(context(), change)).kind, OutcomeKind::done);
  }
  EtcdChange removal;
  removal.call = Call::etcd_remove_member;
  removal.member = EtcdMemberId(0xfeedfeedfeedfeed);
  EXPECT_EQ(loop.run(session().change_etcd(context(), removal)).kind, OutcomeKind::done);
  EXPECT_EQ(node->removed_member, 0xfeedfeedfeedfeedu);
  EXPECT_THAT(node->etcd_changes, ElementsAre("EtcdDefragment", "EtcdLeaveCluster",
                                              "EtcdForfeitLeadership", "EtcdRemoveMemberByID"));
}

TEST_F(EtcdCallsTest, ARefusedChangeKeepsItsCode) {
  node->etcd_status = {Code::not_found, "etcdserver: member not found"};
  EtcdChange removal;
  removal.call = Call::etcd_remove_member;
  const Outcome outcome = loop.run(session().change_etcd(context(), removal));
  EXPECT_EQ(outcome.kind, OutcomeKind::refused);
  EXPECT_EQ(outcome.error->code, Code::not_found);
}

TEST_F(EtcdCallsTest, ASnapshotIsUploadedWholeAndThenRestored) {
  MemoryBytes snapshot;
  std::string bytes;
  for (int i = 0; i < 300'000; ++i) bytes += static_cast<char>('a' + i % 26);
  ASSERT_TRUE(snapshot.take(bytes));
  const Outcome uploaded = loop.run(session().etcd_recover(context(), snapshot));
  EXPECT_EQ(uploaded.kind, OutcomeKind::done) << (uploaded.error ? to_text(*uploaded.error) : "");
  EXPECT_EQ(node->recovered, bytes);
  BootstrapRequest request;
  request.recover = true;
  EXPECT_EQ(loop.run(session().bootstrap(context(), request)).kind, OutcomeKind::done);
  EXPECT_TRUE(node->recovers);
}

}  // namespace
}  // namespace ichor
