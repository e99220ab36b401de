#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "hasa/serve/predictor.h"

namespace hasa {

struct FindLinksOptions {
  LinkSearch search;
  std::int64_t top = 100;  // links kept, the likeliest of all questions
  double seconds = 0;      // to search for at the most; 0: to the end
  /// Where what was found so far is kept while the search goes on, so that one that was stopped, by a signal, by its
  /// budget or by a kill, goes on from there. "": nowhere. Removed at the end of the search.
  std::filesystem::path progress = {};
};

struct FoundLinks {
  std::vector<LikelyLink> links;  // likeliest first: by probability, or by score where the run was not calibrated
  std::int64_t asked = 0, questions = 0;
  bool complete() const { return asked == questions; }
};

/// Asks the questions of a search one after another and keeps the likeliest links. What another search left at
/// `progress`, one of another model, graph or of other options, is not gone on with but begun anew. Throws Stopped when
/// a signal asked for it, with all kept.
FoundLinks find_links(const Predictor& predictor, const LiveState& state, const FindLinksOptions& options);

/// The order of FoundLinks::links.
bool likelier(const LikelyLink& a, const LikelyLink& b);

}  // namespace hasa
