#include "hasa/http/message.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

TEST(HttpResponse, IsWrittenWithItsTypeAndLength) {
  const HttpResponse response{.status = 404, .type = "text/plain", .body = "no", .headers = {{"Allow", "GET"}}};
  EXPECT_EQ(serialise(response, /*keep_alive=*/true, /*with_body=*/true),
            "HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nAllow: GET\r\n"
            "Connection: keep-alive\r\n\r\nno");
}

TEST(HttpResponse, ToHeadHasTheLengthOfTheBodyAndNotTheBody) {
  EXPECT_EQ(serialise({.body = "{}"}, /*keep_alive=*/false, /*with_body=*/false),
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n");
}

}  // namespace
}  // namespace hasa
