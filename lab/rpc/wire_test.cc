#include "lab/rpc/wire.h"

#include <gtest/gtest.h>

namespace ichor::lab {
namespace {

using namespace std::string_view_literals;

TEST(Wire, AMessageIsFieldsOneBehindTheOther) {
  std::string message;
  append_number(message, 1, 150);
  append_bytes(message, 2, "text");
  EXPECT_TRUE(is_message(""));
  EXPECT_TRUE(is_message(message));
  EXPECT_TRUE(is_message(message + "\x1d"
                                   "1234"
                                   "\x21"
                                   "12345678"));
  EXPECT_TRUE(is_message("\x0b\x10\x01\x0c"sv)) << "a group";
}

TEST(Wire, WhatIsCutOffOrHasNoFormIsNoMessage) {
  for (const std::string_view bytes : {"\x08"sv,
                                       "\x0a\x05"
                                       "abc"sv,
                                       "\x00\x01"sv, "\x0e\x01"sv, "\x0c"sv, "\x0b"sv, "\x0b\x14"sv,
                                       "\x1d"
                                       "123"sv,
                                       "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f"sv}) {
    EXPECT_FALSE(is_message(bytes)) << bytes.size();
  }
}

}  // namespace
}  // namespace ichor::lab
