#include "phase/kubernetes/csr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::HasSubstr;

// Made with openssl req -new: subject O=system:nodes, CN=system:node:w1, and the names said.
constexpr const char* kOwn =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQkVUQ0J1QUlCQURBd01SVXdFd1lEVlFRS0RB"
    "eHplWE4wWlcwNmJtOWtaWE14RnpBVkJnTlZCQU1NRG5ONQpjM1JsYlRwdWIyUmxPbmN4TUZrd0V3WUhLb1pJemow"
    "Q0FRWUlLb1pJemowREFRY0RRZ0FFQzlvWUY3Lzd3Z3FwCm9URlVIamRaU3VDTTBCKzRzZ29NNU1oQTJJM040anUr"
    "Um9ud3NpZHdzS3VFOHgrajNwaE1Tc1ZZejlnMlJxc3IKRXRNd2NoWXZ2S0FtTUNRR0NTcUdTSWIzRFFFSkRqRVhN"
    "QlV3RXdZRFZSMFJCQXd3Q29JQ2R6R0hCTUNvRm04dwpDZ1lJS29aSXpqMEVBd0lEU0FBd1JRSWhBTnBzRDZEQTQv"
    "ZzJ5eUVWRFpKSThqUXEzZFE4R21UV2xXSDI2NXRFCmpiaXhBaUJPV3JWYXNnU2lwa1JKSHFhcDVtd1M5SEx1K1No"
    "YWUyd05tcS9heU5PRER3PT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";
constexpr const char* kForeignName =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQkhqQ0J4UUlCQURBd01SVXdFd1lEVlFRS0RB"
    "eHplWE4wWlcwNmJtOWtaWE14RnpBVkJnTlZCQU1NRG5ONQpjM1JsYlRwdWIyUmxPbmN4TUZrd0V3WUhLb1pJemow"
    "Q0FRWUlLb1pJemowREFRY0RRZ0FFOXdFM29vS0g1Y3pjCnNBTWNPaXQrMWlQWVRCMExvR3JxSXJPbldhSzBXMkts"
    "SVU4ajViTDd3N3d3amxTZVpEZy9GU3lPSXhhWkJQUGYKREhid2NtT2ozYUF6TURFR0NTcUdTSWIzRFFFSkRqRWtN"
    "Q0l3SUFZRFZSMFJCQmt3RjRJUFlYQnBMbVY0WVcxdwpiR1V1YjNKbmh3VEFxQlp2TUFvR0NDcUdTTTQ5QkFNQ0Ew"
    "Z0FNRVVDSUVBd2EvR2hJSGV6U200ZnVTYXNWSFZ4ClBKaFFoK1ZEbTlsTVdrY1loeHFIQWlFQXdncXRVYUJzcUtD"
    "ZFVHYURyNUduVERQUHhUZkYxSGJKbzBOaFZTbFMKcjRRPQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0t"
    "LS0K";
constexpr const char* kForeignAddress =
    "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlJQkdEQ0J2Z0lCQURBd01SVXdFd1lEVlFRS0RB"
    "eHplWE4wWlcwNmJtOWtaWE14RnpBVkJnTlZCQU1NRG5ONQpjM1JsYlRwdWIyUmxPbmN4TUZrd0V3WUhLb1pJemow"
    "Q0FRWUlLb1pJemowREFRY0RRZ0FFUWQzUG93OWF3RzhPCnpvTmpSOFdXMmMrb2VKbG84eS95L0p5WEt6cGFLZWJk"
    "eHhud2o4OTQzdFRKampjSUxuRlphdWVuOTdDWnhleWgKUzJPYXB2NnpCcUFzTUNvR0NTcUdTSWIzRFFFSkRqRWRN"
    "QnN3R1FZRFZSMFJCQkl3RUlJQ2R6R0hCTUNvRm0rSApCQW9BQUFFd0NnWUlLb1pJemowRUF3SURTUUF3UmdJaEFQ"
    "MlRoTVlsNmR5UTBFeTJ2ME56WDUzTndZRGFxOEdzCmhCcFFVdXpJUk5Ka0FpRUF5NXJsWm02SGtkQWMxcXk1bGZF"
    "U0xHMW9xZldIc2N5UStqREQ3c2JGemVNPQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K";

class CsrTest : public ::testing::Test {
 protected:
  CsrTest() {
    NodePlan node;
    node.name = NodeName("w1");
    node.address = IpAddress("192.168.22.111");
    profile_.nodes.push_back(node);
    node.name = NodeName("w2");
    node.address = IpAddress("192.168.22.112");
    profile_.nodes.push_back(node);
  }

  static KubeObject csr(const char* request, const std::string& user = "system:node:w1") {
    KubeObject object = KubeObject::parse(
        R"({"apiVersion":"certificates.k8s.io/v1","kind":"CertificateSigningRequest","metadata":
            {"name":"csr-1"},"spec":{"signerName":"kubernetes.io/kubelet-serving","groups":
            ["system:nodes","system:authenticated"],"usages":["digital signature",
         "server auth"]}})");
    object["spec"]["username"] = user;
    object["spec"]["request"] = request;
    return object;
  }
  CsrVerdict judge(const KubeObject& csr) const { return judge_csr(csr, profile_); }

  ClusterProfile profile_;
};

TEST_F(CsrTest, OfANodeForItselfIsApproved) {
  const CsrVerdict verdict = judge(csr(kOwn));
  EXPECT_EQ(verdict.kind, CsrVerdict::Kind::approve) << verdict.reason;
  EXPECT_EQ(verdict.node, "w1");
}

TEST_F(CsrTest, ThatIsSettledOrAnotherSignersIsLeftAlone) {
  KubeObject other = csr(kOwn);
  other["spec"]["signerName"] = "kubernetes.io/kube-apiserver-client";
  EXPECT_EQ(judge(other).kind, CsrVerdict::Kind::not_ours);
  KubeObject approved = csr(kOwn);
  approved["status"]["conditions"] = {{{"type", "Approved"}, {"status", "True"}}};
  EXPECT_EQ(judge(approved).kind, CsrVerdict::Kind::not_ours);
}

TEST_F(CsrTest, IsRefusedWhereAnythingDiffersFromTheProfile) {
  EXPECT_THAT(judge(csr(kForeignName)).reason, HasSubstr("api.example.org"));
  EXPECT_THAT(judge(csr(kForeignAddress)).reason, HasSubstr("10.0.0.1"));
  EXPECT_THAT(judge(csr(kOwn, "system:node:mallory")).reason, HasSubstr("no node mallory"));
  EXPECT_THAT(judge(csr(kOwn, "admin")).reason, HasSubstr("not a node"));
  EXPECT_THAT(judge(csr(kOwn, "system:node:w2")).reason,
              HasSubstr("asks for a certificate of system:node:w1"));
  EXPECT_THAT(judge(csr("bm90aGluZw==")).reason, HasSubstr("PEM"));
  KubeObject stranger = csr(kOwn);
  stranger["spec"]["groups"] = {"system:authenticated"};
  EXPECT_THAT(judge(stranger).reason, HasSubstr("system:nodes"));
  KubeObject client = csr(kOwn);
  client["spec"]["usages"] = {"server auth", "client auth"};
  EXPECT_THAT(judge(client).reason, HasSubstr("client auth"));
  for (const KubeObject& wrong : {stranger, client, csr(kForeignName)}) {
    EXPECT_EQ(judge(wrong).kind, CsrVerdict::Kind::refuse);
    EXPECT_EQ(refused_csr(wrong, judge(wrong)).fault, "K2");
  }
}

}  // namespace
}  // namespace ichor
