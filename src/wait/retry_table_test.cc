#include "wait/retry_table.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

struct Case {
  Call call;
  Progress progress;
  TlsVerdict tls;
  Code code;
  const char* text;
  Reaction reaction;
  const char* fault;
  FaultId mark{};  // what ichor itself found
};

// Texts are those of Talos 1.12.6 and 1.13.9.
const Case kCases[] = {
    {Call::bootstrap, Progress::answered, TlsVerdict::fine, Code::failed_precondition,
     "bootstrap is not available yet", Reaction::not_yet, "A1"},
    {Call::bootstrap, Progress::answered, TlsVerdict::fine, Code::failed_precondition,
     "time is not in sync yet", Reaction::not_yet, "T7"},
    {Call::bootstrap, Progress::answered, TlsVerdict::fine, Code::failed_precondition,
     "bootstrap can only be performed on a control plane node", Reaction::give_up, "E10"},
    {Call::bootstrap, Progress::answered, TlsVerdict::fine, Code::unimplemented,
     "bootstrap is only available on control plane nodes", Reaction::give_up, "E10"},
    {Call::bootstrap, Progress::answered, TlsVerdict::fine, Code::already_exists,
     "etcd data directory is not empty", Reaction::look_again, "E3"},
    {Call::bootstrap, Progress::answered, TlsVerdict::fine, Code::permission_denied,
     "not authorized", Reaction::give_up, "A2"},
    {Call::apply_configuration, Progress::answered, TlsVerdict::fine, Code::failed_precondition,
     "another apply configuration is already in progress", Reaction::not_yet, "A1"},
    {Call::apply_configuration, Progress::answered, TlsVerdict::fine, Code::failed_precondition,
     "configuration was already applied and node is rebooting, cannot apply more configuration "
     "changes until next reboot",
     Reaction::look_again, "A1"},
    {Call::apply_configuration, Progress::answered, TlsVerdict::fine, Code::unknown,
     "failed to parse config: error decoding document /v1alpha1/ (line 1): missing kind",
     Reaction::give_up, "A5"},
    {Call::apply_configuration, Progress::answered, TlsVerdict::fine, Code::invalid_argument,
     "configuration validation failed: 1 error occurred", Reaction::give_up, "A5"},
    {Call::apply_configuration, Progress::answered, TlsVerdict::fine, Code::permission_denied,
     "not authorized", Reaction::look_again, "T4"},
    {Call::apply_configuration, Progress::answered, TlsVerdict::fine, Code::aborted,
     "whatever our sentence is", Reaction::give_up, "A6", "A6"},
    {Call::apply_configuration, Progress::answered, TlsVerdict::fine, Code::unimplemented,
     "apply configuration --mode='no-reboot' is not supported in maintenance mode",
     Reaction::give_up, "A6"},
    {Call::kubeconfig, Progress::answered, TlsVerdict::fine, Code::failed_precondition,
     "kubernetes CA is not configured", Reaction::not_yet, "A1"},
    {Call::reset, Progress::answered, TlsVerdict::fine, Code::failed_precondition,
     "Talos is not installed", Reaction::give_up, "A1"},
    {Call::config_digest, Progress::answered, TlsVerdict::fine, Code::resource_exhausted,
     "grpc: received message larger than max (40000000 vs. 33554432)", Reaction::give_up, "A7"},
    {Call::reset, Progress::sent, TlsVerdict::fine, Code::unavailable, "EOF", Reaction::look_again,
     "N3"},
    {Call::reset, Progress::answered, TlsVerdict::fine, Code::permission_denied, "not authorized",
     Reaction::give_up, "A2"},
    {Call::bootstrap, Progress::sent, TlsVerdict::fine, Code::unavailable, "EOF",
     Reaction::look_again, "N3"},
    {Call::bootstrap, Progress::sent, TlsVerdict::fine, Code::deadline_exceeded,
     "context deadline exceeded", Reaction::look_again, "N3"},
    {Call::open, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
     "connect: connection refused", Reaction::retry, "N1"},
    {Call::open, Progress::not_sent, TlsVerdict::fine, Code::deadline_exceeded,
     "connect: i/o timeout", Reaction::retry, "N2"},
    {Call::open, Progress::not_sent, TlsVerdict::foreign_ca, Code::unavailable,
     "x509: certificate signed by unknown authority", Reaction::give_up, "T1"},
    {Call::open, Progress::not_sent, TlsVerdict::client_rejected, Code::unavailable,
     "remote error: tls: unknown certificate authority", Reaction::give_up, "T1"},
    {Call::open, Progress::not_sent, TlsVerdict::wrong_pin, Code::unavailable, "",
     Reaction::give_up, "T3"},
    {Call::open, Progress::not_sent, TlsVerdict::expired, Code::unavailable, "", Reaction::give_up,
     "T6"},
    {Call::open, Progress::not_sent, TlsVerdict::wants_client, Code::unavailable,
     "tls: certificate required", Reaction::look_again, "T4"},
    {Call::services, Progress::answered, TlsVerdict::fine, Code::unimplemented,
     "API is not implemented in maintenance mode", Reaction::give_up, "A3"},
    {Call::open, Progress::not_sent, TlsVerdict::fine, Code::unavailable,
     "HTTP proxy returned response code 403", Reaction::retry, "N14"},
    {Call::kubeconfig, Progress::answered, TlsVerdict::fine, Code::internal,
     "whatever our sentence is", Reaction::retry, "A8", "A8"},
    {Call::kubeconfig, Progress::answered, TlsVerdict::fine, Code::internal,
     "whatever our sentence is", Reaction::retry, "L13", "L13"},
    {Call::pull_image, Progress::answered, TlsVerdict::fine, Code::unknown,
     "failed to pull image \"x\": not found", Reaction::give_up, "U1"},
    {Call::pull_image, Progress::answered, TlsVerdict::fine, Code::unavailable, "i/o timeout",
     Reaction::retry, "U1"},
    {Call::upgrade, Progress::answered, TlsVerdict::fine, Code::failed_precondition,
     "another installation/upgrade is already in progress", Reaction::not_yet, "U4"},
    {Call::upgrade, Progress::answered, TlsVerdict::fine, Code::unknown, "whatever it says",
     Reaction::give_up, "U4", "U4"},
    {Call::upgrade, Progress::sent, TlsVerdict::fine, Code::unavailable, "EOF",
     Reaction::look_again, "N3"},
    {Call::evict, Progress::answered, TlsVerdict::fine, Code::resource_exhausted,
     "Cannot evict pod as it would violate the pod's disruption budget.", Reaction::not_yet, "U2"},
    {Call::bootstrap, Progress::answered, TlsVerdict::fine, Code::failed_precondition,
     "an unknown text", Reaction::retry, "A1"},
};

