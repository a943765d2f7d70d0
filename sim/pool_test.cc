#include "sim/pool.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace ichor::sim {
namespace {

bool is_aligned(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) % 16 == 0; }

TEST(Pool, TakesBackWhatWasMadeBeforeItWasSwitchedOn) {
  auto before = std::make_unique<std::string>(100, 'x');
  use_pool();
  auto after = std::make_unique<std::string>(100, 'y');
  EXPECT_EQ(*before, std::string(100, 'x'));
  before.reset();
  EXPECT_EQ(*after, std::string(100, 'y'));
}

TEST(Pool, GivesEverySizeABlockOfItsOwn) {
  use_pool();
  std::vector<std::string> texts;
  for (std::size_t size = 0; size < 3000; ++size) {
    texts.emplace_back(size, static_cast<char>('a' + size % 26));
    EXPECT_TRUE(size <= 15 || is_aligned(texts.back().data())) << size;
  }
  for (std::size_t size = 0; size < texts.size(); ++size) {
    EXPECT_EQ(texts[size], std::string(size, static_cast<char>('a' + size % 26)));
  }
}

TEST(Pool, BlocksMayBeFreedByAnotherThread) {
  use_pool();
  for (int round = 0; round < 20; ++round) {
    std::vector<std::unique_ptr<std::string>> made;
    std::thread maker([&] {
      for (int i = 0; i < 1000; ++i) made.push_back(std::make_unique<std::string>(40, 'z'));
    });
    maker.join();
    for (const auto& text : made) EXPECT_EQ(*text, std::string(40, 'z'));
  }
}

}  // namespace
}  // namespace ichor::sim
