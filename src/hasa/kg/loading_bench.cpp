// How long a graph takes to load, and what memory that takes. FB15k-237 is read from $HASA_DATA; the large
// graph is written to the folder for temporary files first (about 0.5 GB; HASA_BENCH_TRIPLES sets its size).

#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "hasa/kg/adjacency.h"
#include "hasa/kg/graph.h"
#include "hasa/kg/known_answers.h"
#include "hasa/kg/read_benchmark.h"
#include "hasa/kg/read_triples.h"
#include "hasa/kg/synthetic.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

/// Resident memory that is the process's own, mapped files left out, in bytes.
std::uint64_t resident_anonymous() {
  std::ifstream status("/proc/self/status");
  std::string word;
  std::uint64_t kilobytes = 0;
  while (status >> word) {
    if (word == "RssAnon:" && status >> kilobytes) return kilobytes * 1024;
  }
  return 0;
}

/// The highest of it while this lives, above what there was before; looked at every 2 ms.
class PeakMemory {
 public:
  PeakMemory() : before_(resident_anonymous()), watcher_([this] { watch(); }) {}
  ~PeakMemory() { stop(); }
  std::uint64_t stop() {
    stopped_ = true;
    if (watcher_.joinable()) watcher_.join();
    return peak_ - before_;
  }

 private:
  void watch() {
    while (!stopped_) {
      peak_ = std::max<std::uint64_t>(peak_, resident_anonymous());
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  std::uint64_t before_;
  std::uint64_t peak_ = before_;
  std::atomic<bool> stopped_{false};
  std::thread watcher_;
};

/// A folder of the benchmark's own, gone at exit.
const fs::path& scratch() {
  static const struct Scratch {
    fs::path path;
    Scratch() {
      std::string pattern = (fs::temp_directory_path() / "hasa-bench-XXXXXX").string();
      path = ::mkdtemp(pattern.data());
    }
    ~Scratch() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  } folder;
  return folder.path;
}

fs::path fb15k() {
  const char* data = std::getenv("HASA_DATA");
  return data == nullptr ? fs::path() : fs::path(data) / "FB15k-237";
}

void fb15k_from_text(benchmark::State& state) {
  if (fb15k().empty()) return state.SkipWithError("HASA_DATA is not set to the folder of benchmark graphs");
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(read_benchmark(fb15k()).entities());
}
BENCHMARK(fb15k_from_text)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

void fb15k_from_binary(benchmark::State& state) {
  if (fb15k().empty()) return state.SkipWithError("HASA_DATA is not set to the folder of benchmark graphs");
  read_benchmark(fb15k()).save(scratch() / "fb15k");
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(Graph::open(scratch() / "fb15k").entities());
}
BENCHMARK(fb15k_from_binary)->Unit(benchmark::kMillisecond)->UseRealTime()->MeasureProcessCPUTime();

SyntheticOptions large() {
  const char* size = std::getenv("HASA_BENCH_TRIPLES");
  SyntheticOptions options;
  options.triples = size == nullptr ? 20'000'000 : std::strtoull(size, nullptr, 10);
  options.entities = options.triples / 4;
  options.relations = 500;
  options.groups = 1000;
  return options;
}

fs::path large_file() {
  const fs::path file = scratch() / "large.tsv";
  if (!fs::exists(file)) write_synthetic_triples(file, large());
  return file;
}

void report(benchmark::State& state, std::uint64_t peak, std::uint64_t names = 0) {
  const auto triples = static_cast<double>(large().triples);
  state.counters["triples"] = triples;
  state.counters["peak_MB"] = static_cast<double>(peak) / 1e6;
  state.counters["names_MB"] = static_cast<double>(names) / 1e6;
  state.counters["bytes_per_triple"] = static_cast<double>(peak - std::min(peak, names)) / triples;
}

std::uint64_t bytes_of_names(const Graph& graph) {
  std::uint64_t bytes = 0;
  for (EntityId e = 0; e < graph.entities(); ++e) bytes += graph.entity_id(e).size();
  return bytes;
}

void large_from_tsv(benchmark::State& state) {
  const fs::path file = large_file();
  for ([[maybe_unused]] auto _ : state) {
    PeakMemory memory;
    const Graph graph = read_triples({file.string()});
    const std::uint64_t peak = memory.stop();
    state.PauseTiming();
    report(state, peak, bytes_of_names(graph));
    state.ResumeTiming();
  }
}
BENCHMARK(large_from_tsv)->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime()->Iterations(1);

const fs::path& large_binary() {
  static const fs::path folder = scratch() / "large";
  if (!fs::exists(folder)) read_triples({large_file().string()}).save(folder);
  return folder;
}

void large_from_binary(benchmark::State& state) {
  large_binary();
  for ([[maybe_unused]] auto _ : state) {
    PeakMemory memory;
    const Graph graph = Graph::open(large_binary());
    report(state, memory.stop());
  }
}
BENCHMARK(large_from_binary)->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime()->Iterations(1);

void large_adjacency(benchmark::State& state) {
  const Graph graph = Graph::open(large_binary());
  for ([[maybe_unused]] auto _ : state) {
    PeakMemory memory;
    const Adjacency adjacency(graph);
    benchmark::DoNotOptimize(adjacency.num_edges());
    report(state, memory.stop());
  }
}
BENCHMARK(large_adjacency)->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime()->Iterations(1);

void large_known_answers(benchmark::State& state) {
  const Graph graph = Graph::open(large_binary());
  for ([[maybe_unused]] auto _ : state) {
    PeakMemory memory;
    const KnownAnswers known = KnownAnswers::of_all_splits(graph);
    benchmark::DoNotOptimize(known.num_answers());
    report(state, memory.stop());
  }
}
BENCHMARK(large_known_answers)->Unit(benchmark::kSecond)->UseRealTime()->MeasureProcessCPUTime()->Iterations(1);

}  // namespace
}  // namespace hasa
