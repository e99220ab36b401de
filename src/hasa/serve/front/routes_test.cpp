#include "hasa/serve/front/routes.h"

#include <nlohmann/json.hpp>

#include "hasa/base/testing.h"
#include "hasa/serve/front/openapi.h"
#include "hasa/serve/front/problem.h"

namespace hasa {
namespace {

using ::testing::HasSubstr;

RouteMatch match(const std::string& method, const std::string& path) {
  return match_route({.method = method, .path = path});
}

std::string message_of(const std::string& method, const std::string& path) {
  try {
    match(method, path);
  } catch (const Problem& problem) {
    EXPECT_EQ(problem.kind(), ProblemKind::not_found);
    return problem.what();
  }
  return "found";
}

TEST(Routes, AreChosenByMethodAndPath) {
  EXPECT_EQ(match("GET", "/").entry->route, Route::page);
  EXPECT_EQ(match("POST", "/v1/predict").entry->route, Route::predict);
  EXPECT_EQ(match("GET", "/v1/entities").entry->route, Route::search_entities);
  EXPECT_EQ(match("DELETE", "/v1/triples").entry->needs, Needs::writing);
}

TEST(Routes, AnswerHeadAsGet) { EXPECT_EQ(match("HEAD", "/health").entry->route, Route::health); }

TEST(Routes, TakeAnIdWithSlashesEncodedOrNot) {
  EXPECT_EQ(match("PUT", "/v1/entities/a%20b").argument, "a b");
  EXPECT_EQ(match("GET", "/v1/entities/http:%2F%2Fx.org%2Fy").argument, "http://x.org/y");
  EXPECT_EQ(match("GET", "/v1/entities/http://x.org/y").argument, "http://x.org/y");
}

TEST(Routes, SayWhatThereIsInstead) {
  EXPECT_THAT(message_of("GET", "/v1/predict"), HasSubstr("there is no GET /v1/predict; it takes POST"));
  EXPECT_THAT(message_of("POST", "/v1/entities/x"), HasSubstr("it takes GET, PUT and DELETE"));
  EXPECT_THAT(message_of("POST", "/v1/predcit"), HasSubstr("did you mean /v1/predict?"));
  EXPECT_THAT(message_of("GET", "/../etc/passwd"), HasSubstr("/openapi.json lists"));
}

TEST(Routes, AreFoundByWhatWasAskedWithoutAProblem) {
  EXPECT_EQ(find_route("HEAD", "/v1/entities/x")->name, "get_entity");
  EXPECT_EQ(find_route("", ""), nullptr);
  EXPECT_EQ(find_route("GET", "/v1/entities/%zz"), nullptr);
}

TEST(Routes, RefuseAPathThatDoesNotDecode) { EXPECT_THROW(match("GET", "/v1/entities/%zz"), Problem); }

TEST(OpenApi, DescribesEveryRouteAndNoOther) {
  const auto document = nlohmann::json::parse(kOpenApi);
  std::vector<std::string> described, there;
  for (const auto& [path, methods] : document["paths"].items()) {
    for (const auto& [method, about] : methods.items()) {
      if (method == "parameters") continue;
      described.push_back(method + " " + path);
      EXPECT_TRUE(about.contains("operationId")) << path;
    }
  }
  for (const RouteEntry& each : routes()) {
    std::string method(each.method);
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    there.push_back(method + " " + std::string(each.pattern));
  }
  EXPECT_THAT(described, ::testing::UnorderedElementsAreArray(there));
}

}  // namespace
}  // namespace hasa
