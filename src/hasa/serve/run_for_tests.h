#pragma once

// A small run that the tests of this folder share; never included by the library.

#include <ATen/Parallel.h>

#include <filesystem>
#include <memory>
#include <string>

#include "hasa/base/log.h"
#include "hasa/base/testing.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/job/run_config.h"
#include "hasa/job/trained_run.h"
#include "hasa/kg/graphs_for_tests.h"
#include "hasa/model/text_embeddings.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/serve/served_run.h"

namespace hasa::testing {

/// A run of the frozen form over a small language model, its weights as they were drawn.
class SmallRun {
 public:
  explicit SmallRun(const SmallBenchmark& benchmark = {}) {
    set_log_level(LogLevel::warning);
    at::set_num_threads(1);  // steps this small only lose by more
    write_tiny_bert(dir_ / "bert");
    const Graph graph = benchmark.read();
    graph.save(dir_ / "graph");
    const std::string yaml = "graph: " + (dir_ / "graph").string() + "\ndevice: cpu\nmodel: {dim: 12}\n" +
                             "language_model: {path: " + (dir_ / "bert").string() + ", precision: fp32}\n";
    const hasa::Run run = hasa::Run::create(dir_ / "run", yaml, graph);
    const auto family = std::get<FrozenFamily>(config_of(run).family);
    const TextEmbeddings texts = embed_texts(graph, dir_ / "graph", family.text, family.language_model, torch::kCPU);
    texts.save(run / hasa::Run::kTexts);
    torch::manual_seed(5);
    save_tensors(run / hasa::Run::kBest, FrozenModel(family.model, texts, graph, torch::kCPU).parameters(), {});
  }
  ~SmallRun() {
    set_log_level(LogLevel::info);
    at::set_num_threads(threads_before_);
  }
  SmallRun(const SmallRun&) = delete;
  SmallRun& operator=(const SmallRun&) = delete;

  std::filesystem::path folder() const { return dir_ / "run"; }
  std::unique_ptr<ServedRun> open(Journal::Access live = Journal::Access::read) const {
    return ServedRun::open(folder(), {.live = live});
  }

 private:
  int threads_before_ = at::get_num_threads();
  TempDir dir_;
};

}  // namespace hasa::testing
