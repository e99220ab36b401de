#include "hasa/page/html.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(EscapeHtml, LeavesNoMarkup) { EXPECT_EQ(escape_html("<a href='x'>&\""), "&lt;a href=&#39;x&#39;&gt;&amp;&quot;"); }

TEST(EscapeHtml, ShowsWhatNoPageMayHold) { EXPECT_EQ(escape_html("a\x01"), "a\\x01"); }

}  // namespace
}  // namespace hasa
