#include "hasa/serve/front/requests.h"

#include "hasa/base/testing.h"
#include "hasa/serve/front/problem.h"

namespace hasa {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

constexpr RequestLimits kSmall{.top = 20, .batch = 2, .text_bytes = 30};

/// Kind and message of the problem that the statement throws.
template <class Statement>
std::string problem_of(const Statement& statement) {
  try {
    statement();
  } catch (const Problem& problem) {
    return fmt::format("{}: {}", to_string(problem.kind()), problem.what());
  }
  return "no problem";
}

std::string predict_problem(const std::string& body) {
  return problem_of([&] { read_predict_request(body, kSmall); });
}

TEST(PredictRequest, IsOneQuestionWithDefaults) {
  const PredictRequest request = read_predict_request(R"({"head": "dog", "relation": "hypernym"})", kSmall);
  ASSERT_EQ(request.questions.size(), 1U);
  EXPECT_THAT(request.questions[0].head.entity, Optional(std::string("dog")));
  EXPECT_FALSE(request.questions[0].tail.given());
  EXPECT_THAT(request.questions[0].relation, Optional(std::string("hypernym")));
  EXPECT_EQ(request.top, 10);
  EXPECT_FALSE(request.new_only);
  EXPECT_FALSE(request.is_list);
}

TEST(PredictRequest, IsAListOfQuestionsThatShareTheOptions) {
  const PredictRequest request = read_predict_request(
      R"({"queries": [{"head_text": "a wolf", "relation": "r"}, {"head": "a", "tail": "b"}], "top": 3, "new_only": true,
          "occurs_with_relation": true, "candidates": ["x", "y"]})",
      kSmall);
  ASSERT_EQ(request.questions.size(), 2U);
  EXPECT_THAT(request.questions[0].head.text, Optional(std::string("a wolf")));
  EXPECT_EQ(request.questions[1].relation, std::nullopt);
  EXPECT_EQ(request.questions[1].where, "queries[1]");
  EXPECT_TRUE(request.is_list && request.new_only && request.occurs_with_relation);
  EXPECT_EQ(request.top, 3);
  EXPECT_THAT(request.candidates, Optional(ElementsAre("x", "y")));
}

TEST(PredictRequest, TakesNullForAbsent) {
  const PredictRequest request =
      read_predict_request(R"({"head": "a", "relation": "r", "tail": null, "top": null})", kSmall);
  EXPECT_FALSE(request.questions[0].tail.given());
}

TEST(PredictRequest, SaysWhichFieldIsWrong) {
  EXPECT_THAT(predict_problem(""), HasSubstr("malformed: expected a JSON document in the body, found nothing"));
  EXPECT_THAT(predict_problem("{\"head\": "), HasSubstr("malformed: the body is no JSON document"));
  EXPECT_THAT(predict_problem("\"\xFF\""), HasSubstr("malformed: the body is no JSON document"));
  EXPECT_THAT(predict_problem("[]"), HasSubstr("expected the body to be an object, found array"));
  EXPECT_THAT(predict_problem(R"({"head": 7, "relation": "r"})"),
              HasSubstr("expected head to be a string, found number"));
  EXPECT_THAT(predict_problem(R"({"head": "", "relation": "r"})"), HasSubstr("head is empty"));
  EXPECT_THAT(predict_problem(R"({"haed": "a", "relation": "r", "tail": "b"})"),
              HasSubstr("unknown field haed; did you mean head?"));
  EXPECT_THAT(predict_problem(R"({"head": "a", "relation": "r", "top": 2.5})"),
              HasSubstr("expected top to be a whole number"));
  EXPECT_THAT(predict_problem(R"({"head": "a", "relation": "r", "top": true})"),
              HasSubstr("expected top to be a whole number"));
  EXPECT_THAT(predict_problem(R"({"head": "a", "relation": "r", "new_only": 1})"),
              HasSubstr("expected new_only to be true or false"));
  EXPECT_THAT(predict_problem(R"({"queries": []})"), HasSubstr("queries is empty"));
  EXPECT_THAT(predict_problem(R"({"queries": [{"head": "a", "relation": "r"}, 5]})"),
              HasSubstr("expected queries[1] to be an object, found number"));
  EXPECT_THAT(predict_problem(R"({"queries": [{"head": "a", "relation": "r", "top": 5}]})"),
              HasSubstr("unknown field queries[0].top"));
  EXPECT_THAT(predict_problem(R"({"head": "a", "relation": "r", "candidates": [1]})"), HasSubstr("candidates[0]"));
}

