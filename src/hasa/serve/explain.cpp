#include "hasa/serve/explain.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "hasa/families/fusion/fusion_scorer.h"
#include "hasa/families/path/path_scorer.h"
#include "hasa/families/rules/mine_rules.h"
#include "hasa/families/rules/rule_words.h"
#include "hasa/families/rules/rules_scorer.h"
#include "hasa/ops/score/pair_scores.h"
#include "hasa/serve/connecting_paths.h"
#include "hasa/serve/nearest_facts.h"
#include "hasa/serve/word_weights.h"

namespace hasa {
namespace {

constexpr std::size_t kMiddlesNamed = 3;
constexpr float kLeastConfidence = 0.01F;  // below it a rule says nothing to a reader

/// The scorer itself, or the first part of a fusion that is of the kind; null where there is none.
template <class Kind>
const Kind* part_of(const Scorer& scorer) {
  if (const auto* own = dynamic_cast<const Kind*>(&scorer)) return own;
  const auto* fusion = dynamic_cast<const FusionScorer*>(&scorer);
  for (std::size_t p = 0; fusion != nullptr && p < fusion->features().num_parts(); ++p) {
    if (const Kind* found = part_of<Kind>(fusion->features().part(p))) return found;
  }
  return nullptr;
}

/// Enough for reasons, and seconds on the benchmarks.
RuleMiningConfig quick_mining() {
  RuleMiningConfig config;
  config.constants = 200'000;
  config.walks = 50'000'000;
  config.min_confidence = kLeastConfidence;
  return config;
}

/// The given entity where the model was trained with it.
std::optional<EntityId> trained(const Given& given, const Graph& graph) {
  const auto* entity = std::get_if<EntityId>(&given);
  return entity != nullptr && *entity < graph.entities() ? std::optional(*entity) : std::nullopt;
}

UnseenEntity text_of(const LiveState& state, const Given& given) {
  if (const auto* entity = std::get_if<EntityId>(&given)) return state.as_unseen(*entity);
  return std::get<UnseenEntity>(given);
}

}  // namespace

struct Explainer::Mined {
  EdgeGroups edges;
  RuleBook book;

