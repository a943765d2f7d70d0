#include "profile/formats.h"

#include <gtest/gtest.h>

#include "base/duration.h"
#include "base/nearest_name.h"

namespace ichor {
namespace {

std::string endpoint(std::string text) { return is_endpoint(text) ? text : "refused"; }

TEST(Formats, EndpointsAreCompleted) {
  EXPECT_EQ(endpoint("https://192.168.22.100:6443"), "https://192.168.22.100:6443");
  EXPECT_EQ(endpoint("192.168.22.100"), "https://192.168.22.100:6443");
  EXPECT_EQ(endpoint("api.example.org:443"), "https://api.example.org:443");
  EXPECT_EQ(endpoint("fd00::1"), "https://[fd00::1]:6443");
  EXPECT_EQ(endpoint("https://[fd00::1]:7443"), "https://[fd00::1]:7443");
  for (const char* bad :
       {"http://10.0.0.1:6443", "https://", "https://10.0.0.1:0", "10.0.0.1:70000", "10.0.0",
        "https://a b", "https://x/y", "[10.0.0.1]:1", "[fd00::1", "https://h:", "-a"}) {
    EXPECT_EQ(endpoint(bad), "refused") << bad;
  }
}

TEST(Formats, NamesAreSafeEverywhere) {
  for (const char* good : {"cp1", "a", "infra-01.lab"}) EXPECT_TRUE(is_name(good)) << good;
  for (const char* bad : {"", "CP1", "../x", "-a", "a-", "a_b", "a b", "a/b"}) {
    EXPECT_FALSE(is_name(bad)) << bad;
  }
  EXPECT_FALSE(is_name(std::string(64, 'a')));
}

TEST(Formats, VersionsHaveThreeNumbers) {
  EXPECT_EQ(parse_version("v1.12.6"), (TalosVersion{1, 12, 6}));
  EXPECT_EQ(parse_version("1.12.6"), (TalosVersion{1, 12, 6}));
  EXPECT_EQ(parse_version("1.12"), std::nullopt);
  EXPECT_EQ(parse_version("1.12", true), (TalosVersion{1, 12, 0}));
  for (const char* bad : {"", "v", "1", "1.12.6-alpha", "1.12.6.1", "1..6", "1.012.6", "x1.2.3"}) {
    EXPECT_EQ(parse_version(bad), std::nullopt) << bad;
  }
}

TEST(Formats, TaintsAreWrittenAsKubectlTakesThem) {
  const auto taint = parse_taint("node.kubernetes.io/gpu=nvidia:NoSchedule");
  ASSERT_TRUE(taint.has_value());
  EXPECT_EQ(taint->key, "node.kubernetes.io/gpu");
  EXPECT_EQ(taint->value, "nvidia");
  EXPECT_EQ(taint->effect, "NoSchedule");
  EXPECT_EQ(parse_taint("bare:NoExecute")->value, "");
  for (const char* bad :
       {"a", "a=b", "a=b:Never", "=b:NoSchedule", "a b:NoSchedule", "a=b:c:NoSchedule"}) {
    EXPECT_FALSE(parse_taint(bad).has_value()) << bad;
  }
}

TEST(Formats, DiskSizesAreTalosOwn) {
  for (const char* good : {">= 100GB", "10TB", "<=1.5TiB", "== 500", "> 4 gb", "100G", "8Gi"}) {
    EXPECT_TRUE(is_disk_size(good)) << good;
  }
  for (const char* bad : {"", "!= 3GB", "big", ">=", "1..5GB", "100XB", "=> 5GB", "5GBB"}) {
    EXPECT_FALSE(is_disk_size(bad)) << bad;
  }
}

TEST(Formats, IdentitiesAreBroughtIntoOneForm) {
  std::string uuid = "4C4C4544-0042-4B10-8057-B3C04F565331";
  EXPECT_TRUE(is_uuid(uuid));
  EXPECT_EQ(uuid, "4c4c4544-0042-4b10-8057-b3c04f565331");
  EXPECT_TRUE(is_fingerprint("2bYnrcl1nDNZ7sYtgK0yLlM3WRcrUhLkrWbZJ3yyCQU="));
  EXPECT_FALSE(is_fingerprint("2bYnrcl1nDNZ7sYtgK0yLlM3WRcrUhLkrWbZJ3yyCQU"));
  EXPECT_TRUE(is_schematic(std::string(64, 'a')));
  EXPECT_FALSE(is_schematic(std::string(64, 'A')));
  EXPECT_TRUE(is_disk("/dev/disk/by-id/x"));
  EXPECT_FALSE(is_disk("/dev/../etc/passwd"));
}

TEST(DurationText, NeedsAUnit) {
  using std::chrono::milliseconds;
  EXPECT_EQ(parse_duration("90s"), milliseconds(90'000));
  EXPECT_EQ(parse_duration("5m"), milliseconds(300'000));
  EXPECT_EQ(parse_duration("1h30m"), milliseconds(5'400'000));
  EXPECT_EQ(parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(parse_duration("1.5s"), milliseconds(1500));
  EXPECT_EQ(parse_duration("2m5s"), milliseconds(125'000));
  for (const char* bad :
       {"", "5", "-5m", "5 m", "m", "5d", "1001h", "1e3s", "inf", "nans", "5m5"}) {
    EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
  }
}

TEST(NearestName, FindsWhatWasMeant) {
  const std::vector<std::string_view> known = {"gateway", "nameservers", "ntp", "node_cidr"};
  EXPECT_EQ(nearest_name("gatway", known), "gateway");
  EXPECT_EQ(nearest_name("gaetway", known), "gateway");
  EXPECT_EQ(nearest_name("nodeCidr", known), "node_cidr");
  EXPECT_EQ(nearest_name("node-cidr", known), "node_cidr");
  EXPECT_EQ(nearest_name("sprockets", known), "");
  EXPECT_EQ(nearest_name(std::string(100'000, 'n'), known), "");
  EXPECT_EQ(name_hint("sprockets", known), "known here: gateway, nameservers, ntp, node_cidr");
}

}  // namespace
}  // namespace ichor
