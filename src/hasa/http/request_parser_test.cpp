#include "hasa/http/request_parser.h"

#include <vector>

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;
using State = HttpRequestParser::State;

constexpr HttpLimits kSmall{.head_bytes = 200, .body_bytes = 20};

HttpRequest parsed(std::string_view bytes) {
  HttpRequestParser parser(kSmall);
  EXPECT_EQ(parser.feed(bytes), bytes.size());
  EXPECT_EQ(parser.state(), State::complete) << parser.fault().message;
  return parser.take();
}

HttpFault fault_of(std::string_view bytes) {
  HttpRequestParser parser(kSmall);
  parser.feed(bytes);
  EXPECT_EQ(parser.state(), State::faulty) << bytes;
  return parser.fault();
}

TEST(HttpRequestParser, ReadsMethodPathQueryHeadersAndBody) {
  const HttpRequest request =
      parsed("POST /v1/x%20y?q=1&r HTTP/1.1\r\nHost: here\r\nX-Some:  a \t\r\nContent-Length: 3\r\n\r\nabc");
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.path, "/v1/x%20y");
  EXPECT_EQ(request.query, "q=1&r");
  EXPECT_EQ(*request.header("x-some"), "a");
  EXPECT_EQ(request.header("x-other"), nullptr);
  EXPECT_EQ(request.body, "abc");
  EXPECT_TRUE(request.keep_alive);
}

TEST(HttpRequestParser, ReadsTheSameFromSingleBytes) {
  const std::string bytes =
      "PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n";
  HttpRequestParser parser(kSmall);
  for (const char c : bytes) {
    EXPECT_NE(parser.state(), State::complete);
    ASSERT_EQ(parser.feed({&c, 1}), 1U);
  }
  ASSERT_EQ(parser.state(), State::complete);
  EXPECT_EQ(parser.take().body, "abcde");
}

TEST(HttpRequestParser, LeavesTheNextRequestAlone) {
  const std::string one = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n", two = "\r\nGET /b HTTP/1.1\r\nHost: h\r\n\r\n";
  HttpRequestParser parser(kSmall);
  EXPECT_EQ(parser.feed(one + two), one.size());
  EXPECT_EQ(parser.take().path, "/a");
  EXPECT_FALSE(parser.has_begun());
  EXPECT_EQ(parser.feed(two), two.size());
  EXPECT_EQ(parser.take().path, "/b");
}

TEST(HttpRequestParser, PassesOverTrailers) {
  EXPECT_EQ(parsed("PUT /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\na\r\n0\r\nX: y\r\n\r\n").body,
            "a");
}

TEST(HttpRequestParser, KnowsWhoClosesTheConnection) {
  EXPECT_FALSE(parsed("GET / HTTP/1.1\r\nHost: h\r\nConnection: x, Close\r\n\r\n").keep_alive);
  EXPECT_FALSE(parsed("GET / HTTP/1.0\r\n\r\n").keep_alive);
  EXPECT_TRUE(parsed("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keep_alive);
}

TEST(HttpRequestParser, TakesAWholeUrlWhoseHostThenCounts) {
  const HttpRequest request = parsed("GET http://there:1/a?b HTTP/1.1\r\nHost: here\r\n\r\n");
  EXPECT_EQ(request.path, "/a");
  EXPECT_EQ(request.query, "b");
  EXPECT_EQ(*request.header("host"), "there:1");
}

TEST(HttpRequestParser, SaysOnceThatTheClientWaitsToSendItsBody) {
  HttpRequestParser parser(kSmall);
  parser.feed("PUT /a HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(parser.state(), State::body);
  EXPECT_TRUE(parser.take_expects_continue());
  EXPECT_FALSE(parser.take_expects_continue());
}

TEST(HttpRequestParser, RefusesABodyAboveTheLimitBeforeItComes) {
  const std::string head = "PUT /a HTTP/1.1\r\nHost: h\r\n";
  for (const char* rest :
       {"Content-Length: 21\r\n\r\n", "Content-Length: 99999999999999999999999\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n15\r\n", "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        "Transfer-Encoding: chunked\r\n\r\n14\r\n01234567890123456789\r\n1\r\n"}) {
    const HttpFault fault = fault_of(head + rest);
    EXPECT_EQ(fault.status, 413) << rest;
    EXPECT_THAT(fault.message, HasSubstr("longer than 20 bytes"));
  }
}

TEST(HttpRequestParser, RefusesAHeadAboveTheLimit) {
  EXPECT_EQ(fault_of("GET /" + std::string(300, 'a')).status, 413);
  EXPECT_EQ(fault_of("GET / HTTP/1.1\r\nX: " + std::string(300, 'a')).status, 413);
}

TEST(HttpRequestParser, RefusesWhatTwoReadersCouldUnderstandDifferently) {
  const std::string head = "POST / HTTP/1.1\r\nHost: h\r\n";
  for (const std::string& bytes :
       std::vector<std::string>{head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                                head + "Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
                                head + "Content-Length: +1\r\n\r\na",
                                head + "Content-Length: 1, 1\r\n\r\na",
                                head + "Content-Length:\r\n\r\n",
                                head + "Transfer-Encoding: gzip, chunked\r\n\r\n",
                                head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
                                head + "Host: other\r\n\r\n",
                                head + "Content-Length : 1\r\n\r\na",
                                head + " folded: yes\r\n\r\n",
                                head + "X: a\n\r\n",
                                head + "X: a\rb\r\n\r\n",
                                head + std::string("X: \0\r\n\r\n", 8),
                                head + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
                                head + "Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n",
                                head + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
                                head + "Transfer-Encoding: chunked\r\n\r\n1\na\r\n",
                                head + "Transfer-Encoding: chunked\r\n\r\n\r\n",
                                "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
                                "GET / HTTP/1.1\n",
                                "GET / HTTP/1.1\r\n\r\n",
                                "GET / HTTP/2.0\r\n\r\n",
                                "GET /\r\n\r\n",
                                "\r\n\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
                                "GET / a HTTP/1.1\r\nHost: h\r\n\r\n",
                                "GET /\x01 HTTP/1.1\r\nHost: h\r\n\r\n",
                                "G@T / HTTP/1.1\r\nHost: h\r\n\r\n",
                                "GET a HTTP/1.1\r\nHost: h\r\n\r\n",
                                "GET http:///a HTTP/1.1\r\nHost: h\r\n\r\n",
                                "GET / HTTP/1.1\r\nHost: h\r\nno colon\r\n\r\n"}) {
    EXPECT_EQ(fault_of(bytes).status, 400) << bytes;
  }
}

TEST(HttpRequestParser, UsesNoByteAfterAFault) {
  HttpRequestParser parser(kSmall);
  parser.feed("GET / HTTP/1.1\n");
  EXPECT_EQ(parser.feed("GET / HTTP/1.1\r\n"), 0U);
}

}  // namespace
}  // namespace hasa
