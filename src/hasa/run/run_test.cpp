#include "hasa/run/run.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "hasa/base/file.h"
#include "hasa/base/testing.h"
#include "hasa/base/version.h"
#include "hasa/kg/add_to_graph.h"
#include "hasa/kg/graphs_for_tests.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;
using testing::SmallBenchmark;
using testing::TempDir;

constexpr const char* kYaml = "graph: /somewhere\nmodel:\n  dim: 12\ntrain:\n  epochs: 3\n";

/// Files of a run, written as training writes them.
void put_file(const hasa::Run& run, const char* place, const char* name, const std::string& text) {
  run.put(place, [&](const fs::path& folder) { write_file(folder / name, text); });
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

TEST(Run, AcceptsAnExistingEmptyFolder) {
  const TempDir dir;
  fs::create_directory(dir / "run");
  EXPECT_EQ(Run::create(dir / "run", kYaml, SmallBenchmark().read()).config_yaml(), kYaml);
}

TEST(Run, IsCreatedByOneOfTheManyWhoTryAtOnceAndTheOthersAreTold) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  constexpr int kWriters = 4;
  for (int round = 0; round < 20; ++round) {
    const fs::path folder = dir / std::to_string(round);
    std::atomic<int> ready = 0, made = 0, told = 0;
    std::vector<std::thread> writers;
    for (int i = 0; i < kWriters; ++i) {
      writers.emplace_back([&, i] {
        for (++ready; ready < kWriters;) std::this_thread::yield();
        try {
          const hasa::Run run = Run::create(folder, kYaml + fmt::format("seed: {}\n", i), graph);
          ++made;
          EXPECT_TRUE(run.config_yaml().ends_with(fmt::format("seed: {}\n", i)));
          write_file(run / "lock", "");
        } catch (const Error& error) {
          ++told;
          EXPECT_THAT(error.what(), ::testing::HasSubstr("another process has just started a run in"));
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    EXPECT_EQ(made, 1);
    EXPECT_EQ(told, kWriters - 1);
    EXPECT_TRUE(fs::exists(folder / "lock")) << "a folder that was in use has been exchanged for another";
  }
}

TEST(Run, ThatAppearsWhileItsPlaceIsLookedAtIsNeverTakenForAnythingElse) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  for (int round = 0; round < 25; ++round) {
    const fs::path folder = dir / std::to_string(round);
    std::atomic<bool> looking = false;
    std::thread writer([&] {
      while (!looking) std::this_thread::yield();
      Run::create(folder, kYaml, graph);
    });
    EXPECT_NO_THROW({
      while (!Run::is_taken(folder)) looking = true;
    });
    writer.join();
  }
}

TEST(Run, RefusesToBeCreatedWhereThereIsSomethingAlready) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  EXPECT_FALSE(Run::is_taken(dir / "run"));
  Run::create(dir / "run", kYaml, graph);
  EXPECT_TRUE(Run::is_taken(dir / "run"));
  EXPECT_ERROR(Run::create(dir / "run", kYaml, graph), "another process has just started a run in");
  fs::create_directory(dir / "photos");
  write_file(dir / "photos/a.jpg", "x");
  EXPECT_ERROR(Run::is_taken(dir / "photos"), "is there and is no run");
  EXPECT_ERROR(Run::create(dir / "photos", kYaml, graph), "is there and is no run");
  EXPECT_ERROR(Run::create(dir / "photos/a.jpg", kYaml, graph), "is there and is no run");
  EXPECT_EQ(kind_of([&] { Run::create(dir / "photos", kYaml, graph); }), ErrorKind::config);
  EXPECT_EQ(read_file(dir / "photos/a.jpg"), "x");
}

TEST(Run, RefusesALinkToNothing) {
  const TempDir dir;
  fs::create_symlink("gone", dir / "run");
  EXPECT_ERROR(Run::create(dir / "run", kYaml, SmallBenchmark().read()),
               "run is a link to gone, which does not exist\nmake that folder");
  EXPECT_ERROR(Run::create(dir / "run/", kYaml, SmallBenchmark().read()), "is a link to gone");
  fs::create_directory(dir / "gone");
  EXPECT_NO_THROW(Run::create(dir / "run", kYaml, SmallBenchmark().read()));
  EXPECT_TRUE(fs::is_symlink(dir / "run"));
  EXPECT_TRUE(Run::is_run(dir / "gone"));
}

TEST(Run, RejectsFoldersThatAreNotRuns) {
  const TempDir dir;
  EXPECT_ERROR(Run::open(dir / "none"), "does not exist");
  EXPECT_ERROR(Run::open(dir.path()), "is not a run folder: it has no run.json");
  EXPECT_EQ(kind_of([&] { Run::open(dir / "none"); }), ErrorKind::data);
}

TEST(Run, SaysWhoWroteAnotherFormatAndWhatToDo) {
  const TempDir dir;
  Run::create(dir / "run", kYaml, SmallBenchmark().read());
  write_file(dir / "run/run.json", R"({"format": 7, "hasa": "9.9.9", "something": "else"})");
  EXPECT_ERROR(Run::open(dir / "run"),
               fmt::format("was written by hasa 9.9.9 in format 7, this is hasa {}", version()));
  EXPECT_ERROR(Run::open(dir / "run"), "open it with that version, or train again from its config.yaml");
}

TEST(Run, RefusesADamagedDescription) {
  const TempDir dir;
  Run::create(dir / "run", kYaml, SmallBenchmark().read());
  for (const char* text :
       {"", "{", "[]", "{\"format\": 2}", "{\"format\": 2, \"graph_hash\": \"xyz\"}",
        R"({"format": 3, "graph_hash": "1", "files": {}})", R"({"format": 2, "graph_hash": "1", "files": {}})"}) {
    write_file(dir / "run/run.json", text);
    EXPECT_ERROR(Run::open(dir / "run"), "run.json is damaged");
    EXPECT_EQ(kind_of([&] { Run::open(dir / "run"); }), ErrorKind::data);
  }
}

TEST(Run, RefusesADescriptionInWhichABitWasFlipped) {
  const TempDir dir;
  Run::create(dir / "run", kYaml, SmallBenchmark().read());
  const std::string whole = read_file(dir / "run/run.json");
  const RunDescription before = RunDescription::read(dir / "run");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << at % 8));
    write_file(dir / "run/run.json", flipped);
    try {
      EXPECT_EQ(RunDescription::read(dir / "run"), before) << at;  // between the words
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), ::testing::HasSubstr("run.json is damaged")) << at;
    }
  }
}

