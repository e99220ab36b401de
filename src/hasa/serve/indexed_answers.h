#pragma once

#include <optional>
#include <span>
#include <vector>

#include "hasa/serve/question.h"
#include "hasa/serve/served_run.h"

namespace hasa {

/// Answers by the run's index, which looks at a part of the entities: what Predictor::answers gives, but that some of
/// the best may be missing (RunIndex::recall). Nothing where the run has no index, and where a question is one that an
/// index cannot answer: by a text, with a filter, for very many answers, or in a graph whose entities have changed
/// since.
std::optional<std::vector<std::vector<Answer>>> indexed_answers(const ServedRun& run, const LiveState& state,
                                                                std::span<const Question> questions);

}  // namespace hasa
