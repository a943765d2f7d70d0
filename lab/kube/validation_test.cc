#include "lab/kube/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor::lab {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json object(const std::string& version, const std::string& kind, const std::string& name) {
  return {{"apiVersion", version}, {"kind", kind}, {"metadata", {{"name", name}}}};
}

std::string fault(json now) {
  const auto error = validate(nullptr, now);
  return error ? error->text : "";
}

std::string change(const json& before, json now) {
  const auto error = validate(&before, now);
  return error ? error->text : "";
}

TEST(ValidationTest, AllowsTheNamesThatTheKindHas) {
  for (const char* name : {"a", "a.b", "kube-root-ca.crt", "0"}) {
    EXPECT_EQ(fault(object("v1", "ConfigMap", name)), "") << name;
  }
  for (const char* name : {"", "A", "a_b", "-a", "a-", "a..b", ".a", "a."}) {
    EXPECT_THAT(fault(object("v1", "ConfigMap", name)), HasSubstr("metadata.name")) << name;
  }
  EXPECT_NE(fault(object("v1", "Namespace", "a.b")), "");
  EXPECT_NE(fault(object("v1", "Namespace", std::string(64, 'a'))), "");
  EXPECT_EQ(fault(object("rbac.authorization.k8s.io/v1", "ClusterRole", "system:node")), "");
  EXPECT_NE(fault(object("rbac.authorization.k8s.io/v1", "ClusterRole", "a/b")), "");
}

TEST(ValidationTest, LeavesTheNameOfWhatIsThere) {
  const json old = object("v1", "ConfigMap", "Old_Name");
  EXPECT_EQ(change(old, old), "");
}

TEST(ValidationTest, KnowsLabels) {
  for (const char* key : {"app", "example.org/Tier_1", "a.b"}) EXPECT_TRUE(is_label_key(key));
  for (const char* key : {"", "a b", "/a", "a/", "A_b/c", "a/b/c"}) EXPECT_FALSE(is_label_key(key));
  for (const char* value : {"", "x", "v1.2_3-x"}) EXPECT_TRUE(is_label_value(value));
  for (const char* value : {"-", "a b", "x."}) EXPECT_FALSE(is_label_value(value));
  EXPECT_FALSE(is_label_value(std::string(64, 'a')));
  json labelled = object("example.org/v1", "Foo", "f");
  labelled["metadata"]["labels"]["a b"] = "c";
  EXPECT_THAT(fault(labelled), HasSubstr("metadata.labels: Invalid value: \"a b\""));
  labelled["metadata"]["labels"] = {{"a", 1}};
  EXPECT_NE(fault(labelled), "");
}

TEST(ValidationTest, KeepsNoEmptyMapsAndTextsInBase64) {
  json map = object("v1", "ConfigMap", "m");
  map["data"] = json::object();
  map["metadata"]["labels"] = json::object();
  EXPECT_FALSE(validate(nullptr, map));
  EXPECT_EQ(map, object("v1", "ConfigMap", "m"));
  json secret = object("v1", "Secret", "s");
  secret["stringData"]["token"] = "value";
  EXPECT_FALSE(validate(nullptr, secret));
  EXPECT_EQ(secret["data"]["token"], "dmFsdWU=");
  EXPECT_EQ(secret["type"], "Opaque");
  EXPECT_FALSE(secret.contains("stringData"));
  json custom = object("example.org/v1", "Foo", "f");
  custom["data"] = json::object();
  EXPECT_FALSE(validate(nullptr, custom));
  EXPECT_TRUE(custom.contains("data")) << "only its own kind knows what may be left out";
}

TEST(ValidationTest, SeesWhatMayNotChange) {
  json secret = object("v1", "Secret", "s");
  secret["data"]["token"] = "dmFsdWU=";
  json other = secret;
  other["type"] = "example.org/other";
  EXPECT_THAT(change(secret, other), HasSubstr("type: Invalid value: \"example.org/other\""));
  other["type"] = "Opaque";
  EXPECT_EQ(change(secret, other), "");
  json sealed = object("v1", "ConfigMap", "m");
  sealed["data"]["k"] = "1";
  sealed["immutable"] = true;
  EXPECT_EQ(change(sealed, sealed), "");
  json changed = sealed;
  changed["data"]["k"] = "2";
  EXPECT_THAT(change(sealed, changed), HasSubstr("immutable"));
}

TEST(ValidationTest, KnowsWhatIsNoObjectOfItsKind) {
  json map = object("v1", "ConfigMap", "m");
  map["data"]["k"] = "any text";
  EXPECT_EQ(undecodable(map), "");
  map["data"]["k"] = 1;
  EXPECT_NE(undecodable(map), "");
  map["data"] = "text";
  EXPECT_NE(undecodable(map), "");
  json secret = object("v1", "Secret", "s");
  secret["stringData"]["k"] = "any text";
  EXPECT_EQ(undecodable(secret), "");
  secret["data"]["k"] = "any text";
  EXPECT_THAT(undecodable(secret), HasSubstr("base64"));
  json custom = object("example.org/v1", "Secret", "s");
  custom["data"] = 1;
  EXPECT_EQ(undecodable(custom), "");
  map["data"] = {{"a/b", "1"}};
  EXPECT_THAT(fault(map), HasSubstr("data[a/b]"));
}

}  // namespace
}  // namespace ichor::lab
