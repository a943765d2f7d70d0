#include "engine/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/test_kit.h"

namespace ichor {
namespace {

using testing::HasSubstr;
using testing::Not;

class TalkingSession final : public MaintenanceSession {
 public:
  TalkingSession() : MaintenanceSession("key") {}
  Task<CallResult<std::vector<ServiceStatus>>> services(Context) override {
    co_return std::vector<ServiceStatus>{{"apid", "Running", true, false, ""},
                                         {"etcd", "Preparing", false, true, "Running pre state"}};
  }
  Task<CallResult<std::vector<std::string>>> events(Context, int) override {
    co_return tl::unexpected(CallError{Call::events, Progress::answered, TlsVerdict::fine,
                                       Code::unimplemented, "method Events not implemented"});
  }
  Task<CallResult<std::vector<std::string>>> dmesg(Context, int) override {
    co_return std::vector<std::string>{"eth0: link down", std::string(500, 'x')};
  }
  Task<Outcome> apply_configuration(Context, ApplyRequest) override { co_return Outcome::done(); }
  Task<Outcome> bootstrap(Context, BootstrapRequest) override { co_return Outcome::done(); }
};

class EvidenceTest : public EngineRig {
 protected:
  std::unique_ptr<TalosSession> connect() override { return std::make_unique<TalkingSession>(); }
  Task<void> gather(bool looked) {
    if (looked) co_await link_.look(context_, {});
    text_ = co_await gather_evidence(context_, link_, std::chrono::seconds(5));
  }
  std::string text_;
};

TEST_F(EvidenceTest, ANodeTellsWhatIsNotWellAndWhatItDoesNotServe) {
  run_to_end(gather(true), std::chrono::seconds(30));
  EXPECT_THAT(text_, HasSubstr("services: etcd is Preparing (Running pre state)"));
  EXPECT_THAT(text_, Not(HasSubstr("apid")));
  EXPECT_THAT(text_, HasSubstr("last events: Events: Unimplemented"));
  EXPECT_THAT(text_, HasSubstr("kernel log: eth0: link down | xxx"));
  EXPECT_LT(text_.size(), 500u) << "long lines are cut";
}

TEST_F(EvidenceTest, WhoIsNotThereSaysNothing) {
  run_to_end(gather(false), std::chrono::seconds(30));
  EXPECT_EQ(text_, "");
}

}  // namespace
}  // namespace ichor
