#include "hasa/job/trained_run.h"

#include "hasa/base/testing.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/model/queries_for_tests.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

using testing::SmallBenchmark;
using testing::TempDir;

constexpr const char* kYaml = "graph: /somewhere\nmodel:\n  dim: 12\ntrain:\n  epochs: 3\n";

TEST(ConfigOf, IsWhatTheRunWasStartedWith) {
  const TempDir dir;
  const RunConfig config = config_of(Run::create(dir / "run", kYaml, SmallBenchmark().read()));
  EXPECT_EQ(config.graph, "/somewhere");
  EXPECT_EQ(std::get<FrozenFamily>(config.family).model.dim, 12);
  EXPECT_EQ(std::get<FrozenFamily>(config.family).model.context_layers, FrozenModelConfig().context_layers);
}

TEST(RunTexts, ReadsWhatTheRunHasKept) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  const hasa::Run run = Run::create(dir / "run", kYaml, graph);
  const TextEmbeddings kept{torch::randn({5, 3}), torch::randn({4, 3}), "made up"};
  kept.save(run / Run::kTexts);
  EXPECT_TRUE(torch::equal(run_texts(run).entities, kept.entities));
}

TEST(OpenTrained, SaysThatARunHasNoModelYet) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  EXPECT_ERROR(open_trained(run), "has no model yet");
}

TEST(OpenTrained, OpensEntitiesThatWereKeptInBfloat16) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  graph.save(dir / "graph");
  const hasa::Run run = Run::create(dir / "run", "model: {type: rotate, dim: 12, precision: bf16}\n", graph);
  const TableModelConfig config = std::get<RotatEFamily>(config_of(run).family).model;
  const TableModel model(config, graph.entities(), graph.relations(), torch::kCPU);
  save_tensors(run / Run::kBest, model.parameters(), {});
  const TrainedRun opened = open_trained(run, dir / "graph", "cpu");
  EXPECT_TRUE(torch::equal(testing::vectors_of(*opened.scorer).entities(), model.entities().to(torch::kFloat32)));
}

TEST(OpenTrained, OpensTheBestModelWithAMovedGraph) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  graph.save(dir / "moved");
  const hasa::Run run = Run::create(dir / "run", kYaml, graph);
  const TextEmbeddings texts{torch::randn({5, 3}), torch::randn({4, 3}), "made up"};
  texts.save(run / Run::kTexts);
  const FrozenModel model({.dim = 12}, texts, graph, torch::kCPU);
  save_tensors(run / Run::kBest, model.parameters(), {});
  const TrainedRun opened = open_trained(run, dir / "moved", "cpu");
  EXPECT_TRUE(torch::equal(testing::vectors_of(*opened.scorer).entities(), model.entities({}, false)));
  EXPECT_EQ(opened.graph->content_hash(), graph.content_hash());
  EXPECT_ERROR(open_trained(run, "", "cpu"), "/somewhere");
}

}  // namespace
}  // namespace hasa
