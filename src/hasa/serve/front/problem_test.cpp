#include "hasa/serve/front/problem.h"

#include "hasa/base/testing.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;

HttpResponse response_to(const std::function<void()>& statement) {
  try {
    statement();
  } catch (...) {
    return response_to_exception();
  }
  return {};
}

TEST(Problem, IsAnsweredWithItsStatusKindAndMessage) {
  const HttpResponse response = response_to([] { refuse(ProblemKind::not_found, "no entity \"{}\"", "x\xFF"); });
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.body, "{\"error\":{\"kind\":\"not_found\",\"message\":\"no entity \\\"x\xEF\xBF\xBD\\\"\"}}");
}

TEST(Problem, IsMadeOfEveryKindOfError) {
  const std::pair<ErrorKind, int> expected[] = {{ErrorKind::data, 404},  {ErrorKind::config, 422},
                                                {ErrorKind::shape, 422}, {ErrorKind::numeric, 422},
                                                {ErrorKind::io, 503},    {ErrorKind::unavailable, 503}};
  for (const auto& [kind, status] : expected) {
    EXPECT_EQ(response_to([kind = kind] { throw Error(kind, "why"); }).status, status) << to_string(kind);
  }
}

TEST(Problem, OfOursSaysNothingOfTheInside) {
  const HttpResponse response = response_to([] { throw std::logic_error("secret"); });
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, Not(HasSubstr("secret")));
}

TEST(Problem, TellsClientsWhenToComeBackAndWhatToShow) {
  const auto header = [](ProblemKind kind) {
    const HttpResponse response = to_response(kind, "");
    return response.headers.empty() ? std::string() : response.headers[0].name;
  };
  EXPECT_EQ(header(ProblemKind::unauthorised), "WWW-Authenticate");
  EXPECT_EQ(header(ProblemKind::too_busy), "Retry-After");
  EXPECT_EQ(header(ProblemKind::unavailable), "Retry-After");
  EXPECT_EQ(header(ProblemKind::not_found), "");
}

TEST(Problem, OfARequestThatWasNotUnderstoodKeepsItsStatus) {
  for (const int status : {400, 408, 413, 503}) EXPECT_EQ(to_response(HttpFault{status, "why"}).status, status);
}

}  // namespace
}  // namespace hasa
