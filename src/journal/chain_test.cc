#include "journal/chain.h"

#include <gtest/gtest.h>

#include "journal/test_kit.h"

namespace ichor {

namespace {

TEST(Chain, is_made_of_crc32c) {
  // The check value that every catalogue of CRCs gives, and the one of RFC 3720 B.4.
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c("456789", crc32c("123")), crc32c("123456789"));
}

TEST(Chain, covers_every_field_of_a_record) {
  const JournalRecord original = intent_of(1);
  std::vector<JournalRecord> changed(10, original);
  changed[0].seq = 2;
  changed[1].kind = RecordKind::observed;
  changed[2].run = RunId("run-2");
  changed[3].node = NodeName("cp2");
  changed[4].call = Call::bootstrap;
  changed[5].ref = 1;
  changed[6].outcome = OutcomeKind::done;
  changed[7].key = "boot-2";
  changed[8].value = "";
  changed[9].wall_ms = -1;
  const std::uint32_t chain = chain_after(7, original);
  for (const JournalRecord& record : changed) EXPECT_NE(chain_after(7, record), chain);
  EXPECT_NE(chain_after(8, original), chain);
  EXPECT_EQ(chain_after(7, intent_of(1)), chain);
}

TEST(Chain, tells_where_one_text_ends_and_the_next_begins) {
  JournalRecord one = intent_of(1);
  JournalRecord other = one;
  one.key = "ab";
  one.value = "c";
  other.key = "a";
  other.value = "bc";
  EXPECT_NE(chain_after(0, one), chain_after(0, other));
}

}  // namespace

}  // namespace ichor
