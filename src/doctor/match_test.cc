#include "doctor/match.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

struct Case {
  const char* text;
  const char* fault;
};

// As Talos 1.12 and 1.13, talosctl and kubectl print them, and findings of ichor with their id.
const Case kCases[] = {
    {"rpc error: code = Unavailable desc = connection error: desc = \"transport: authentication "
     "handshake failed: tls: failed to verify certificate: x509: certificate signed by unknown "
     "authority\"",
     "T1"},
    {"rpc error: code = Unavailable desc = connection error: desc = \"transport: Error while "
     "dialing: dial tcp 192.168.22.101:50000: connect: connection refused\"",
     "N1"},
    {"error dialing: dial tcp 192.168.22.101:50000: i/o timeout", "N2"},
    {"rpc error: code = FailedPrecondition desc = bootstrap is not available yet", "A1"},
    {"rpc error: code = FailedPrecondition desc = time is not in sync yet", "T7"},
    {"rpc error: code = AlreadyExists desc = etcd data directory is not empty", "E3"},
    {"Bootstrap: FailedPrecondition: bootstrap can only be performed on a control plane node",
     "E10"},
    {"remote error: tls: certificate required", "T4"},
    {"x509: certificate has expired or is not yet valid: current time 2011-01-01", "T6"},
    {"error resolving install disk: no disk matched the selector", "D3"},
    {"rpc error: code = PermissionDenied desc = not authorized", "A2"},
    {"rpc error: code = Unimplemented desc = unknown method", "A3"},
    {"ApplyConfiguration: InvalidArgument: configuration validation failed", "A5"},
    {"rpc error: code = ResourceExhausted desc = grpc: received message larger than max", "A7"},
    {"service etcd: Waiting for etcd spec", "E2"},
    {"etcdserver: too many learner members in cluster", "E6"},
    {"error T9 secrets: the secrets are not those of this cluster", "T9"},
    {"write journal.db: No space left on device", "L3"},
    {"error E4 bootstrap: two etcd clusters: [cp1] and [cp2]", "E4"},
    {"Kubeconfig: Unavailable: connection reset by peer", "N7"},
    {"Bootstrap: DeadlineExceeded: Deadline Exceeded", "N3"},
    {"container runtime network not ready: cni config uninitialized", "K1"},
    // The errors of the users' own documents.
    {"install.extraKernelArgs and install.grubUseUKICmdline can't be used together", "C7"},
    {"file not found: machine-logging.yaml", "C8"},
    {"open talos/patches/machine-logging.yaml: no such file or directory", "C8"},
    {"Node stuck in MAINTENANCE", "D12"},
    {"Config apply failed 5 retries", "A9"},
    {"Config apply failed after 5 retries", "A9"},
    {"command not found: yq", "L14"},
    {"bash: line 3: yq: command not found", "L14"},
    {"no disks matched the expression: system_disk", "D3"},
    {"no disk found matching provided parameters", "D3"},
    {"either install disk or diskSelector should be defined", "D3"},
};

TEST(MatchError, FindsTheRowBehindATextThatToolsPrint) {
  for (const Case& one : kCases) {
    const auto match = match_error(one.text);
    ASSERT_TRUE(match && match->fault) << one.text;
    EXPECT_EQ(match->fault->id, one.fault) << one.text;
    EXPECT_FALSE(match->evidence.empty()) << one.text;
  }
}

TEST(MatchError, SaysNothingAboutWhatItDoesNotKnow) {
  EXPECT_FALSE(match_error("the quick brown fox"));
  EXPECT_FALSE(match_error(""));
}

TEST(ErrorPatterns, NameRowsAndAreWrittenInLowerCase) {
  for (const ErrorPattern& pattern : error_patterns()) {
    EXPECT_TRUE(find_fault(pattern.fault)) << pattern.fault;
    EXPECT_FALSE(pattern.words.empty());
    for (const std::string_view word : pattern.words) {
      EXPECT_EQ(word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), std::string_view::npos) << word;
    }
  }
}

TEST(ReadError, TellsHowFarACallCame) {
  EXPECT_EQ(read_error("Bootstrap: Unavailable: EOF").progress, Progress::sent);
  EXPECT_EQ(read_error("Version: Unavailable: EOF").progress, Progress::not_sent);
  EXPECT_EQ(read_error("Bootstrap: NotFound: no").progress, Progress::answered);
  EXPECT_EQ(read_error("tls: certificate required").tls, TlsVerdict::wants_client);
}

}  // namespace
}  // namespace ichor
