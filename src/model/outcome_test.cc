#include "model/outcome.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(Outcome, ALostReplyIsUnknownAndNeverARefusal) {
  for (const Code code : {Code::unavailable, Code::deadline_exceeded, Code::cancelled}) {
    const Outcome outcome =
        Outcome::failed({Call::bootstrap, Progress::sent, TlsVerdict::fine, code, "EOF"});
    EXPECT_EQ(outcome.kind, OutcomeKind::unknown) << name_of(code);
  }
}

TEST(Outcome, WhatWasNotSentOrWasAnsweredIsRefused) {
  for (const Progress progress : {Progress::not_sent, Progress::answered}) {
    const Outcome outcome = Outcome::failed(
        {Call::bootstrap, progress, TlsVerdict::fine, Code::unavailable, "refused"});
    EXPECT_EQ(outcome.kind, OutcomeKind::refused);
  }
}

TEST(CallError, SaysCallCodeAndText) {
  const CallError error{Call::bootstrap, Progress::answered, TlsVerdict::fine,
                        Code::failed_precondition, "time is not in sync yet"};
  EXPECT_EQ(to_text(error), "Bootstrap: FailedPrecondition: time is not in sync yet");
  const CallError foreign{Call::open, Progress::not_sent, TlsVerdict::foreign_ca, Code::unavailable,
                          "x509: certificate signed by unknown authority"};
  EXPECT_EQ(to_text(foreign),
            "connect: foreign CA (x509: certificate signed by unknown authority)");
}

}  // namespace
}  // namespace ichor