TEST(PredictRequest, WantsTwoOfThree) {
  EXPECT_THAT(predict_problem("{}"),
              HasSubstr("expected two of head (or head_text), relation and tail (or tail_text)"));
  EXPECT_THAT(predict_problem(R"({"queries": [{"head": "a"}]})"), HasSubstr("queries[0]: expected two of"));
  EXPECT_THAT(predict_problem(R"({"head": "a", "relation": "r", "tail": "b"})"), HasSubstr("/v1/score"));
  EXPECT_THAT(predict_problem(R"({"head": "a", "head_text": "b", "relation": "r"})"),
              HasSubstr("both head and head_text"));
}

TEST(PredictRequest, HasLimits) {
  const std::string numbers[] = {"0", "-1", "21", "9223372036854775807", "18446744073709551615"};
  for (const std::string& top : numbers) {
    EXPECT_THAT(predict_problem(R"({"head": "a", "relation": "r", "top": )" + top + "}"),
                HasSubstr("unanswerable: expected top to be from 1 to 20, found " + top));
  }
  EXPECT_THAT(predict_problem(R"({"queries": [1, 2, 3]})"),
              HasSubstr("too_large: queries has 3 elements, and 2 is the limit"));
  EXPECT_THAT(predict_problem(R"({"head": "a", "relation": "r", "candidates": ["a", "b", "c"]})"),
              HasSubstr("too_large"));
  EXPECT_THAT(predict_problem(R"({"head_text": ")" + std::string(31, 'x') + R"(", "relation": "r"})"),
              HasSubstr("too_large: head_text has 31 bytes, and 30 is the limit"));
  EXPECT_THAT(predict_problem(R"({"head": "a", "relation": "r", "top": 1e999})"), HasSubstr("malformed"));
}

TEST(TriplesRequest, IsOneTripleOrAList) {
  const TriplesRequest one =
      read_triples_request(R"({"head": "a", "relation": "r", "tail": "b"})", Texts::refused, kSmall);
  EXPECT_FALSE(one.is_list);
  EXPECT_THAT(one.triples.at(0).tail.entity, Optional(std::string("b")));
  const TriplesRequest list =
      read_triples_request(R"({"triples": [{"head": "a", "relation": "r", "tail": "b"}]})", Texts::refused, kSmall);
  EXPECT_TRUE(list.is_list);
  EXPECT_EQ(list.triples.at(0).where, "triples[0]");
  EXPECT_THAT(problem_of([] {
                read_triples_request(R"({"triples": [{"head": "a", "relation": "r"}]})", Texts::refused, kSmall);
              }),
              HasSubstr("malformed: triples[0].tail is missing"));
  EXPECT_THAT(problem_of([] { read_triples_request(R"({"triples": [], "head": "a"})", Texts::refused, kSmall); }),
              HasSubstr("empty"));
}

TEST(TriplesRequest, MayHaveTextsWhereTheyAreScoredAndNotWhereTheyAreAdded) {
  const std::string body = R"({"head": "a", "relation": "r", "tail_text": "a wolf"})";
  EXPECT_THAT(read_triples_request(body, Texts::allowed, kSmall).triples.at(0).tail.text,
              Optional(std::string("a wolf")));
  EXPECT_THAT(problem_of([&] { read_triples_request(body, Texts::refused, kSmall); }), HasSubstr("tail is missing"));
}

TEST(ExplainRequest, IsAQuestionAndAnAnswer) {
  const ExplainRequest request =
      read_explain_request(R"({"tail_text": "a wolf", "relation": "r", "answer": "e"})", kSmall);
  EXPECT_THAT(request.question.tail.text, Optional(std::string("a wolf")));
  EXPECT_EQ(request.answer, "e");
  EXPECT_THAT(problem_of([] { read_explain_request(R"({"head": "a", "relation": "r"})", kSmall); }),
              HasSubstr("answer is missing"));
}

TEST(EntityText, HasANameAndMayHaveADescription) {
  EXPECT_EQ(read_entity_text(R"({"name": "wolf"})", kSmall).description, "");
  EXPECT_EQ(read_entity_text(R"({"name": "wolf", "description": "wild"})", kSmall).description, "wild");
  EXPECT_THAT(problem_of([] { read_entity_text(R"({"description": "wild"})", kSmall); }), HasSubstr("name is missing"));
}

TEST(SearchRequest, IsReadOffTheQuery) {
  const SearchRequest request = read_search_request("q=big+dog&limit=5", kSmall, {});
  EXPECT_EQ(request.words, "big dog");
  EXPECT_EQ(request.limit, 5);
  EXPECT_THAT(problem_of([] { read_search_request("limit=0", kSmall, {}); }), HasSubstr("unanswerable"));
  EXPECT_THAT(problem_of([] { read_search_request("limit=x", kSmall, {}); }), HasSubstr("malformed"));
  EXPECT_THAT(problem_of([] { read_search_request("q=%zz", kSmall, {}); }), HasSubstr("malformed"));
  EXPECT_THAT(problem_of([] { read_search_request("w=1", kSmall, {}); }), HasSubstr("unknown parameter"));
}

}  // namespace
}  // namespace hasa