TEST(Run, RefusesAConfigThatWasEditedOrCut) {
  const TempDir dir;
  Run::create(dir / "run", kYaml, SmallBenchmark().read());
  for (const std::string& text : {std::string(kYaml) + "seed: 5\n", std::string(kYaml).substr(0, 20), std::string()}) {
    write_file(dir / "run/config.yaml", text);
    EXPECT_ERROR(Run::open(dir / "run"), "run/config.yaml has changed since it was written: it was edited or damaged");
    EXPECT_ERROR(Run::open(dir / "run"), "restore the original; other options need a new run");
  }
  fs::remove(dir / "run/config.yaml");
  EXPECT_ERROR(Run::open(dir / "run"), "run/config.yaml is missing, but belongs to the run");
  write_file(dir / "run/config.yaml", kYaml);
  EXPECT_NO_THROW(Run::open(dir / "run"));
}

TEST(Run, RefusesAFileThatIsNotWhatWasPutThereAndSaysWhatToDo) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  put_file(run, Run::kBestFolder, "model.safetensors", "weights");
  put_file(run, Run::kBestFolder, "vocab.txt", "words");
  put_file(run, Run::kHere, Run::kTexts, "vectors");
  EXPECT_NO_THROW(Run::open(dir / "run"));
  const auto refusal_of_damaged = [&](const char* name) {
    const std::string whole = read_file(run / name);
    write_file(run / name, whole + "!");
    std::string said;
    try {
      Run::open(dir / "run");
    } catch (const Error& error) {
      said = error.what();
    }
    write_file(run / name, whole);
    return said;
  };
  EXPECT_THAT(refusal_of_damaged(Run::kBest),
              ::testing::HasSubstr("best/model.safetensors has changed since it was written"));
  EXPECT_THAT(refusal_of_damaged("best/vocab.txt"), ::testing::HasSubstr("restore it from a backup, or train again"));
  EXPECT_THAT(refusal_of_damaged(Run::kTexts), ::testing::HasSubstr("delete it, and hasa train --resume recreates it"));
  EXPECT_NO_THROW(Run::open(dir / "run"));
  // Others say what to do without a model or without texts.
  fs::remove(run / Run::kBest);
  fs::remove(run / Run::kTexts);
  EXPECT_NO_THROW(Run::open(dir / "run"));
  fs::remove(run / "best/vocab.txt");
  EXPECT_ERROR(Run::open(dir / "run"), "best/vocab.txt is missing, but belongs to the run");
}

TEST(Run, OpensWithTheOldOrTheNewFileAfterAKillBetweenHashAndRename) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  put_file(run, Run::kBestFolder, "model.safetensors", "first");
  put_file(run, Run::kBestFolder, "model.safetensors", "second");
  write_file(run / Run::kBest, "first");  // as if the last rename had not come about
  EXPECT_NO_THROW(Run::open(dir / "run"));
  write_file(run / Run::kBest, "third");
  EXPECT_ERROR(Run::open(dir / "run"), "best/model.safetensors has changed since it was written");
}