TEST(RetryTable, EveryKnownAnswerHasItsReaction) {
  for (const Case& row : kCases) {
    const CallError error{row.call, row.progress, row.tls, row.code, row.text, {}, row.mark};
    const RetryRule& rule = rule_for(error);
    EXPECT_EQ(rule.reaction, row.reaction) << to_text(error) << " → " << name_of(rule.reaction);
    EXPECT_EQ(rule.fault, row.fault) << to_text(error);
  }
}

TEST(RetryTable, EveryRowHelps) {
  for (const RetryRule& rule : retry_rules()) {
    EXPECT_FALSE(rule.hint.empty());
    EXPECT_FALSE(rule.fault.empty());
  }
}

TEST(RetryTable, EveryReactionHasItsName) {
  EXPECT_EQ(name_of(Reaction::retry), "retry");
  EXPECT_EQ(name_of(Reaction::not_yet), "not-yet");
  EXPECT_EQ(name_of(Reaction::look_again), "look-again");
  EXPECT_EQ(name_of(Reaction::give_up), "give-up");
  EXPECT_EQ(name_of(static_cast<Reaction>(99)), "?");
}

TEST(RetryTable, ASentMutationIsNeverPlainlyRetried) {
  for (int code = 0; code <= 16; ++code) {
    for (const Call call : {Call::bootstrap, Call::apply_configuration}) {
      const CallError error{call, Progress::sent, TlsVerdict::fine, static_cast<Code>(code), "x"};
      EXPECT_NE(rule_for(error).reaction, Reaction::retry) << name_of(error.code);
    }
  }
}

}  // namespace
}  // namespace ichor
