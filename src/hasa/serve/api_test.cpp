#include "hasa/serve/api.h"

#include <poll.h>

#include <nlohmann/json.hpp>

#include "hasa/base/testing.h"
#include "hasa/serve/front/problem.h"
#include "hasa/serve/run_for_tests.h"

namespace hasa {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::SmallRun;

class ApiTest : public ::testing::Test {
 protected:
  struct Told {
    int status;
    json body;
  };

  /// Asks and waits for the answer.
  Told ask(const std::string& method, const std::string& path, const std::string& body = "",
           const std::string& query = "") {
    const HttpRequest request{.method = method, .path = path, .query = query, .body = body};
    HttpResponder responder(mailbox_, 1);
    try {
      api_.handle(match_route(request), request, responder, std::chrono::steady_clock::now() + std::chrono::minutes(1));
    } catch (...) {
      responder.send(response_to_exception());
    }
    std::vector<HttpMailbox::Letter> letters = mailbox_->take();
    while (letters.empty()) {
      pollfd waiting{.fd = mailbox_->descriptor(), .events = POLLIN, .revents = 0};
      if (::poll(&waiting, 1, 30000) != 1) return {0, "no answer"};
      letters = mailbox_->take();
    }
    EXPECT_EQ(letters.size(), 1U);
    if (!letters[0].response) return {0, "let go"};
    return {letters[0].response->status, json::parse(letters[0].response->body)};
  }

  std::shared_ptr<HttpMailbox> mailbox_ = std::make_shared<HttpMailbox>();
  SmallRun small_;
  std::unique_ptr<ServedRun> run_ = small_.open(Journal::Access::write);
  ServeMetrics metrics_;
  Api api_{*run_, metrics_, {.requests = {.top = 50, .batch = 100, .text_bytes = 100}, .questions = {.answers = 200}}};
};

TEST_F(ApiTest, AnswersAQuestionWithNamesAndMarks) {
  const auto [status, body] = ask("POST", "/v1/predict", R"({"head": "Dog", "relation": "hypernym"})");
  ASSERT_EQ(status, 200) << body;
  ASSERT_EQ(body["answers"].size(), 4U);  // all but the dog itself
  for (const json& each : body["answers"]) {
    EXPECT_EQ(each["known"], each["id"] == "canine" ? json("train") : json(nullptr));
    EXPECT_TRUE(each.contains("probability") && each["description"].is_string());
  }
}

TEST_F(ApiTest, AnswersAMixedListInItsOrder) {
  const auto [status, body] =
      ask("POST", "/v1/predict",
          R"({"queries": [{"head": "dog", "tail": "canine"}, {"head_text": "wolf: wild", "relation": "hypernym"},
                                                  {"relation": "part_of", "tail": "dog"}], "top": 2})");
  ASSERT_EQ(status, 200) << body;
  EXPECT_EQ(body["results"].size(), 3U);
  const json& relations = body["results"][0]["answers"];
  EXPECT_THAT((std::vector<json>{relations[0]["id"], relations[1]["id"]}),
              ::testing::UnorderedElementsAre("hypernym", "part_of"));
  EXPECT_EQ(body["results"][2]["answers"].size(), 2U);
}

TEST_F(ApiTest, RefusesOnlyTheRequestThatIsWrong) {
  EXPECT_EQ(ask("POST", "/v1/predict", R"({"head": "dgo", "relation": "hypernym"})").status, 404);
  EXPECT_EQ(ask("POST", "/v1/predict", R"({"head": "dog"})").status, 400);
  EXPECT_EQ(ask("POST", "/v1/predict",
                R"({"queries": [{"head": "dog", "relation": "hypernym"}, {"head": "dog", "relation": "hypernym"},
      {"head": "dog", "relation": "hypernym"}, {"head": "dog", "relation": "hypernym"}, {"head": "dog", "relation": "hypernym"}], "top": 50})")
                .status,
            413);
  EXPECT_EQ(ask("GET", "/v1/entities/nobody").status, 404);
  EXPECT_EQ(ask("PUT", "/v1/entities/x", R"({"nme": "x"})").status, 400);
  EXPECT_EQ(ask("POST", "/v1/explain", R"({"head": "dog", "tail": "canine", "answer": "fox"})").status, 422);
}

TEST_F(ApiTest, JudgesTriplesOneOrSeveral) {
  const auto one = ask("POST", "/v1/score", R"({"head": "dog", "relation": "hypernym", "tail": "canine"})");
  EXPECT_EQ(one.body["known"], "train");
  const auto list = ask("POST", "/v1/score", R"({"triples": [{"head": "dog", "relation": "hypernym", "tail": "canine"},
      {"head": "dog", "relation": "hypernym", "tail_text": "wolf"}]})");
  EXPECT_EQ(list.body["results"][0], one.body);
  EXPECT_EQ(list.body["results"][1]["known"], nullptr);
}

TEST_F(ApiTest, MakesChangesThatAreSeenAtOnce) {
  EXPECT_EQ(ask("PUT", "/v1/entities/wolf", R"({"name": "wolf", "description": "wild"})").status, 201);
  EXPECT_EQ(ask("PUT", "/v1/entities/wolf", R"({"name": "wolf"})").status, 200);
  EXPECT_EQ(ask("POST", "/v1/triples", R"({"head": "wolf", "relation": "hypernym", "tail": "canine"})").body["added"],
            1);
  const json shown = ask("GET", "/v1/entities/wolf").body;
  EXPECT_EQ(shown["description"], "");
  EXPECT_EQ(shown["facts"][0]["entity"]["id"], "canine");
  EXPECT_EQ(ask("GET", "/v1/entities", "", "q=wo").body["entities"][0]["id"], "wolf");
  EXPECT_EQ(ask("GET", "/v1/run").body["entities"], 6);
  EXPECT_EQ(
      ask("DELETE", "/v1/triples", R"({"head": "wolf", "relation": "hypernym", "tail": "canine"})").body["removed"], 1);
  EXPECT_EQ(ask("DELETE", "/v1/entities/wolf").status, 200);
  EXPECT_EQ(ask("GET", "/v1/entities/wolf").status, 404);
}

TEST_F(ApiTest, GivesReasons) {
  const auto [status, body] =
      ask("POST", "/v1/explain", R"({"head": "dog", "relation": "hypernym", "answer": "canine"})");
  EXPECT_EQ(status, 200) << body;
  EXPECT_EQ(body["known"], "train");
  for (const char* kind : {"rules", "paths", "facts", "words"}) EXPECT_TRUE(body[kind].is_array()) << kind;
}

TEST_F(ApiTest, TellsWhatTheRunIs) {
  const json run = ask("GET", "/v1/run").body;
  EXPECT_EQ(run["name"], "run");
  EXPECT_EQ(run["triples"], 6);
  EXPECT_EQ(run["reads_text"], true);
  EXPECT_EQ(run["calibrated"], false);
  const json relations = ask("GET", "/v1/relations").body["relations"];
  EXPECT_EQ(
      relations[0],
      (json{
          {"id", "hypernym"}, {"name", "is a kind of"}, {"inverse_name", "reverse of is a kind of"}, {"triples", 3}}));
}

}  // namespace
}  // namespace hasa
