#include "machineconfig/schematic.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

Schematic read(std::string_view text) {
  auto schematic = Schematic::read(text, "schematic.yaml");
  EXPECT_TRUE(schematic) << schematic.error().message;
  return schematic ? *std::move(schematic) : *Schematic::read("{}", "empty");
}

std::string error_of(std::string_view text) {
  const auto schematic = Schematic::read(text, "schematic.yaml");
  EXPECT_FALSE(schematic) << text;
  return schematic ? "" : schematic.error().message;
}

constexpr const char* kAgent =
    "customization:\n"
    "    systemExtensions:\n"
    "        officialExtensions:\n"
    "            - siderolabs/qemu-guest-agent\n";

TEST(Schematic, HasTheIdThatTheFactoryGivesIt) {
  EXPECT_EQ(read("customization: {}\n").id(),
            "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba");
  EXPECT_EQ(read(kAgent).id(), "ce4c980550dd2ab1b17bbf2b08801c7eb59418eafe8f279833297925d67c7515");
  EXPECT_EQ(read("customization:\n"
                 "  systemExtensions: {officialExtensions: [siderolabs/qemu-guest-agent]}\n"
                 "  extraKernelArgs: ['talos.logging.kernel=udp://127.0.0.1:6050']\n")
                .id(),
            "a7f294c4436e874167652f711750f9bc607c89f12f7c27f183584a25763a2bca");
}

TEST(Schematic, EmptySectionsAndTheOrderOfKeysDoNotCount) {
  const std::string id = read(kAgent).id();
  EXPECT_EQ(read("overlay: {}\ncustomization:\n  meta: []\n  secureboot: {}\n  extraKernelArgs:\n"
                 "  systemExtensions:\n    officialExtensions: [\"siderolabs/qemu-guest-agent\"]\n")
                .id(),
            id);
  EXPECT_EQ(read("{}").id(), read("customization: {}").id());
  EXPECT_EQ(read("---\n---\nnonsense: 1\n").id(), read("customization: {}").id());
}

TEST(Schematic, TheOrderOfAListCounts) {
  EXPECT_NE(read("customization: {extraKernelArgs: [a, b]}").id(),
            read("customization: {extraKernelArgs: [b, a]}").id());
  EXPECT_NE(read("customization: {extraKernelArgs: [a, a]}").id(),
            read("customization: {extraKernelArgs: [a]}").id());
}

TEST(Schematic, IsWrittenInTheFactorysOrder) {
  EXPECT_EQ(read("customization:\n"
                 "  secureboot: {includeWellKnownCertificates: yes}\n"
                 "  meta: [{value: v, key: 0x0a}]\n"
                 "  extraKernelArgs: [a=1, 5, true]\n"
                 "overlay: {options: {x10: 1.0, x9: true, B: [1]}, name: rpi, image: i}\n")
                .text(),
            "overlay:\n"
            "    image: i\n"
            "    name: rpi\n"
            "    options:\n"
            "        B:\n"
            "            - 1\n"
            "        x9: true\n"
            "        x10: 1\n"
            "customization:\n"
            "    extraKernelArgs:\n"
            "        - a=1\n"
            "        - \"5\"\n"
            "        - \"true\"\n"
            "    meta:\n"
            "        - key: 10\n"
            "          value: v\n"
            "    secureboot:\n"
            "        includeWellKnownCertificates: true\n");
}

TEST(Schematic, TheFactorysFlawsArePartOfTheId) {
  // Go's library counts the indentation of a block in a list wrongly, and its text is what counts.
  EXPECT_EQ(read("customization: {extraKernelArgs: [\"  a\\nb\", ~]}").text(),
            "customization:\n"
            "    extraKernelArgs:\n"
            "        - |4-\n"
            "            a\n"
            "          b\n");
}

TEST(Schematic, WhatTheFactoryRefusesIsRefusedWithItsPlace) {
  EXPECT_EQ(error_of("customization:\n  systemExtension: {}\n"),
            "schematic.yaml:2:3: customization has no field \"systemExtension\"; it has "
            "embeddedMachineConfiguration, extraKernelArgs, meta, systemExtensions, bootloader, "
            "secureboot");
  EXPECT_EQ(error_of("customization: {meta: [{key: 256}]}"),
            "schematic.yaml:1:30: a key of meta must be a number from 0 to 255");
  EXPECT_EQ(error_of("customization: {extraKernelArgs: a}"),
            "schematic.yaml:1:34: extraKernelArgs must be a list");
  EXPECT_NE(error_of("").find("cannot be empty"), std::string::npos);
  error_of("- a");
  error_of("customization: []");
  error_of("customization: {extraKernelArgs: [{a: b}]}");
  error_of("customization: {secureboot: {includeWellKnownCertificates: maybe}}");
}

TEST(Schematic, TakesKernelArgumentsThatItDoesNotHaveYet) {
  const std::string argument = "talos.logging.kernel=udp://127.0.0.1:6050";
  const Schematic whole = read(kAgent).with_kernel_arguments({argument});
  EXPECT_EQ(whole.id(), "a7f294c4436e874167652f711750f9bc607c89f12f7c27f183584a25763a2bca");
  EXPECT_EQ(whole.with_kernel_arguments({argument}).id(), whole.id());
  EXPECT_EQ(whole.one_line(),
            "customization: {extraKernelArgs: [talos.logging.kernel=udp://127.0.0.1:6050], "
            "systemExtensions: {officialExtensions: [siderolabs/qemu-guest-agent]}}");
  EXPECT_EQ(read(whole.one_line()).id(), whole.id());
  EXPECT_EQ(read("{}").with_kernel_arguments({"a=it's b", "5"}).one_line(),
            "customization: {extraKernelArgs: ['a=it''s b', '5']}");
}

TEST(Schematic, ADifferenceIsNamedByItsPath) {
  const auto changes = compare(read(kAgent), read("customization: {extraKernelArgs: [quiet]}"));
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].path, "customization.systemExtensions.officialExtensions[0]");
  EXPECT_EQ(changes[0].before, "siderolabs/qemu-guest-agent");
  EXPECT_EQ(changes[0].after, "");
  EXPECT_EQ(changes[1].path, "customization.extraKernelArgs[0]");
  EXPECT_EQ(changes[1].after, "quiet");
  EXPECT_TRUE(compare(read(kAgent), read(kAgent)).empty());
}

}  // namespace
}  // namespace ichor
