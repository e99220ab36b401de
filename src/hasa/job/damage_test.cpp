#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "hasa/base/file.h"
#include "hasa/base/progress.h"
#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/eval/ranking.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/job/train_run.h"
#include "hasa/job/trained_run.h"
#include "hasa/model/text_embeddings.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

/// HASA_FLIPS=2000 for a long run, HASA_FLIP_SEED for another one.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

Graph graph_with_texts() {
  SyntheticOptions options;
  options.entities = 40;
  options.relations = 2;
  options.triples = 150;
  options.groups = 4;
  options.noise = 0;
  options.texts = true;
  options.split = {.valid = 0.1, .test = 0.1};
  return synthetic_graph(options);
}

/// A graph and a run on it, every file that `hasa import` and `hasa train` leave, and a copy to put them back from.
class Place {
 public:
  template <class F>
  Place(const fs::path& root, const std::string& name, F family) : root_(root / name) {
    fs::create_directory(root_);
    graph_with_texts().save(root_ / "graph");
    config_.graph = (root_ / "graph").string();
    config_.device = "cpu";
    family.language_model.path = (root / "bert").string();
    family.text.max_tokens = 24;
    family.train.epochs = 2;
    family.train.batch = 64;
    family.optimiser.lr = 1e-2;
    config_.family = family;
    train_run(config_, root_ / "run", /*resume=*/false);
    config_ = with_options_of_run();
    fs::copy(root_, root / (name + "-whole"), fs::copy_options::recursive);
    whole_ = root / (name + "-whole");
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> list;
    for (const auto& entry : fs::recursive_directory_iterator(whole_)) {
      if (entry.is_regular_file() && entry.file_size() > 0) list.push_back(fs::relative(entry.path(), whole_));
    }
    std::ranges::sort(list);
    return list;
  }
  void flip(const fs::path& file, std::uint64_t bit) const {
    std::string bytes = read_file(root_ / file);
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << bit % 8));
    fs::remove(root_ / file);  // two names may stand for one file
    write_file(root_ / file, bytes);
  }
  void restore() const {
    fs::remove_all(root_);
    fs::copy(whole_, root_, fs::copy_options::recursive);
  }

  /// What the commands say of graph and run: eval and predict, train --resume, and the texts of a new training.
  std::string said() const {
    const hasa::Run run = Run::open(root_ / "run");
    const RunDescription about = RunDescription::read(root_ / "run");
    std::string text = about.hasa + " " + about.commit + "\n" + run.config_yaml();
    text += answers(open_trained(run));
    const TrainedOutcome outcome = train_run(config_, root_ / "run", /*resume=*/true);
    text += fmt::format("{} {} {}\n", outcome.state.best_mrr, outcome.state.best_epoch, outcome.state.epoch);
    text += answers(open_trained(Run::open(root_ / "run")));
    const auto* frozen = std::get_if<FrozenFamily>(&config_.family);
    if (frozen == nullptr) return text;
    const Graph graph = Graph::open(root_ / "graph");
    const TextEmbeddings texts = embed_texts(graph, root_ / "graph", frozen->text, frozen->language_model, torch::kCPU);
    return text + checksum_of({{"entities", texts.entities}, {"relations", texts.relations}});
  }

 private:
  RunConfig with_options_of_run() const {
    RunConfig config;
    apply_yaml(fields_of(config), Run::open(root_ / "run").config_yaml(), "config.yaml");
    return config;
  }
  static std::string answers(const TrainedRun& trained) {
    const auto known = KnownAnswers::of_all_splits(*trained.graph);
    const auto ranked = rank_split(*trained.scorer, *trained.graph, known, Split::test);
    const std::vector<Query> some{{0, 0}, {1, 0}, {2, 0}, {3, 0}};
    const torch::Tensor scores = trained.scorer->scores(some);
    std::string names;
    for (EntityId e = 0; e < trained.graph->entities(); ++e) {
      names += fmt::format("{} {}\n", trained.graph->entity_name(e), trained.graph->entity_description(e));
    }
    return names + to_json(scores_of(ranked, trained.graph->relations())) + checksum_of({{"scores", scores}}) + "\n";
  }

  fs::path root_, whole_;
  RunConfig config_;
};

/// Whether the output is unchanged; otherwise the error must name the file.
bool unchanged_or_refused(const Place& place, const fs::path& file, const std::string& before) {
  try {
    const std::string after = place.said();
    EXPECT_EQ(after, before) << file;
    return true;
  } catch (const Error& refusal) {
    EXPECT_THAT(refusal.what(), ::testing::HasSubstr(file.string())) << file;
    return false;
  }
}

TEST(Damage, OfOneBitInAnyFileOfAGraphOrARunIsRefusedByNameOrChangesNothing) {
  const testing::OneQuietThread quiet;
  set_log_level(LogLevel::error);
  set_progress_enabled(false);
  const testing::TempDir dir;
  const fs::path root = fs::canonical(dir.path());
  testing::write_tiny_bert(root / "bert");
  FrozenFamily frozen;
  frozen.model.dim = 8;
  const Place places[] = {{root, "frozen", frozen}, {root, "joint", TextFamily()}};
  const std::string before[] = {places[0].said(), places[1].said()};
  const std::uint64_t flips = from_environment("HASA_FLIPS", 200), seed = from_environment("HASA_FLIP_SEED", 15);
  Rng rng(seed, "flips");
  std::map<std::string, std::pair<int, int>> refused_of;  // file -> refused, flipped
  for (std::uint64_t i = 0; i < flips; ++i) {
    const Place& place = places[i % 2];
    place.restore();
    const std::vector<fs::path> files = place.files();
    const fs::path file = files[(i / 2) % files.size()];
    const std::uint64_t bit = rng.below(8 * fs::file_size(root / (i % 2 == 0 ? "frozen-whole" : "joint-whole") / file));
    place.flip(file, bit);
    SCOPED_TRACE(fmt::format("flip {} of seed {}: bit {} of {}", i, seed, bit, file.string()));
    auto& [refused, flipped] = refused_of[file.string()];
    ++flipped;
    if (!unchanged_or_refused(place, file, before[i % 2])) ++refused;
  }
  set_progress_enabled(true);
  for (const auto& [file, counts] : refused_of) {
    fmt::print("{:<52} {:>4} flips, {:>4} refused\n", file, counts.second, counts.first);
  }
  // A file that belongs to the run is rejected whichever bit was flipped.
  for (const char* file : {"run/config.yaml", "run/best/model.safetensors", "run/text.safetensors"}) {
    EXPECT_EQ(refused_of[file].first, refused_of[file].second) << file;
    EXPECT_GT(refused_of[file].second, 0) << file;
  }
}

}  // namespace
}  // namespace hasa
