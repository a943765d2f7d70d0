#include "command/commands.h"

#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "async/at_once.h"
#include "port/test_host.h"

namespace ichor {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

std::string content_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The reference profile, its six machines in maintenance mode, and what the user types.
class CommandsTest : public ::testing::Test {
 protected:
  CommandsTest() {
    host_.inputs["ichor.yaml"] = content_of("examples/reference/ichor.yaml");
    for (int i = 1; i <= 3; ++i) {
      power_on(fmt::format("192.168.22.10{}", i), fmt::format("52:54:00:16:01:0{}", i));
      power_on(fmt::format("192.168.22.11{}", i), fmt::format("52:54:00:16:01:1{}", i));
    }
  }

  void power_on(const std::string& address, const std::string& mac) {
    host_.machines.macs[address] = mac;
  }

  int type(std::vector<std::string> words) {
    const CommandLine line = parse_command_line(words);
    return static_cast<int>(run_command(std::get<Invocation>(line), host_));
  }

  const RunResult& result() { return host_.display().summary().result; }

  FakeHost host_;
};

TEST_F(CommandsTest, LintFindsNothingInTheReferenceProfile) {
  EXPECT_EQ(type({"lint"}), 0);
  EXPECT_EQ(result().verdict, "ichor.yaml: 0 errors, 0 warnings");
}

TEST_F(CommandsTest, LintTellsAllFindingsWithTheirPlaces) {
  host_.inputs["bad.yaml"] = content_of("tests/golden/profiles/network.yaml");
  EXPECT_EQ(type({"lint", "-p", "bad.yaml"}), 3);
  EXPECT_GT(result().findings.size(), 1u);
  for (const Finding& finding : result().findings) {
    EXPECT_THAT(finding.where, HasSubstr("bad.yaml:"));
    EXPECT_FALSE(finding.fix.empty());
  }
}

TEST_F(CommandsTest, NothingStartsWithAProfileThatHasErrors) {
  host_.inputs["bad.yaml"] = content_of("tests/golden/profiles/network.yaml");
  EXPECT_EQ(type({"up", "-p", "bad.yaml"}), 3);
  EXPECT_FALSE(host_.state_made);
}

TEST_F(CommandsTest, ATemplateWithoutResultIsReportedBesideItsText) {
  host_.inputs["log.yaml.j2"] = "{% if logs %}machine: {}{% endif %}";
  host_.inputs["vars.yaml"] = "logs: false";
  EXPECT_EQ(type({"render", "log.yaml.j2", "--vars", "vars.yaml"}), 0);
  EXPECT_TRUE(host_.display().summary().aside);
  ASSERT_THAT(result().findings, SizeIs(1));
  EXPECT_EQ(result().findings[0].where, "log.yaml.j2:1:7");
  EXPECT_THAT(result().findings[0].what, HasSubstr("`if logs`"));
}

TEST_F(CommandsTest, AMissingProfileIsAMistakeOfTheCommandLine) {
  EXPECT_EQ(type({"lint", "-p", "nowhere.yaml"}), 64);
  EXPECT_THAT(result().verdict, HasSubstr("nowhere.yaml"));
}

TEST_F(CommandsTest, AProfileOfAnotherClusterIsRefused) {
  EXPECT_EQ(type({"plan", "--cluster", "apps"}), 64);
  EXPECT_EQ(result().verdict, "ichor.yaml describes the cluster reference, not apps");
}

TEST_F(CommandsTest, ANodeThatTheProfileDoesNotHaveIsNamedWithItsNearest) {
  EXPECT_EQ(type({"preflight", "-n", "cp1,w4"}), 64);
  EXPECT_THAT(result().verdict, HasSubstr("no node w4"));
}

TEST_F(CommandsTest, PlanNamesEveryActionAndChangesNothing) {
  EXPECT_EQ(type({"plan"}), 0);
  EXPECT_THAT(
      host_.display().rows("action", {"node", "action"}),
      ElementsAre("cp1 ApplyConfiguration", "cp2 ApplyConfiguration", "cp3 ApplyConfiguration",
                  "w1 ApplyConfiguration", "w2 ApplyConfiguration", "w3 ApplyConfiguration",
                  "cp1 Bootstrap", "cp1 Kubeconfig"));
  EXPECT_THAT(host_.display().rows("node", {"node", "fingerprint"}),
              Contains("cp1 pin of 52:54:00:16:01:01"));
  EXPECT_EQ(host_.display().summary().planned, 8);
  EXPECT_EQ(result().mutations, 0);
  EXPECT_EQ(host_.machines.mutations, 0);
  EXPECT_FALSE(host_.state_made);
  EXPECT_THAT(host_.state_files, IsEmpty());
  EXPECT_THAT(host_.exported, IsEmpty());
}

TEST_F(CommandsTest, PlanTellsPendingChangesByItsExitCodeIfAsked) {
  EXPECT_EQ(type({"plan", "--detailed-exitcode"}), 2);
}

TEST_F(CommandsTest, ACommandAboutOneNodeKeepsTheTalosconfigOfAll) {
  type({"apply", "-n", "w1", "--retries", "1"});
  const std::string written = host_.state_files["talosconfig"];
  EXPECT_THAT(written, HasSubstr("192.168.22.101"));
  EXPECT_THAT(written, HasSubstr("192.168.22.113"));
  EXPECT_THAT(written, Not(HasSubstr("endpoints: []")));
}

TEST_F(CommandsTest, PlanWaitsForANodeThatIsNotThere) {
  host_.machines.macs.erase("192.168.22.102");
  EXPECT_EQ(type({"up", "--dry-run"}), 0);
  EXPECT_THAT(
      host_.display().rows("action", {"node", "action"}),
      ElementsAre("cp2 wait", "cp1 ApplyConfiguration", "cp2 ApplyConfiguration",
                  "cp3 ApplyConfiguration", "w1 ApplyConfiguration", "w2 ApplyConfiguration",
                  "w3 ApplyConfiguration", "cp1 Bootstrap", "cp1 Kubeconfig"));
  EXPECT_THAT(result().verdict, HasSubstr("not verified: cp2"));
}

TEST_F(CommandsTest, PlanNeedsNoMachineIfItIsOffline) {
  host_.machines.macs.clear();
  EXPECT_EQ(type({"plan", "--offline"}), 0);
  EXPECT_EQ(host_.display().summary().planned, 8);
  EXPECT_THAT(host_.display().rows("action", {"action"}), Not(Contains("wait")));
}

TEST_F(CommandsTest, PlanFindsANodeWhereTheOperatorSaysItIs) {
  host_.machines.macs.erase("192.168.22.102");
  power_on("192.168.20.37", "52:54:00:16:01:02");
  EXPECT_EQ(type({"plan", "--address", "cp2=192.168.20.37"}), 0);
  EXPECT_THAT(host_.display().rows("node", {"node", "address", "seen"}),
              Contains("cp2 192.168.20.37 maintenance"));
}

TEST_F(CommandsTest, ExcludedNodesAreNotPartOfThePlan) {
  EXPECT_EQ(type({"plan", "--exclude", "cp3,w1"}), 0);
  EXPECT_THAT(host_.display().rows("node", {"node"}), ElementsAre("cp1", "cp2", "w2", "w3"));
}

TEST_F(CommandsTest, UpAsksFirstWhetherItMayWriteTheKubeconfig) {
  host_.seen_by_git.insert("kubernetes/kubeconfig");
  EXPECT_EQ(type({"up"}), 5);
  EXPECT_THAT(result().verdict, HasSubstr("seen by git"));
  EXPECT_EQ(host_.machines.mutations, 0);
}

TEST_F(CommandsTest, SecretsAreMadeOnceAndKept) {
  type({"apply"});
  ASSERT_TRUE(host_.state_files.contains("secrets.yaml"));
  EXPECT_TRUE(host_.state_files.contains("talosconfig"));
  const auto before = host_.state_files;
  host_.display().summaries.clear();
  type({"apply"});
  EXPECT_EQ(host_.state_files, before);
}

TEST_F(CommandsTest, TheClientCertificateIsRenewedBeforeItExpires) {
  type({"apply"});
  const std::string first = host_.state_files["talosconfig"];
  const auto after_days = [this](int days) {
    host_.virtual_clock().run_for(std::chrono::hours(24 * days));
    host_.display().summaries.clear();
    type({"apply"});
    return host_.state_files["talosconfig"];
  };
  EXPECT_EQ(after_days(300), first) << "it is good for 65 days more";
  const std::string renewed = after_days(40);
  EXPECT_NE(renewed, first) << "25 days are too few";
  EXPECT_EQ(after_days(300), renewed);
}

TEST_F(CommandsTest, LookingMakesNoSecrets) {
  EXPECT_EQ(type({"preflight"}), 0) << result().verdict;
  EXPECT_FALSE(host_.state_files.contains("secrets.yaml"));
  EXPECT_FALSE(host_.state_files.contains("talosconfig"));
}

TEST_F(CommandsTest, LookingFirstIsNoEditOfTheProfile) {
  EXPECT_EQ(type({"discover"}), 0) << result().verdict;
  host_.display().summaries.clear();
  type({"apply"});
  for (const Event& event : host_.display().events) {
    EXPECT_THAT(event.text, Not(HasSubstr("the profile was edited")));
  }
}

TEST_F(CommandsTest, TheContractIsThatOfTheFirstRun) {
  type({"apply"});
  host_.display().summaries.clear();
  std::string& profile = host_.inputs["ichor.yaml"];
  const std::string line = "# contract: v1.12 ";
  profile.replace(profile.find(line), line.size(), "contract: v1.13 # ");
  profile.replace(profile.find("version: v1.12.6"), 16, "version: v1.13.9");
  EXPECT_EQ(type({"plan"}), 5);
  EXPECT_THAT(result().verdict, HasSubstr("created with the contract 1.12"));
  EXPECT_THAT(result().verdict, HasSubstr("--raise-contract"));
  host_.display().summaries.clear();
  EXPECT_EQ(type({"plan", "--raise-contract"}), 1) << "nodes of 1.12 do not know that contract";
  host_.display().summaries.clear();
  host_.machines.run = TalosVersion{1, 13, 9};
  EXPECT_EQ(type({"plan", "--raise-contract"}), 0) << result().verdict;
  host_.display().summaries.clear();
  profile.replace(profile.find("contract: v1.13"), 15, "contract: v1.11");
  EXPECT_EQ(type({"plan", "--raise-contract"}), 5);
  EXPECT_THAT(result().verdict, HasSubstr("cannot go back to 1.11"));
}

TEST_F(CommandsTest, LostSecretsAreNotReplaced) {
  type({"apply"});
  host_.state_files.erase("secrets.yaml");
  host_.display().summaries.clear();
  EXPECT_EQ(type({"up"}), 5);
  EXPECT_THAT(result().verdict, HasSubstr("secrets of reference are gone"));
  EXPECT_FALSE(host_.state_files.contains("secrets.yaml"));
}

TEST_F(CommandsTest, OtherSecretsAreRefusedAndChangeNothing) {
  type({"apply"});
  host_.display().summaries.clear();
  type({"gen", "secrets", "-o", "other.yaml"});
  host_.state_files["secrets.yaml"] = host_.exported["other.yaml"];
  const auto before = host_.state_files;
  const int mutations = host_.machines.mutations;
  host_.display().summaries.clear();
  EXPECT_EQ(type({"up"}), 5);
  ASSERT_THAT(result().findings, SizeIs(1));
  EXPECT_THAT(result().findings.front().what,
              HasSubstr("not those that this cluster was created with"));
  EXPECT_EQ(host_.state_files, before) << "the talosconfig is still the one of the cluster";
  EXPECT_EQ(host_.machines.mutations, mutations);
}

TEST_F(CommandsTest, DiscoverTellsTheMachines) {
  EXPECT_EQ(type({"discover"}), 0) << result().verdict;
  EXPECT_THAT(host_.display().rows("node", {"node", "uuid"}),
              Contains("w3 uuid of 52:54:00:16:01:13"));
  EXPECT_EQ(host_.machines.mutations, 0);
}

TEST_F(CommandsTest, AStateFolderFromAnotherMachineIsNotGoneOnWith) {
  host_.copied = true;
  EXPECT_EQ(type({"up"}), 5);
  EXPECT_THAT(result().verdict, HasSubstr("--adopt"));
}

TEST_F(CommandsTest, AnInterruptedLookEndsAsSuch) {
  host_.signal = SIGINT;
  EXPECT_EQ(type({"status"}), 130);
  host_.display().summaries.clear();
  host_.signal = SIGTERM;
  EXPECT_EQ(type({"status"}), 143);
}

TEST_F(CommandsTest, StatusLooksAtEveryNodeOnce) {
  host_.machines.macs.erase("192.168.22.113");
  EXPECT_EQ(type({"status"}), 0);
  EXPECT_THAT(host_.display().rows("node", {"node", "seen"}), Contains("w3 silent"));
  EXPECT_THAT(host_.display().rows("node", {"node", "stage"}), Contains("cp1 maintenance"));
  EXPECT_FALSE(host_.state_made);
}

TEST_F(CommandsTest, ReportHasNothingToTellBeforeTheFirstRun) {
  EXPECT_EQ(type({"report", "--text"}), 1);
  host_.display().summaries.clear();
  ASSERT_EQ(type({"discover"}), 0) << result().verdict;
  host_.display().summaries.clear();
  EXPECT_EQ(type({"report", "--text"}), 0);
  ASSERT_THAT(host_.display().histories, SizeIs(1));
  EXPECT_THAT(host_.display().histories[0].records, Not(IsEmpty()));
}

TEST_F(CommandsTest, UnlockNeedsTheNonceOfTheHolder) {
  MemoryJournal rival(host_.store());
  ASSERT_TRUE(at_once(rival.lock({}, {"00000000000000bb", "elsewhere", "boot", 7})));
  host_.state_made = true;
  EXPECT_EQ(type({"unlock", "00000000000000cc"}), 1);
  host_.display().summaries.clear();
  EXPECT_EQ(type({"unlock", "--force", "00000000000000bb"}), 0);
  ASSERT_THAT(host_.store().records(), SizeIs(1));
  EXPECT_EQ(host_.store().records()[0].key, "lock broken");
  EXPECT_EQ(host_.store().records()[0].value, "nonce 00000000000000bb of process 7 on elsewhere");
}

TEST_F(CommandsTest, UnlockLeavesTheLockOfALiveRunAlone) {
  auto rival = std::make_unique<MemoryJournal>(host_.store());
  ASSERT_TRUE(at_once(rival->lock({}, {"00000000000000bb", "desk", "boot", 7})));
  host_.state_made = true;
  EXPECT_EQ(type({"unlock", "00000000000000bb"}), 5);
  EXPECT_THAT(result().verdict, HasSubstr("process 7"));
  EXPECT_TRUE(host_.store().owner());
  rival.reset();
  host_.display().summaries.clear();
  EXPECT_EQ(type({"unlock", "00000000000000bb"}), 0);
}

TEST_F(CommandsTest, OnlyMachinesWithPinnedKeysAreContacted) {
  const std::string pin = std::string(43, 'A') + "=";
  for (const char* also : {"-q", "-i"}) {
    EXPECT_EQ(type({"apply", "--cert-fingerprint", pin, also}), 5) << result().verdict;
    EXPECT_EQ(host_.machines.mutations, 0);
    host_.display().summaries.clear();
  }
}

TEST_F(CommandsTest, InsecureNeedsItsFlagAndIsReported) {
  std::string& profile = host_.inputs["ichor.yaml"];
  profile.replace(profile.find("trust: tofu"), 11, "trust: insecure");
  EXPECT_EQ(type({"preflight"}), 0);
  ASSERT_THAT(result().findings, SizeIs(1));
  EXPECT_EQ(result().findings[0].id, "profile.trust");
  EXPECT_EQ(result().findings[0].severity, Severity::warning);
  host_.display().summaries.clear();
  EXPECT_EQ(type({"preflight", "--insecure"}), 0);
  ASSERT_THAT(result().findings, SizeIs(2));
  EXPECT_EQ(result().findings[1].where, "--insecure");
}

TEST_F(CommandsTest, EndpointsAreControlPlanesByNameOrAddress) {
  EXPECT_EQ(type({"status", "-e", "cp2,10.0.0.7", "-n", "w1"}), 0);
  EXPECT_THAT(host_.reached.endpoints,
              ElementsAre(IpAddress("192.168.22.102"), IpAddress("10.0.0.7")));
  host_.display().summaries.clear();
  EXPECT_EQ(type({"status", "-e", "w1"}), 64);
  EXPECT_THAT(result().verdict, HasSubstr("w1 is a worker"));
  host_.display().summaries.clear();
  EXPECT_EQ(type({"status", "-e", "bastion"}), 64);
}

TEST_F(CommandsTest, NodesAreNamedOrGivenByTheirAddress) {
  EXPECT_EQ(type({"status", "-n", "192.168.22.112,cp1"}), 0);
  EXPECT_THAT(host_.display().rows("node", {"node"}), ElementsAre("cp1", "w2"));
}

TEST_F(CommandsTest, ATalosconfigDoesNotStandForSecretsThatAreMissing) {
  type({"apply"});
  host_.inputs["mine"] = host_.state_files["talosconfig"];
  FakeHost fresh;
  fresh.inputs = host_.inputs;
  const auto typed = [&fresh](std::vector<std::string> words) {
    return static_cast<int>(run_command(std::get<Invocation>(parse_command_line(words)), fresh));
  };
  EXPECT_EQ(typed({"up", "--talosconfig", "mine"}), 64);
  EXPECT_THAT(fresh.display().summary().result.verdict, HasSubstr("secrets_file"));
  EXPECT_FALSE(fresh.state_files.contains("secrets.yaml"));
  fresh.display().summaries.clear();
  EXPECT_EQ(typed({"status", "--talosconfig", "mine"}), 0);
  EXPECT_FALSE(fresh.reached.client_cert_pem.empty());
}

TEST_F(CommandsTest, ASchematicIsUploadedInItsCanonicalForm) {
  host_.inputs["schematic.yaml"] =
      "customization: {systemExtensions: {officialExtensions: [siderolabs/qemu-guest-agent]}}";
  const std::vector<std::string> words{"schematic", "upload", "schematic.yaml", "--factory",
                                       "https://factory.example"};
  EXPECT_EQ(type(words), 1) << "the factory does not answer";
  host_.factory_answer = "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515";
  EXPECT_EQ(type(words), 0);
  EXPECT_EQ(host_.printed(), host_.factory_answer + "\n");
  EXPECT_THAT(host_.uploaded["https://factory.example"],
              HasSubstr("\n            - siderolabs/qemu-guest-agent\n"));
  host_.factory_answer = "another";
  EXPECT_EQ(type(words), 5) << "it would build another image";
}

TEST_F(CommandsTest, VersionAndCompletionArePrintedAsTheyAre) {
  EXPECT_EQ(type({"version"}), 0);
  EXPECT_THAT(host_.printed(), HasSubstr("ichor "));
  EXPECT_EQ(type({"completion", "bash"}), 0);
  EXPECT_THAT(host_.printed(), HasSubstr("complete -o default -F _ichor ichor"));
  EXPECT_THAT(host_.display().summaries, IsEmpty());
  EXPECT_EQ(type({"version", "-o", "json"}), 0);
  EXPECT_THAT(host_.display().rows("version", {"version"}), SizeIs(1));
}

TEST_F(CommandsTest, PreflightShowsEveryCheckOfEveryNode) {
  ASSERT_EQ(type({"preflight"}), 0) << result().verdict;
  const auto checks = host_.display().rows("check", {"node", "check", "result"});
  EXPECT_THAT(checks, Contains("cp1 install disk passed"));
  EXPECT_THAT(checks, Contains("w3 data on disk passed"));
  EXPECT_THAT(checks, Contains("cp1 time skipped"));
  EXPECT_THAT(checks, Contains("VIP passed"));
  EXPECT_FALSE(host_.state_made) << "looking leaves nothing behind";
}

TEST_F(CommandsTest, PreflightTellsAllFindingsAtOnce) {
  host_.machines.macs.erase("192.168.22.102");
  host_.machines.macs["192.168.22.111"] = "52:54:00:16:01:12";
  host_.taken_addresses.insert("192.168.22.100");
  EXPECT_EQ(type({"preflight"}), 3);
  const auto checks = host_.display().rows("check", {"node", "check", "result", "fault"});
  EXPECT_THAT(checks, Contains("VIP failed D8"));
  EXPECT_THAT(checks, Contains("identities failed D8"));
  EXPECT_THAT(checks, Contains("cp2 reachable failed N1"));
  EXPECT_THAT(checks, Contains("w1 reachable failed D8"));
  for (const Finding& finding : result().findings) EXPECT_FALSE(finding.fix.empty());
}

TEST_F(CommandsTest, UpDoesNotStartWhenTheVipIsTaken) {
  host_.taken_addresses.insert("192.168.22.100");
  EXPECT_EQ(type({"up"}), 5);
  EXPECT_THAT(result().verdict, HasSubstr("another machine already has the VIP"));
  EXPECT_EQ(host_.machines.mutations, 0);
  EXPECT_FALSE(host_.state_files.contains("secrets.yaml")) << "nothing was made";
}

/// The check's own fix names --adopt.
TEST_F(CommandsTest, UpStartsOnATakenVipWhereTheClusterIsOlderThanItsJournal) {
  host_.taken_addresses.insert("192.168.22.100");
  type({"up", "--adopt"});
  EXPECT_THAT(result().verdict, Not(HasSubstr("VIP")));
  EXPECT_GT(host_.machines.mutations, 0);
}

TEST_F(CommandsTest, TheSlowKeyIsMadeWhileTheVipIsProbed) {
  std::size_t under_way = 0;
  host_.on_probe = [&] { under_way = host_.rsa_keys.size(); };
  type({"up"});
  EXPECT_EQ(under_way, 1u);
  EXPECT_EQ(host_.rsa_keys_made, 1) << "and it is taken for the secrets";
  EXPECT_TRUE(host_.state_files.contains("secrets.yaml"));
  host_.display().summaries.clear();
  under_way = 0;
  type({"up"});
  EXPECT_EQ(under_way, 0u) << "the second run has its secrets";
  EXPECT_EQ(host_.rsa_keys_made, 1);
}

TEST_F(CommandsTest, ADiskWithDataIsOverwrittenOnlyByConsent) {
  host_.machines.disks_have_data = true;
  EXPECT_EQ(type({"plan"}), 5);
  ASSERT_THAT(result().findings, SizeIs(6));
  EXPECT_EQ(result().findings[0].id, "D3");
  EXPECT_THAT(result().findings[0].fix, HasSubstr("--consent-wipe cp1=disk of 52:54:00:16:01:01"));
  host_.display().summaries.clear();
  EXPECT_EQ(type({"preflight", "-n", "cp1", "--consent-wipe", "cp1=disk of 52:54:00:16:01:01"}), 0)
      << result().verdict;
}

TEST_F(CommandsTest, ResetNamesItsNodesOrTheWholeCluster) {
  EXPECT_EQ(type({"reset", "cp1", "w9"}), 64);
  host_.display().summaries.clear();
  EXPECT_EQ(type({"reset", "--all", "--cluster-name", "other"}), 64);
  EXPECT_THAT(result().verdict, HasSubstr("the profile is of reference"));
  host_.display().summaries.clear();
  EXPECT_EQ(type({"reset", "cp1", "cp2"}), 5);
  EXPECT_EQ(result().findings[0].id, "E8");
  EXPECT_THAT(result().findings[0].fix, HasSubstr("--all --cluster-name reference"));
  EXPECT_EQ(host_.machines.mutations, 0);
}

TEST_F(CommandsTest, AnUpgradeSaysWhichVersionAndWhichCluster) {
  EXPECT_EQ(type({"upgrade", "--to", "v1.12.7", "--consent-downtime", "other"}), 64);
  EXPECT_THAT(result().verdict, HasSubstr("the profile is of reference"));
  host_.display().summaries.clear();
  EXPECT_EQ(type({"upgrade", "-n", "w9"}), 64);
  host_.display().summaries.clear();
  EXPECT_EQ(type({"upgrade", "--schematic", "no-such-file.yaml"}), 64);
  EXPECT_EQ(host_.machines.mutations, 0);
}

TEST_F(CommandsTest, AResetOfNodesWithoutAConfigSendsNothing) {
  EXPECT_EQ(type({"reset", "w1"}), 0) << result().verdict;
  EXPECT_EQ(host_.machines.mutations, 0);
}

}  // namespace
}  // namespace ichor
