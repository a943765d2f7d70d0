#include "view/flat_object.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

using Json = nlohmann::ordered_json;

TEST(FlatObject, EveryValueIsATextAndDepthBecomesDots) {
  FlatObject flat;
  flat.add("node.cp1", Json{{"stage", "running"}, {"ready", true}, {"members", 3}});
  flat.add("", Json{{"ok", false}, {"next", {"ichor up", "ichor status"}}, {"seconds", 1.5}});
  EXPECT_EQ(flat.line(),
            R"({"node.cp1.stage":"running","node.cp1.ready":"true","node.cp1.members":"3",)"
            R"("ok":"false","next.1":"ichor up","next.2":"ichor status","seconds":"1.5"})"
            "\n");
}

TEST(FlatObject, WhatIsUnknownHasNoKey) {
  FlatObject flat;
  flat.add("", Json{{"version", nullptr}, {"alarms", Json::array()}, {"figures", Json::object()}});
  EXPECT_EQ(flat.line(), "{}\n");
}

TEST(FlatObject, TextsOfNodesStayInsideTheirQuotes) {
  FlatObject flat;
  flat.add("reason", Json("a \"quote\"\n\x1b[2J\xff"));
  EXPECT_EQ(flat.line(), "{\"reason\":\"a \\\"quote\\\"\\n\\u001b[2J\\ufffd\"}\n");
}

}  // namespace
}  // namespace ichor