  explicit Mined(const Graph& graph)
      : edges(graph.triples(Split::train), graph.entities(), graph.relations()),
        book(edges, mine_rules(edges, quick_mining(), /*seed=*/1)) {}
};

Explainer::Explainer(const ServedRun& run)
    : run_(run), own_rules_(nullptr), own_paths_(part_of<PathScorer>(run.scorer())) {
  if (const auto* rules = part_of<RulesScorer>(run.scorer())) own_rules_ = &rules->book();
}

Explainer::~Explainer() = default;

void Explainer::prepare() const { rule_book(); }

const RuleBook& Explainer::rule_book() const {
  if (own_rules_ != nullptr) return *own_rules_;
  std::call_once(mined_once_, [this] { mined_ = std::make_unique<const Mined>(run_.graph()); });
  return mined_->book;
}

Reasons Explainer::reasons(const LiveState& state, const Question& question, EntityId answer,
                           const ReasonLimits& limits) const {
  const std::array<Statement, 1> statement{{{question.given, question.relation, answer}}};
  return {.judgement = Predictor(run_).judgements(state, statement).front(),
          .rules = rules(question, answer, limits.rules),
          .paths = paths(state, question, answer, limits.paths),
          .facts = facts(state, question, answer, limits.facts),
          .words = words(state, question, answer, limits.words)};
}

std::vector<RuleReason> Explainer::rules(const Question& question, EntityId answer, std::size_t most) const {
  const auto given = trained(question.given, run_.graph());
  if (!given || answer >= run_.graph().entities()) return {};
  std::vector<RuleReason> reasons;
  for (Firing& firing : rule_book().firings({*given, question.relation}, answer)) {
    if (reasons.size() == most || firing.rule.confidence < kLeastConfidence) break;
    firing.middles.resize(std::min(firing.middles.size(), kMiddlesNamed));
    reasons.push_back({to_words(firing.rule, run_.graph()), firing.rule.confidence, firing.rule.support,
                       firing.rule.body, std::move(firing.middles)});
  }
  return reasons;
}

std::vector<PathReason> Explainer::paths(const LiveState& state, const Question& question, EntityId answer,
                                         std::size_t most) const {
  const auto* given = std::get_if<EntityId>(&question.given);
  if (given == nullptr) return {};
  std::vector<PathReason> reasons;
  if (own_paths_ != nullptr && trained(question.given, run_.graph()) && answer < run_.graph().entities()) {
    for (StrongPath& path : strongest_paths(own_paths_->model().on_cpu(), own_paths_->graph().to(torch::kCPU),
                                            {*given, question.relation}, answer, most)) {
      reasons.push_back({std::move(path.edges), path.weight});
    }
  }
  return reasons.empty() ? connecting_paths(state, {*given, question.relation, answer}, most) : reasons;
}

torch::Tensor Explainer::vector_of(const LiveState& state, const Given& given) const {
  if (run_.vectors() == nullptr) return {};
  const auto* entity = std::get_if<EntityId>(&given);
  if (entity == nullptr) return run_.reader().entity_vectors({&std::get<UnseenEntity>(given), 1})[0];
  if (const std::int64_t row = state.row_of(*entity); row >= 0) return state.vectors()[row];
  return *entity < run_.graph().entities() ? run_.vectors()->entities()[*entity] : torch::Tensor();
}

std::vector<FactReason> Explainer::facts(const LiveState& state, const Question& question, EntityId answer,
                                         std::size_t most) const {
  const torch::NoGradGuard no_grad;
  torch::Tensor head = vector_of(state, question.given), tail = vector_of(state, answer);
  if (!head.defined() || !tail.defined()) return {};
  const auto* given = std::get_if<EntityId>(&question.given);
  Triple asked{given != nullptr ? *given : -1, question.relation, answer};
  if (question.relation >= run_.graph().relations()) {
    asked = inverse(asked, run_.graph().relations());
    std::swap(head, tail);
  }
  const torch::Tensor& entities = run_.vectors()->entities();
  std::call_once(norms_once_, [&] { norms_ = at::linalg_vector_norm(entities, 2, {1}); });
  return nearest_facts(run_.graph(), asked, end_cosines(entities, norms_, head, tail), most);
}

std::vector<WordReason> Explainer::words(const LiveState& state, const Question& question, EntityId answer,
                                         std::size_t most) const {
  const torch::NoGradGuard no_grad;
  const torch::Tensor vector = run_.reads_text() ? vector_of(state, answer) : torch::Tensor();
  if (!vector.defined()) return {};
  const TextReader& reader = run_.reader();
  const auto score = [this](const torch::Tensor& queries, const torch::Tensor& entities) {
    return similarity_of_rows(queries, entities, run_.vectors()->similarity());
  };
  const auto queries_of = [&](std::span<const UnseenEntity> texts) {
    std::vector<UnseenQuery> queries;
    for (const UnseenEntity& text : texts) queries.push_back({&text, question.relation});
    return reader.query_vectors(queries);
  };

  const UnseenEntity given = text_of(state, question.given);
  torch::Tensor query = queries_of({&given, 1});
  std::vector<WordReason> reasons;
  const auto add = [&](const std::vector<WordWeight>& weights, bool of_answer) {
    for (const WordWeight& each : weights) reasons.push_back({each.word, each.weight, of_answer});
  };
  add(word_weights(given, most,
                   [&](auto texts) {
                     const torch::Tensor queries = queries_of(texts);
                     return score(queries, vector.expand_as(queries).contiguous());
                   }),
      /*of_answer=*/false);
  add(word_weights(state.as_unseen(answer), most,
                   [&](auto texts) {
                     const torch::Tensor entities = reader.entity_vectors(texts);
                     return score(query.expand_as(entities).contiguous(), entities);
                   }),
      /*of_answer=*/true);
  return reasons;
}

}  // namespace hasa
