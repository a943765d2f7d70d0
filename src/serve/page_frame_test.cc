#include "serve/page_frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ichor {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(PageFrame, APartOfAPathComesBackAsItWas) {
  for (const char* text : {"infra", "a/b", "50%", "ü ✓", "..", "a?b#c\"'<>"}) {
    const std::string part = url_part(text);
    EXPECT_EQ(from_url_part(part), text);
    EXPECT_EQ(part.find_first_of("/?#\"'<> "), part.npos) << part;
  }
}

TEST(PageFrame, BrokenEscapesAreNoText) {
  for (const char* part : {"%", "a%2", "%zz", "%00", "%-1"}) EXPECT_EQ(from_url_part(part), "");
}

TEST(PageFrame, OnlyAPageThatChangesHasTheScript) {
  PageFrame frame{"/r/", "title", "heading <b>"};
  EXPECT_THAT(framed(frame, "").body, Not(HasSubstr("script")));
  frame.stream = "events";
  const PageReply live = framed(frame, "<p>body</p>");
  EXPECT_THAT(live.body, HasSubstr("<main data-stream=\"/r/events\">"));
  EXPECT_THAT(live.body, HasSubstr("heading &lt;b&gt;"));
  EXPECT_THAT(live.body, HasSubstr("script-src 'self'; connect-src 'self'\">"));
}

}  // namespace
}  // namespace ichor
