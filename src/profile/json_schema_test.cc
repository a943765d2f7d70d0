#include "profile/json_schema.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ichor {
namespace {

TEST(JsonSchema, HasEveryKeyOfTheReader) {
  const auto schema = nlohmann::json::parse(profile_schema());
  const auto& keys = schema["properties"];
  EXPECT_EQ(schema["required"], nlohmann::json({"name", "network", "talos", "nodes"}));
  EXPECT_EQ(keys["network"]["properties"]["vlan"]["maximum"], 4094);
  EXPECT_EQ(keys["trust"]["enum"], nlohmann::json({"tofu", "strict", "pin", "insecure"}));
  const auto& assignment =
      keys["nodes"]["properties"]["worker"]["properties"]["assignments"]["items"];
  EXPECT_TRUE(assignment["properties"].contains("diskSelector"));
  EXPECT_EQ(assignment["additionalProperties"], false);
  const auto& proxmox = keys["providers"]["properties"]["proxmox"]["properties"];
  EXPECT_TRUE(proxmox.contains("bios"));
  EXPECT_EQ(proxmox["agent"]["type"], "boolean");
  EXPECT_EQ(proxmox["ballooning"]["type"], "boolean");
}

}  // namespace
}  // namespace ichor
