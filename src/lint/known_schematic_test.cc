#include "lint/known_schematic.h"

#include <gtest/gtest.h>

namespace ichor {
namespace {

TEST(KnownSchematic, IsFoundByItsId) {
  for (const char* text :
       {"customization: {}", "customization: {extraKernelArgs: [quiet]}",
        "customization: {systemExtensions: {officialExtensions: [siderolabs/qemu-guest-agent]}}",
        "customization: {extraKernelArgs: [quiet], systemExtensions: {officialExtensions: "
        "[siderolabs/i915, siderolabs/intel-ucode, siderolabs/qemu-guest-agent]}}"}) {
    const auto schematic = Schematic::read(text, "schematic.yaml");
    ASSERT_TRUE(schematic) << schematic.error().message;
    const auto found = find_known_schematic(schematic->id(), {"quiet"});
    ASSERT_TRUE(found) << text;
    EXPECT_EQ(found->text(), schematic->text());
  }
}

TEST(KnownSchematic, AnotherOneIsNotFound) {
  EXPECT_FALSE(find_known_schematic(std::string(64, '0'), {}));
}

}  // namespace
}  // namespace ichor