TEST(Run, KeepsTheOldFileAndNamesThePlaceWhenANewOneCannotBeWritten) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  put_file(run, Run::kBestFolder, "model.safetensors", "first");
  EXPECT_ERROR(run.put(Run::kBestFolder,
                       [](const fs::path& folder) {
                         write_file(folder / "model.safetensors", "half");
                         fail(ErrorKind::io, "cannot write {}", (folder / "model.safetensors").string());
                       }),
               "cannot write " + (run / Run::kBest).string());
  EXPECT_EQ(read_file(run / Run::kBest), "first");
  for (const auto& entry : fs::directory_iterator(dir / "run")) EXPECT_FALSE(is_temporary(entry.path())) << entry;
}

TEST(Run, OfTheFormatWithoutHashesOpensWithAWarningAndIsUpgraded) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  const hasa::Run run = Run::create(dir / "run", kYaml, graph);
  write_file(run / "run.json",
             fmt::format(R"({{"format": 2, "hasa": "0.0.9", "commit": "abc", "graph_hash": "{:016x}"}})",
                         graph.content_hash()));
  write_file(run / Run::kBest, "weights");
  ::testing::internal::CaptureStderr();
  const hasa::Run old = Run::open(dir / "run");
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::HasSubstr("run is of format 2, without hashes"));
  old.check_graph(graph);
  old.upgrade();
  ::testing::internal::CaptureStderr();
  Run::open(dir / "run").check_graph(graph);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(RunDescription::read(dir / "run").hasa, "0.0.9");  // still what trained it
  write_file(run / Run::kBest, "wEights");
  EXPECT_ERROR(Run::open(dir / "run"), "best/model.safetensors has changed since it was written");
}

TEST(Run, RefusesAGraphThatHasChanged) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  SmallBenchmark changed;
  changed.train += "animal\thypernym\tdog\n";
  EXPECT_ERROR(run.check_graph(changed.read()), "the graph has changed since");
}

TEST(Run, OpensWithAGraphThatHasGrownAndMovesToIt) {
  const TempDir dir;
  const Graph graph = SmallBenchmark().read();
  write_file(dir / "more.tsv", "wolf\thypernym\tcanine\n");
  const Graph grown = add_to_graph(graph, {dir / "more.tsv"}, {}, {});
  hasa::Run run = Run::create(dir / "run", kYaml, graph);
  EXPECT_EQ(run.check_graph(grown).entities, graph.entities());
  EXPECT_EQ(run.check_graph(graph).entities, graph.entities());
  run.move_to(grown);
  run.move_to(grown);  // is there already
  const hasa::Run again = Run::open(dir / "run");
  EXPECT_EQ(again.graph_hash(), grown.content_hash());
  EXPECT_THAT(again.earlier_graphs(), ::testing::ElementsAre(graph.content_hash()));
  EXPECT_EQ(again.check_graph(grown).entities, grown.entities());
  EXPECT_ERROR(again.check_graph(graph), "the graph has changed since");  // it does not shrink
}

TEST(RunLock, IsGivenBackAtTheEndOfItsLife) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  {
    const RunLock lock(run.folder());
  }
  EXPECT_NO_THROW(RunLock{run.folder()});
}

TEST(RunLock, RemovesAFolderThatAKilledWriterWasFilling) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  fs::create_directory(run / ".staged.0123456789abcdef.tmp");
  write_file(run / ".staged.0123456789abcdef.tmp/model.safetensors", "half");
  const RunLock lock(run.folder());
  EXPECT_FALSE(fs::exists(run / ".staged.0123456789abcdef.tmp"));
}

TEST(RunLock, RemovesPartialFilesOfAKilledWriter) {
  const TempDir dir;
  const hasa::Run run = Run::create(dir / "run", kYaml, SmallBenchmark().read());
  for (const char* name : {".last.safetensors.12-3.tmp", "best/.model.safetensors.12-4.tmp", "best/mine.tmp"}) {
    write_file(run / name, "half");
  }
  const RunLock lock(run.folder());
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
    const RunLock lock(run.folder());
    (void)!::write(ready[1], &byte, 1);
    (void)!::read(finish[0], &byte, 1);  // until the parent closes its end
    ::_exit(0);
  }
  ::close(ready[1]);
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  EXPECT_ERROR(RunLock{run.folder()}, "another process is writing to " + run.folder().string());
  ::close(finish[1]);
  ::waitpid(child, nullptr, 0);
  EXPECT_NO_THROW(RunLock{run.folder()});
  ::close(ready[0]);
  ::close(finish[0]);
}

}  // namespace
}  // namespace hasa
