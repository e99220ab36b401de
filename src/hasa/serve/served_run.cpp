#include "hasa/serve/served_run.h"

#include <utility>

#include "hasa/job/run_config.h"
#include "hasa/job/trained_run.h"
#include "hasa/serve/refusal.h"

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
}

ServedRun::~ServedRun() = default;

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

}  // namespace hasa
