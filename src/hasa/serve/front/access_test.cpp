#include "hasa/serve/front/access.h"

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/serve/front/problem.h"

namespace hasa {
namespace {

HttpRequest request(std::vector<HttpHeader> headers, std::string method = "POST") {
  return {.method = std::move(method), .path = "/v1/predict", .headers = std::move(headers)};
}

/// The status that the check ends with; 200 where nothing is wrong.
int status(const Access& access, const HttpRequest& request, Needs needs = Needs::nothing) {
  try {
    access.check_browser(request);
    access.check_token(request, needs);
    return 200;
  } catch (const Problem& problem) {
    return status_of(problem.kind());
  }
}

TEST(Access, IsByAddressOrLocalhostOrANameItWasToldOf) {
  const Access access({.hosts = {"graph.example"}});
  for (const char* host : {"localhost", "LocalHost:8080", "127.0.0.1:1", "[::1]:8080", "[fe80::1]", "10.0.0.7",
                           "graph.example", "Graph.Example.:443"}) {
    EXPECT_EQ(status(access, request({{"host", host}})), 200) << host;
  }
  for (const char* host : {"evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example", "",
                           "[evil]", "127.0.0.1 evil"}) {
    EXPECT_EQ(status(access, request({{"host", host}})), 400) << host;
  }
}

TEST(Access, IsNotForPagesOfOtherSites) {
  const Access access({.origins = {"https://friend.example"}});
  const auto of_origin = [&](const char* origin, const char* host) {
    return status(access, request({{"host", host}, {"origin", origin}}));
  };
  EXPECT_EQ(of_origin("http://localhost:8080", "localhost:8080"), 200);
  EXPECT_EQ(of_origin("http://127.0.0.1", "127.0.0.1:80"), 200);
  EXPECT_EQ(of_origin("https://10.0.0.7", "10.0.0.7"), 200);  // behind a proxy that speaks TLS
  EXPECT_EQ(of_origin("https://friend.example", "localhost:8080"), 200);
  for (const char* origin : {"http://evil.example", "null", "http://localhost:8081", "http://localhost", "file://",
                             "http://127.0.0.1:8080", "http://friend.example", ""}) {
    EXPECT_EQ(of_origin(origin, "localhost:8080"), 400) << origin;
  }
}

TEST(Access, IsNotForRequestsThatABrowserMarksAsAnotherSites) {
  const Access access({});
  EXPECT_EQ(status(access, request({{"host", "localhost"}, {"sec-fetch-site", "cross-site"}}, "GET")), 400);
  EXPECT_EQ(status(access, request({{"host", "localhost"}, {"sec-fetch-site", "same-site"}}, "GET")), 400);
  EXPECT_EQ(status(access, request({{"host", "localhost"}, {"sec-fetch-site", "same-origin"}}, "GET")), 200);
  EXPECT_EQ(status(access, request({{"host", "localhost"}, {"sec-fetch-site", "none"}}, "GET")), 200);
  // A link from elsewhere to the page may be followed; a form that posts to it may not.
  const std::vector<HttpHeader> link = {
      {"host", "localhost"}, {"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}};
  EXPECT_EQ(status(access, request(link, "GET")), 200);
  EXPECT_EQ(status(access, request(link, "POST")), 400);
}

TEST(Access, TakesATokenToReadAndAnotherToWrite) {
  const Access access({.read = Token("r-secret"), .write = Token("w-secret")});
  const auto with = [&](const char* authorization, Needs needs) {
    return status(access, request({{"host", "localhost"}, {"authorization", authorization}}), needs);
  };
  EXPECT_EQ(with("Bearer r-secret", Needs::reading), 200);
  EXPECT_EQ(with("bearer w-secret", Needs::reading), 200);
  EXPECT_EQ(with("Bearer w-secret", Needs::writing), 200);
  EXPECT_EQ(with("Bearer r-secret", Needs::writing), 401);
  for (const char* wrong :
       {"Bearer r-secre", "Bearer r-secret ", "Bearer ", "Bearer", "Basic r-secret", "r-secret", ""}) {
    EXPECT_EQ(with(wrong, Needs::reading), 401) << wrong;
  }
  EXPECT_EQ(with("", Needs::nothing), 200);
  EXPECT_EQ(status(access, request({{"host", "localhost"}}), Needs::reading), 401);
}

TEST(Access, IsOpenWithoutTokensAndReadOnlyWithATokenToReadAlone) {
  const HttpRequest plain = request({{"host", "localhost"}});
  EXPECT_EQ(status(Access({}), plain, Needs::writing), 200);
  const Access for_writers({.write = Token("w")});
  EXPECT_EQ(status(for_writers, plain, Needs::reading), 200);
  EXPECT_EQ(status(for_writers, plain, Needs::writing), 401);
  const Access for_readers({.read = Token("r")});
  EXPECT_EQ(status(for_readers, request({{"host", "localhost"}, {"authorization", "Bearer r"}}), Needs::writing), 401);
}

TEST(Token, IsTheFirstLineOfItsFile) {
  const testing::TempDir folder;
  write_file(folder / "token", "s3cret+/=\r\nnotes\n");
  EXPECT_TRUE(Token::from_file(folder / "token").is("s3cret+/="));
  for (const char* none : {"", "\nlater", "two words", "caf\xC3\xA9"}) {
    write_file(folder / "none", none);
    EXPECT_ERROR(Token::from_file(folder / "none"), "holds no token");
  }
  EXPECT_ERROR(Token::from_file(folder / "missing"), "cannot");
}

}  // namespace
}  // namespace hasa
