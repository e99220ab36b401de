// Any bytes must end in whole requests within the limits, or in a fault with a message; and in the same ones, however
// the bytes are cut. The first byte says how: pieces of so many bytes.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "hasa/http/request_parser.h"
#include "hasa/http/target.h"
#include "hasa/serve/front/access.h"
#include "hasa/serve/front/problem.h"
#include "hasa/serve/front/routes.h"

namespace hasa {
namespace {

using State = HttpRequestParser::State;

constexpr HttpLimits kLimits{.head_bytes = 512, .body_bytes = 64};

void expect(bool condition) {
  if (!condition) std::abort();
}

struct Outcome {
  std::vector<HttpRequest> requests;
  int fault = 0;
  std::string message;
};

Outcome parse(std::string_view bytes, std::size_t piece) {
  Outcome outcome;
  HttpRequestParser parser(kLimits);
  while (!bytes.empty()) {
    const std::size_t used = parser.feed(bytes.substr(0, piece));
    expect(used <= std::min(piece, bytes.size()));
    bytes.remove_prefix(used);
    if (parser.state() == State::faulty) {
      outcome.fault = parser.fault().status;
      outcome.message = parser.fault().message;
      expect((outcome.fault == 400 || outcome.fault == 413) && !outcome.message.empty());
      expect(parser.feed("GET") == 0);
      return outcome;
    }
    if (parser.state() == State::complete) {
      outcome.requests.push_back(parser.take());
      expect(!parser.has_begun());
    } else {
      expect(used > 0);
    }
  }
  return outcome;
}

void check(const HttpRequest& request) {
  expect(!request.method.empty() && request.path.starts_with('/') && request.body.size() <= kLimits.body_bytes);
  for (const HttpHeader& each : request.headers) {
    expect(!each.name.empty() && each.value.find_first_of("\r\n") == std::string::npos);
  }
  static const Access access({.read = Token("r"), .write = Token("w"), .hosts = {"name"}});
  try {
    access.check_browser(request);
    const RouteMatch match = match_route(request);
    expect(find_route(request.method, request.path) == match.entry);
    access.check_token(request, match.entry->needs);
  } catch (const Problem& problem) {
    expect(status_of(problem.kind()) < 500);
    expect(serialise(to_response(problem), true, true).find("\"error\"") != std::string::npos);
  }
  (void)query_parameters(request.query);
}

void run(std::string_view input) {
  if (input.empty()) return;
  const std::size_t piece = 1 + static_cast<std::uint8_t>(input[0]) % 64;
  input.remove_prefix(1);
  const Outcome whole = parse(input, input.size() + 1), cut = parse(input, piece);
  expect(whole.fault == cut.fault && whole.message == cut.message && whole.requests.size() == cut.requests.size());
  for (std::size_t i = 0; i < whole.requests.size(); ++i) {
    const HttpRequest &one = whole.requests[i], &other = cut.requests[i];
    expect(one.method == other.method && one.path == other.path && one.query == other.query && one.body == other.body);
    expect(one.headers.size() == other.headers.size() && one.keep_alive == other.keep_alive);
    check(one);
  }
}

}  // namespace
}  // namespace hasa

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  hasa::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
