// The body of a request to the API, of the kind that the first byte chooses: it is read within the limits, or refused
// as what a client can get wrong.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "hasa/serve/front/problem.h"
#include "hasa/serve/front/requests.h"

namespace hasa {
namespace {

constexpr RequestLimits kLimits{.top = 50, .batch = 4, .text_bytes = 40};

void expect(bool condition) {
  if (!condition) std::abort();
}

void check(const AskedEnd& end) {
  expect(!(end.entity && end.text));
  if (end.given()) expect((end.entity ? end.entity : end.text)->size() <= kLimits.text_bytes);
}

void check(const AskedQuestion& question) {
  check(question.head);
  check(question.tail);
  expect(int{question.head.given()} + int{question.tail.given()} + int{question.relation.has_value()} == 2);
}

void check_predict(std::string_view body) {
  const PredictRequest request = read_predict_request(body, kLimits);
  expect(!request.questions.empty() && request.questions.size() <= kLimits.batch);
  expect(request.top >= 1 && request.top <= kLimits.top && (request.is_list || request.questions.size() == 1));
  for (const AskedQuestion& each : request.questions) check(each);
}

void check_triples(std::string_view body, Texts texts) {
  const TriplesRequest request = read_triples_request(body, texts, kLimits);
  expect(!request.triples.empty() && request.triples.size() <= kLimits.batch);
  for (const AskedTriple& each : request.triples) {
    check(each.head);
    check(each.tail);
    expect(each.head.given() && each.tail.given() && !each.relation.empty());
    if (texts == Texts::refused) expect(each.head.entity && each.tail.entity);
  }
}

void run(std::uint8_t kind, std::string_view body) {
  switch (kind % 6) {
    case 0: return check_predict(body);
    case 1: return check_triples(body, Texts::allowed);
    case 2: return check_triples(body, Texts::refused);
    case 3: return check(read_explain_request(body, kLimits).question);
    case 4: return expect(!read_entity_text(body, kLimits).name.empty());
    default: return expect(read_search_request(body, kLimits, {}).limit <= kLimits.top);
  }
}

}  // namespace
}  // namespace hasa

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    hasa::run(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  } catch (const hasa::Problem& problem) {
    if (hasa::status_of(problem.kind()) >= 500) std::abort();
  }
  return 0;
}
