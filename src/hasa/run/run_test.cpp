#include "hasa/run/run.h"

#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/base/version.h"
#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using testing::SmallBenchmark;
using testing::TempDir;

constexpr const char* kYaml = "graph: /somewhere\nmodel:\n  dim: 12\ntrain:\n  epochs: 3\n";

void change_description(const fs::path& folder, const std::string& key, const nlohmann::json& value) {
  auto description = nlohmann::json::parse(read_file(folder / "run.json"));
  description[key] = value;
  write_file(folder / "run.json", description.dump());
}

template <class Act>
ErrorKind kind_of(const Act& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

TEST(Run, OpensWhatItCreated) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  EXPECT_FALSE(Run::is_run(dir / "run"));
  Run::create(dir / "run", kYaml, graph);
  EXPECT_TRUE(Run::is_run(dir / "run"));
  const hasa::Run run = Run::open(dir / "run");
  EXPECT_EQ(run.folder(), dir / "run");
  EXPECT_EQ(run.config_yaml(), kYaml);
  EXPECT_EQ(run / Run::kBest, dir / "run/best/model.safetensors");
  run.check_graph(graph);
}

TEST(Run, ReadsTheOptionsThatAnsweringNeedsAndPassesOverThoseOfTraining) {
  const TempDir dir;
  const RunSetup setup = Run::create(dir / "run", kYaml, SmallBenchmark().read()).setup();
  EXPECT_EQ(setup.graph, "/somewhere");
  EXPECT_EQ(std::get<HasaConfig>(setup.model).dim, 12);
  EXPECT_EQ(std::get<HasaConfig>(setup.model).context_layers, HasaConfig().context_layers);
}

TEST(Run, TakesAnEmptyFolderThatIsThere) {
  const TempDir dir;
  fs::create_directory(dir / "run");
  EXPECT_EQ(Run::create(dir / "run", kYaml, SmallBenchmark().read()).config_yaml(), kYaml);
}

TEST(Run, RefusesToBeCreatedWhereThereIsSomethingAlready) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  Run::create(dir / "run", kYaml, graph);
  EXPECT_ERROR(Run::create(dir / "run", kYaml, graph), "holds a run already\ncontinue it with --resume");
  fs::create_directory(dir / "photos");
  write_file(dir / "photos/a.jpg", "x");
  EXPECT_ERROR(Run::create(dir / "photos", kYaml, graph), "is there and is no run");
  EXPECT_ERROR(Run::create(dir / "photos/a.jpg", kYaml, graph), "is there and is no run");
  EXPECT_EQ(kind_of([&] { Run::create(dir / "photos", kYaml, graph); }), ErrorKind::config);
  EXPECT_EQ(read_file(dir / "photos/a.jpg"), "x");
}

TEST(Run, RefusesToOpenWhatIsNoRun) {
  const TempDir dir;
  EXPECT_ERROR(Run::open(dir / "none"), "there is no run folder");
  EXPECT_ERROR(Run::open(dir.path()), "is no run folder: it has no run.json");
  EXPECT_EQ(kind_of([&] { Run::open(dir / "none"); }), ErrorKind::data);
}

TEST(Run, SaysWhoWroteAnotherFormatAndWhatToDo) {
  const TempDir dir;
  Run::create(dir / "run", kYaml, SmallBenchmark().read());
  change_description(dir / "run", "format", 7);
  change_description(dir / "run", "hasa", "9.9.9");
  EXPECT_ERROR(Run::open(dir / "run"),
               fmt::format("was written by hasa 9.9.9 in format 7, this is hasa {}", version()));
  EXPECT_ERROR(Run::open(dir / "run"), "open it with that version, or train anew from its config.yaml");
}

TEST(Run, RefusesADamagedDescription) {
  const TempDir dir;
  Run::create(dir / "run", kYaml, SmallBenchmark().read());
  for (const char* text : {"", "{", "[]", "{\"format\": 2}", "{\"format\": 2, \"graph_hash\": \"xyz\"}"}) {
    write_file(dir / "run/run.json", text);
    EXPECT_ERROR(Run::open(dir / "run"), "run.json is damaged");
    EXPECT_EQ(kind_of([&] { Run::open(dir / "run"); }), ErrorKind::data);
  }
}

TEST(Run, RefusesAGraphThatHasChanged) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  SmallBenchmark changed;
  changed.train += "animal\thypernym\tdog\n";
  EXPECT_ERROR(run.check_graph(changed.read()), "the graph has changed since");
}

TEST(RunLock, IsGivenBackAtTheEndOfItsLife) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  {
    const RunLock lock(run);
  }
  EXPECT_NO_THROW(RunLock{run});
}

TEST(RunLock, RemovesWhatAKilledWriterLeftHalfWritten) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  for (const char* name : {".last.safetensors.12-3.tmp", "best/.model.safetensors.12-4.tmp", "best/mine.tmp"}) {
    write_file(run / name, "half");
  }
  const RunLock lock(run);
  EXPECT_FALSE(std::filesystem::exists(run / ".last.safetensors.12-3.tmp"));
  EXPECT_FALSE(std::filesystem::exists(run / "best/.model.safetensors.12-4.tmp"));
  EXPECT_TRUE(std::filesystem::exists(run / "best/mine.tmp"));
}

TEST(RunLock, IsRefusedWhileAnotherProcessHoldsIt) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  int ready[2], finish[2];
  ASSERT_EQ(::pipe(ready), 0);
  ASSERT_EQ(::pipe(finish), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  char byte = 'x';
  if (child == 0) {
    ::close(finish[1]);
    const RunLock lock(run);
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(finish[0], &byte, 1);  // until the parent closes its end
    ::_exit(0);
  }
  ::close(ready[1]);
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_ERROR(RunLock{run}, "another process is writing to " + run.folder().string());
  ::close(finish[1]);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(RunLock{run});
  ::close(ready[0]);
  ::close(finish[0]);
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
  const auto config = std::get<RotatEConfig>(run.setup().model);
  const TableModel model(config, graph.entities(), graph.relations(), torch::kCPU);
  save_tensors(run / Run::kBest, model.parameters(), {});
  const TrainedRun opened = open_trained(run, dir / "graph", "cpu");
  EXPECT_TRUE(torch::equal(opened.scorer->entities(), model.entities().to(torch::kFloat32)));
}

TEST(OpenTrained, GivesTheBestModelAlsoWhenTheGraphHasMoved) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  graph.save(dir / "moved");
  const hasa::Run run = Run::create(dir / "run", kYaml, graph);
  const TextEmbeddings texts{torch::randn({5, 3}), torch::randn({4, 3}), "made up"};
  texts.save(run / Run::kTexts);
  const HasaModel model({.dim = 12}, texts, graph, torch::kCPU);
  save_tensors(run / Run::kBest, model.parameters(), {});
  const TrainedRun opened = open_trained(run, dir / "moved", "cpu");
  EXPECT_TRUE(torch::equal(opened.scorer->entities(), model.entities({}, false)));
  EXPECT_EQ(opened.graph.content_hash(), graph.content_hash());
  EXPECT_ERROR(open_trained(run, "", "cpu"), "/somewhere");
}

}  // namespace
}  // namespace hasa
