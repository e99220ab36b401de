#include "hasa/serve/find_links.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "hasa/base/archive.h"
#include "hasa/base/error.h"
#include "hasa/base/log.h"
#include "hasa/base/progress.h"
#include "hasa/base/stop_signal.h"
#include "hasa/base/stopwatch.h"
#include "hasa/job/run_calibration.h"

namespace hasa {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLinksKind = "links";
constexpr std::uint32_t kLinksFormat = 1;
constexpr double kSecondsBetweenSaves = 30;

/// The likeliest so far, the least likely of them in front.
class BestLinks {
 public:
  explicit BestLinks(std::int64_t most) : most_(static_cast<std::size_t>(most)) {}

  void add(const LikelyLink& link) {
    if (most_ == 0) return;
    if (links_.size() == most_) {
      if (!likelier(link, links_.front())) return;
      std::pop_heap(links_.begin(), links_.end(), likelier);
      links_.pop_back();
    }
    links_.push_back(link);
    std::push_heap(links_.begin(), links_.end(), likelier);
  }
  const std::vector<LikelyLink>& links() const { return links_; }
  std::vector<LikelyLink> sorted() const {
    std::vector<LikelyLink> sorted = links_;
    std::sort(sorted.begin(), sorted.end(), likelier);
    return sorted;
  }

 private:
  std::size_t most_;
  std::vector<LikelyLink> links_;
};

/// What a search is told by: with another of these it is another search.
std::string name_of(const Predictor& predictor, const LiveState& state, const FindLinksOptions& options) {
  const auto calibration = predictor.run().calibration();
  return fmt::format("model {} graph {:016x} changes {} relation {} each {} bearers {} top {} calibrated {}",
                     model_hash(predictor.run().run()), state.graph().content_hash(), state.version(),
                     options.search.relation.value_or(-1), options.search.per_question,
                     options.search.occurs_with_relation, options.top, calibration != nullptr);
}

void save_search(const fs::path& file, const std::string& name, std::int64_t asked, const BestLinks& best) {
  std::vector<Triple> triples;
  std::vector<float> scores;
  std::vector<double> probabilities;  // not numbers where there are none
  for (const LikelyLink& link : best.links()) {
    triples.push_back(link.triple);
    scores.push_back(link.score);
    probabilities.push_back(link.probability.value_or(std::numeric_limits<double>::quiet_NaN()));
  }
  ArchiveWriter writer(kLinksKind, kLinksFormat);
  writer.add("search", name);
  writer.add("asked", std::span<const std::int64_t>(&asked, 1));
  writer.add("triples", triples);
  writer.add("scores", scores);
  writer.add("probabilities", probabilities);
  writer.save(file);
}

/// Fills `best` and returns how many questions were asked; 0 where there is nothing to go on with.
std::int64_t load_search(const fs::path& file, const std::string& name, BestLinks& best) {
  std::error_code ignored;
  if (file.empty() || !fs::exists(file, ignored)) return 0;
  const Archive archive(file, kLinksKind, kLinksFormat);
  if (archive.text("search") != name) {
    log_info("{} is of another search: this one begins anew", file.string());
    return 0;
  }
  const auto triples = archive.section<Triple>("triples");
  const auto scores = archive.section<float>("scores");
  const auto probabilities = archive.section<double>("probabilities");
  const auto asked = archive.section<std::int64_t>("asked");
  HASA_CHECK(asked.size() == 1 && scores.size() == triples.size() && probabilities.size() == triples.size(), data,
             "{} is no search for links: its parts do not fit\ndelete it, and the search begins anew", file.string());
  for (std::size_t i = 0; i < triples.size(); ++i) {
    LikelyLink link{triples[i], scores[i], std::nullopt};
    if (probabilities[i] == probabilities[i]) link.probability = probabilities[i];
    best.add(link);
  }
  return asked[0];
}

}  // namespace

bool likelier(const LikelyLink& a, const LikelyLink& b) {
  const double p = a.probability.value_or(-1), q = b.probability.value_or(-1);
  if (p != q) return p > q;
  return a.score != b.score ? a.score > b.score : a.triple < b.triple;
}

FoundLinks find_links(const Predictor& predictor, const LiveState& state, const FindLinksOptions& options) {
  const std::string name = name_of(predictor, state, options);
  BestLinks best(options.top);
  FoundLinks found;
  found.questions = predictor.link_questions(state, options.search);
  found.asked = std::clamp<std::int64_t>(load_search(options.progress, name, best), 0, found.questions);
  const auto save = [&] {
    if (!options.progress.empty()) save_search(options.progress, name, found.asked, best);
  };
  const StopSignal signal;
  const Stopwatch watch;
  double saved = 0;
  Progress progress("asking", static_cast<std::uint64_t>(found.questions), "questions");
  progress.advance(static_cast<std::uint64_t>(found.asked));
  bool stopped = false;
  predictor.likely_links(state, options.search, found.asked, found.questions,
                         [&](std::span<const LikelyLink> links, std::int64_t next) {
                           for (const LikelyLink& link : links) best.add(link);
                           progress.advance(static_cast<std::uint64_t>(next - found.asked));
                           found.asked = next;
                           if (watch.seconds() - saved > kSecondsBetweenSaves) save(), saved = watch.seconds();
                           stopped = signal.requested();
                           return !stopped && (options.seconds <= 0 || watch.seconds() < options.seconds);
                         });
  progress.finish();
  if (!found.complete()) save();
  if (stopped)
    throw Stopped(fmt::format("stopped after {} of {} questions{}", found.asked, found.questions,
                              options.progress.empty() ? "" : "; the same command resumes from there"));
  std::error_code ignored;
  if (found.complete() && !options.progress.empty()) fs::remove(options.progress, ignored);
  found.links = best.sorted();
  return found;
}

}  // namespace hasa
