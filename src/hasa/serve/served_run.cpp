#include "hasa/serve/served_run.h"

#include <utility>

#include "hasa/job/run_calibration.h"
#include "hasa/job/run_config.h"
#include "hasa/job/trained_run.h"
#include "hasa/ops/score/ordered_product.h"
#include "hasa/serve/refusal.h"
#include "hasa/serve/run_index.h"

namespace hasa {

std::unique_ptr<ServedRun> ServedRun::open(const std::filesystem::path& run, const ServeOptions& options) {
  Run opened = Run::open(run);
  TrainedRun trained = open_trained(opened, options.graph, options.device);
  return std::unique_ptr<ServedRun>(new ServedRun(std::move(opened), std::move(trained), options));
}

ServedRun::ServedRun(Run run, TrainedRun trained, const ServeOptions& options)
    : run_(std::move(run)),
      config_(std::make_unique<const RunConfig>(config_of(run_))),
      facts_(facts_of(*config_)),
      graph_(std::move(trained.graph)),
      graph_folder_(options.graph.empty() ? config_->graph : options.graph),
      scorer_(std::move(trained.scorer)),
      vectors_(dynamic_cast<const VectorScorer*>(scorer_.get())),
      reads_text_(language_model_of(*config_) != nullptr),
      known_(*graph_),
      lookup_(*graph_) {
  LiveGraph::Reader reader;
  if (reads_text_) reader = [this] { return &this->reader(); };
  live_ = std::make_unique<LiveGraph>(*graph_, known_, run_ / kJournal, options.live, std::move(reader));
  if (auto kept = vectors_ != nullptr && device().is_cpu() ? open_run_index(run_, *graph_) : std::nullopt)
    index_ = kept->index;
  if (auto kept = read_calibration(run_)) calibrate(std::make_shared<const Calibration>(*std::move(kept)));
}

ServedRun::~ServedRun() = default;

torch::Tensor ServedRun::scores_from(const torch::Tensor& query_vectors) const {
  constexpr std::int64_t kMostRearranged = std::int64_t{1} << 30;
  const torch::Tensor& entities = vectors_->entities();
  const bool pays = vectors_->similarity() == Similarity::dot && entities.is_cpu() && entities.nbytes() <= kMostRearranged;
  if (!pays || (scorings_ < 2 && ++scorings_ < 2)) return vectors_->scores_from(query_vectors);
  std::call_once(columns_made_, [&] { columns_ = std::make_unique<const OrderedColumns>(entities.t()); });
  return columns_->product(query_vectors);
}

const TextReader& ServedRun::reader() const {
  if (!reads_text_)
    refuse(Refusal::Reason::unreadable, "{} reads no texts ({}): ask about entities of its graph, by id or name",
           run_.folder().string(), facts_.name);
  std::call_once(reader_opened_, [&] { reader_ = open_text_reader_of(run_, *graph_, graph_folder_, *scorer_); });
  return *reader_;
}

std::shared_ptr<const Calibration> ServedRun::calibration() const {
  const std::lock_guard lock(calibration_mutex_);
  return calibration_;
}

void ServedRun::calibrate(std::shared_ptr<const Calibration> calibration) {
  const std::lock_guard lock(calibration_mutex_);
  calibration_ = std::move(calibration);
}

void ServedRun::calibrate_if_cheap() {
  if (calibration() != nullptr) return;
  RankingOptions ranking;
  ranking.show_progress = true;
  auto made = make_calibration(run_, *graph_, *scorer_, CalibrationCost::cheap, ranking);
  if (made) calibrate(std::make_shared<const Calibration>(*std::move(made)));
}

}  // namespace hasa
