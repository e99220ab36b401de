#include "hasa/eval/certificate.h"

#include "hasa/base/testing.h"
#include "hasa/kg/read_benchmark.h"

namespace hasa {
namespace {

Certificate certificate() {
  const Graph graph = parse_benchmark(
      {"small", {"train.txt", "a\tr\tb\n"}, {"valid.txt", "a\tr\tv\n"}, {"test.txt", "b\tr\tx\na\tr\ty\n"}, {}, {}});
  RunFacts run;
  run.model.name = "a model";
  run.seed = 7;
  run.weights = {{"one.safetensors", "sha256:12"}, {"two.safetensors", "sha256:34"}};
  return certify(run, graph,
                 {.split = Split::test, .queries = 4, .seconds = 1.5, .memory_cap = 1 << 30, .peak_memory = 1 << 20});
}

TEST(Certificate, SaysWhatAReaderWouldHaveToAsk) {
  const Certificate made = certificate();
  for (const char* key : {"protocol",
                          "queries",
                          "candidates",
                          "filters",
                          "tie_rule",
                          "unseen_entities",
                          "score",
                          "intervals",
                          "model",
                          "language_model",
                          "text_template",
                          "context",
                          "training_graph_at_test",
                          "graph_hash",
                          "graph_source",
                          "weights",
                          "seed",
                          "trained_by",
                          "evaluated_by",
                          "machine",
                          "seconds",
                          "peak_memory",
                          "date"})
    EXPECT_NO_THROW(made.at(key)) << key;
  EXPECT_EQ(std::get<std::int64_t>(made.at("seed")), 7);
  EXPECT_EQ(std::get<std::int64_t>(made.at("queries")), 4);
  EXPECT_ERROR(made.at("weather"), "has no weather");
}

TEST(Certificate, CountsTheEntitiesThatTrainingNeverShows) {
  // x and y; v is of another split.
  EXPECT_THAT(to_string(certificate().at("unseen_entities")), ::testing::StartsWith("2 entities"));
}

TEST(Certificate, StandsInATerminalLineByLine) {
  const std::string lines = to_lines(certificate());
  EXPECT_THAT(lines, ::testing::HasSubstr("  weights         sha256:12  one.safetensors\n"
                                          "                  sha256:34  two.safetensors\n"));
  EXPECT_THAT(lines, ::testing::HasSubstr("1.5 s, at most 1.0 MiB of 1.0 GiB\n"));
}

}  // namespace
}  // namespace hasa
