#include "profile/envsubst.h"

#include <gtest/gtest.h>

#include "yaml/document.h"

namespace ichor {
namespace {

std::optional<std::string> lookup(const std::string& name) {
  if (name == "HOST") return "cp1";
  if (name == "LIST") return "[a, b]";
  if (name == "EMPTY") return "";
  return std::nullopt;
}

std::string of(std::string_view text) {
  const auto result = substitute(text, lookup);
  return result ? *result : "! " + result.error();
}

TEST(Envsubst, ReplacesAsTheShellDoes) {
  EXPECT_EQ(of("a ${HOST} b $HOST."), "a cp1 b cp1.");
  EXPECT_EQ(of("$$HOST costs 5$"), "$HOST costs 5$");
  EXPECT_EQ(of("${NONE:-x}${NONE-$HOST}${HOST:-y}${EMPTY:-z}"), "xcp1cp1z");
  EXPECT_EQ(of("${HOST:+set}${NONE:+set}"), "set");
}

TEST(Envsubst, WhatIsMissingIsAnError) {
  EXPECT_EQ(of("${NONE}"), "! the variable NONE is not set");
  EXPECT_EQ(of("$EMPTY"), "! the variable EMPTY is empty");
  EXPECT_EQ(of("${HOST"), "! ${ without its closing brace");
}

TEST(Envsubst, AnUnquotedValueMayBecomeAList) {
  auto document = yaml::parse_single("a: ${LIST}\nb: '${LIST}'\nc: ${NONE}\n", "f");
  ASSERT_TRUE(document.has_value());
  ReadingLog log;
  log.source = ProfileSource("f");
  substitute(document->root, lookup, log);
  EXPECT_TRUE(document->root.find("a")->is_sequence());
  EXPECT_EQ(document->root.find("b")->text, "[a, b]");
  const auto findings = log.take();
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_EQ(findings.front().where, "f:3:4");
}

}  // namespace
}  // namespace ichor
