#include "sim/checkers/history.h"

namespace ichor::sim {
namespace {

/// A history in which cp1 shows keys by name.
class BoundKeyTest : public testing::Test {
 protected:
  void binds(const char* key, const char* since, bool clock_set = true) {
    BoundIdentity bound{history_.node("cp1").spec().hardware, Fingerprint(key), clock_set};
    bound.identity.since = since;
    history_.records(RecordKind::identity_bound, "cp1", encode_binding(bound));
  }
  void sends_under(const char* key) {
    Request request = history_.request(Call::apply_configuration, "cp1");
    request.maintenance = true;
    request.key = Fingerprint(key);
    history_.checker->on_request(request);
  }

  History history_{"I25"};
};

TEST_F(BoundKeyTest, HoldsForTheBoundKeyAndForAnotherOneAfterAReboot) {
  binds("one", "boot-1");
  sends_under("one");
  binds("two", "boot-2");
  sends_under("two");
  EXPECT_EQ(history_.violation(), "");
}

TEST_F(BoundKeyTest, HoldsForAKeyThatWasMadeWhenTheClockWasSet) {
  binds("one", "boot-1", false);
  binds("two", "boot-1");
  sends_under("two");
  EXPECT_EQ(history_.violation(), "");
}

TEST_F(BoundKeyTest, IsBrokenByAConfigUnderAnotherKey) {
  binds("one", "boot-1");
  sends_under("two");
  EXPECT_THAT(history_.violation(), testing::HasSubstr("a key that is not bound to it"));
}

TEST_F(BoundKeyTest, IsBrokenByAnotherKeyWithinOneBoot) {
  binds("one", "boot-1");
  binds("two", "boot-1");
  EXPECT_THAT(history_.violation(), testing::HasSubstr("another key within one boot"));
}

TEST_F(BoundKeyTest, ForgetsTheKeyOfANodeThatWasReset) {
  binds("one", "boot-1");
  JournalRecord reset;
  reset.node = NodeName("cp1");
  reset.key = std::string(kResetKey);
  history_.records(reset);
  binds("two", "boot-1");
  EXPECT_EQ(history_.violation(), "");
}

}  // namespace
}  // namespace ichor::sim
