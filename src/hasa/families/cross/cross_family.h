#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "hasa/families/cross/cross_config.h"
#include "hasa/families/cross/triple_learner.h"
#include "hasa/families/family.h"
#include "hasa/input/text_config.h"
#include "hasa/model/facts.h"
#include "hasa/model/language_model_config.h"

// Code shared by families whose language model reads a triple as one text.

namespace hasa {

/// Makes a family's model over the language model in `folder`.
using TripleModelOver = std::function<TripleModel(const std::filesystem::path& folder, const torch::Device& device)>;

/// The learner of such a model, with new weights drawn from the context's seed.
std::unique_ptr<Learner> make_triple_learner(const TripleLearner::Options& options, const std::string& language_model,
                                             const TextConfig& text, const TripleModelOver& model_over,
                                             const TrainContext& context);
/// The scorer of a run's best model.
std::unique_ptr<Scorer> open_triple_scorer(const TextConfig& text, const TripleModelOver& model_over,
                                           const OpenContext& context);

/// Throws config if there would be no corrupted triples.
void check_corruption(const CorruptionConfig& negatives);

/// `language_model` and `score` are descriptions.
ModelFacts facts_of_triples(std::string name, std::string language_model, const TextConfig& text, Precision precision,
                            const std::string& score);

}  // namespace hasa
