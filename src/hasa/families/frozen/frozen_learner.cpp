#include "hasa/families/frozen/frozen_learner.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "hasa/base/error.h"
#include "hasa/families/frozen/drawn_candidates.h"
#include "hasa/loss/info_nce.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/train/host_tensor.h"

namespace hasa {
namespace {

/// For each training triple the indices of those whose edges are hidden while it is predicted: its copies, or all
/// triples between the same two entities. Empty if that is never another than itself.
std::vector<std::vector<std::int64_t>> hidden_with(std::span<const Triple> triples, EdgeRule rule) {
  const auto shown_as = [rule](const Triple& triple) {
    if (rule != EdgeRule::pair) return triple;
    return Triple{std::min(triple.head, triple.tail), 0, std::max(triple.head, triple.tail)};
  };
  std::map<Triple, std::vector<std::int64_t>> numbers;
  for (std::size_t i = 0; i < triples.size(); ++i)
    numbers[shown_as(triples[i])].push_back(static_cast<std::int64_t>(i));
  if (numbers.size() == triples.size()) return {};
  std::vector<std::vector<std::int64_t>> hidden;
  for (const Triple& triple : triples) hidden.push_back(numbers[shown_as(triple)]);
  return hidden;
}

bool has_same_ids(const Graph& a, const Graph& b) {
  if (a.entities() != b.entities() || a.relations() != b.relations()) return false;
  for (EntityId e = 0; e < a.entities(); ++e) {
    if (a.entity_id(e) != b.entity_id(e)) return false;
  }
  for (RelationId r = 0; r < a.relations(); ++r) {
    if (a.relation_id(r) != b.relation_id(r)) return false;
  }
  return true;
}

/// Of the graph's training triples, or of an oracle's, which must contain them.
KnownAnswers answers_never_negative(const Graph& graph, const std::string& truths) {
  KnownAnswers known = KnownAnswers::of_training(graph);
  if (truths.empty()) return known;
  const Graph whole = Graph::open(truths);
  HASA_CHECK(has_same_ids(graph, whole), config, "negatives.truths: {} has other entities or relations than the graph",
             truths);
  const KnownAnswers oracle = KnownAnswers::of_training(whole);
  for (const Triple& triple : graph.triples(Split::train)) {
    HASA_CHECK(oracle.contains(triple.head, triple.relation, triple.tail), config,
               "negatives.truths: {} does not contain all training triples of the graph", truths);
  }
  return oracle;
}

}  // namespace

FrozenLearner::FrozenLearner(const FrozenFamily& config, const TextEmbeddings& texts, const TrainContext& context)
    : GradientLearner(config.optimiser, context.comm),
      graph_(context.graph),
      config_(config),
      seed_(context.seed),
      model_(config.model, texts, graph_, context.device),
      known_(answers_never_negative(graph_, config.negatives.truths)),
      hidden_(hidden_with(graph_.triples(Split::train), config.model.hidden_edges)),
      triples_(with_inverses(graph_.triples(Split::train), graph_.relations())),
      order_(seed_, static_cast<std::int64_t>(triples_.size()), config.train.batch),
      ahead_([this](std::int64_t step) { return prepare(step); }) {
  if (config.loss.kind == ContrastiveKind::hasa && config.loss.tau > 0)
    near_.emplace(Adjacency(graph_), config.negatives.near);
}

std::vector<EntityId> FrozenLearner::sample_near(std::span<const Triple> batch, std::int64_t step) const {
  if (!near_) return {};
  std::vector<EntityId> heads;
  for (const Triple& triple : batch) heads.push_back(triple.head);
  const auto samples = static_cast<std::size_t>(config_.negatives.neighbours);
  std::vector<EntityId> found(heads.size() * samples);
  near_->sample(heads, samples, Rng(seed_, "step", static_cast<std::uint64_t>(step)).next(), found);
  return found;
}

void FrozenLearner::draw_candidates_of(std::span<const Triple> batch, std::span<const EntityId> near, std::int64_t step,
                                       Prepared& prepared) const {
  const DrawnCandidates drawn = draw_candidates(batch, near, known_, graph_.entities(), config_.negatives.candidates,
                                                Rng(seed_, "candidates", static_cast<std::uint64_t>(step)));
  const auto put = [&](const std::vector<std::int64_t>& values) {
    return for_device(host_tensor(values, torch::kInt64, torch::kCPU), model_.device());
  };
  prepared.drawn = put({drawn.entities.begin(), drawn.entities.end()});
  prepared.positive = put(drawn.positive);
  prepared.no_negatives = put(drawn.no_negatives);
  if (!near.empty()) prepared.near = put(drawn.near).view({std::ssize(batch), -1});
}

torch::Tensor FrozenLearner::find_true_pairs(std::span<const Triple> batch) const {
  if (!config_.loss.tail_to_query || !config_.loss.mask_true_queries) return torch::empty({0}, torch::kInt64);
  std::unordered_map<EntityId, std::vector<std::int64_t>> places;
  for (std::size_t i = 0; i < batch.size(); ++i) places[batch[i].tail].push_back(static_cast<std::int64_t>(i));
  std::vector<std::int64_t> pairs;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto row = static_cast<std::int64_t>(i * batch.size());
    for (const EntityId tail : known_.tails(batch[i].head, batch[i].relation)) {
      const auto found = places.find(tail);
      if (found == places.end()) continue;
      for (const std::int64_t place : found->second) pairs.push_back(row + place);
    }
  }
  return host_tensor(pairs, torch::kInt64, torch::kCPU);
}

FrozenLearner::Prepared FrozenLearner::prepare(std::int64_t step) {
  const auto training = static_cast<std::int64_t>(graph_.triples(Split::train).size());
  std::vector<Triple> batch;
  torch::Tensor keep = torch::ones({training}, torch::kBool);
  for (const std::int64_t row : order_.rows_of(step)) {
    batch.push_back(triples_[static_cast<std::size_t>(row)]);
    // The context must not contain the edges being predicted, in either direction.
    if (config_.model.hidden_edges == EdgeRule::none) continue;
    keep.data_ptr<bool>()[row % training] = false;
    if (hidden_.empty()) continue;
    for (const std::int64_t other : hidden_[static_cast<std::size_t>(row % training)])
      keep.data_ptr<bool>()[other] = false;
  }
  const torch::Device device = model_.device();
  const QueryColumns columns = columns_of(batch, torch::kCPU);
  const RowShare share = comm().share_of(std::ssize(batch));
  const std::span<const Triple> own =
      std::span(batch).subspan(static_cast<std::size_t>(share.first), static_cast<std::size_t>(share.count));
  const RaggedIds known = known_rows(known_, own);
  const std::vector<EntityId> near = sample_near(batch, step);
  Prepared prepared{.columns = {for_device(columns.heads, device), for_device(columns.relations, device),
                                for_device(columns.tails, device)},
                    .known = {for_device(known.ids, device), for_device(known.offsets, device)},
                    .keep = for_device(keep, device),
                    .true_pairs = for_device(find_true_pairs(batch), device),
                    .near = {},
                    .drawn = {},
                    .positive = {},
                    .no_negatives = {}};
  if (config_.negatives.candidates > 0) {
    draw_candidates_of(batch, near, step, prepared);
  } else if (!near.empty()) {
    const torch::Tensor all =
        host_tensor(near, torch::kInt32, torch::kCPU).to(torch::kInt64).view({std::ssize(batch), -1});
    prepared.near = for_device(all.narrow(0, share.first, share.count).contiguous(), device);
  }
  return prepared;
}

Parameters FrozenLearner::parameters() const {
  Parameters list;
  for (const NamedTensor& p : model_.parameters()) {
    const bool scale = p.name == "log_scale";
    list.push_back({p.name, p.tensor, scale ? ParameterKind::scale : ParameterKind::new_layer, p.rows});
  }
  return list;
}

FrozenLearner::EntityVectors FrozenLearner::vectors_of(const Prepared& step) const {
  if (step.drawn.defined() && config_.model.context_layers == 0) {
    const torch::Tensor some = model_.entities_alone(torch::cat({step.drawn, step.columns.heads}), /*training=*/true);
    const std::int64_t columns = step.drawn.size(0);
    return {some.narrow(0, 0, columns), some.narrow(0, columns, some.size(0) - columns)};
  }
  const torch::Tensor all = model_.entities(step.keep, /*training=*/true);
  return {step.drawn.defined() ? all.index_select(0, step.drawn) : all, all.index_select(0, step.columns.heads)};
}

ContrastiveLoss FrozenLearner::simple_loss(const Prepared& step, const torch::Tensor& queries,
                                           const torch::Tensor& entities, const torch::Tensor& scale) const {
  const double margin = config_.loss.margin;
  const torch::Tensor loss = info_nce_over_all({queries, entities, scale, step.columns.tails, step.known}, {margin});
  const torch::Tensor known = step.known.offsets.diff().to(loss.scalar_type());  // the answer among them
  const torch::Tensor most = torch::log1p(static_cast<double>(entities.size(0)) - known).mean();
  return {.loss = loss, .floored = {}, .information = most - loss.detach()};
}

torch::Tensor FrozenLearner::tail_loss(const Prepared& step, const torch::Tensor& queries,
                                       const torch::Tensor& entities, const torch::Tensor& scale) const {
  const torch::Tensor scores = torch::mm(queries, entities.index_select(0, step.columns.tails).t()) * scale;
  torch::Tensor others = torch::ones(scores.sizes(), scores.options().dtype(torch::kBool).requires_grad(false));
  others.view(-1).index_fill_(0, step.true_pairs, false);
  return tail_to_query_loss(scores, others, scale.detach() * config_.loss.margin, config_.loss.context_beta,
                            config_.loss.weight_gradient);
}

ContrastiveLoss FrozenLearner::dense_loss(const ContrastiveConfig& config, const Prepared& step,
                                          const torch::Tensor& queries, const torch::Tensor& entities) const {
  const torch::Tensor scale = model_.scale();
  const bool all = !step.drawn.defined();
  const torch::Tensor scores = torch::mm(queries, entities.t()) * scale;
  torch::Tensor negative = torch::ones(scores.sizes(), scores.options().dtype(torch::kBool).requires_grad(false));
  negative.view(-1).index_fill_(
      0, all ? step.known.row_of_each() * entities.size(0) + step.known.ids : step.no_negatives, false);
  return contrastive_loss({.scores = scores,
                           .negative = negative,
                           .positive = all ? step.columns.tails : step.positive,
                           .margin = scale.detach() * config.margin,
                           .multiplicity = {},
                           .neighbours = step.near},
                          config);
}

ContrastiveLoss FrozenLearner::loss_of(const Prepared& step, const torch::Tensor& queries,
                                       const torch::Tensor& entities) const {
  if (config_.loss.kind != ContrastiveKind::simple || step.drawn.defined())
    return dense_loss(config_.loss, step, queries, entities);
  const torch::Tensor scale = model_.scale();
  ContrastiveLoss result = simple_loss(step, queries, entities, scale);
  if (config_.loss.tail_to_query) result.loss = result.loss + tail_loss(step, queries, entities, scale);
  return result;
}

ContrastiveLoss FrozenLearner::part_of_loss(const Prepared& step, const torch::Tensor& queries,
                                            const torch::Tensor& entities) const {
  const RowShare share = comm().share_of(queries.size(0));
  ContrastiveConfig queries_alone = config_.loss;
  queries_alone.tail_to_query = false;
  Prepared own = step;
  own.columns.tails = step.columns.tails.narrow(0, share.first, share.count);
  const torch::Tensor asked = queries.narrow(0, share.first, share.count);
  ContrastiveLoss result;
  if (share.count == 0) {
    const torch::Tensor zero = (asked.sum() + entities.sum() + model_.scale()) * 0;
    result = {.loss = zero, .floored = zero.detach().clone(), .information = zero.detach().clone()};
  } else if (config_.loss.kind == ContrastiveKind::simple) {
    result = simple_loss(own, asked, entities, model_.scale());
  } else {
    result = dense_loss(queries_alone, own, asked, entities);
  }
  // Of the mean over all queries.
  const double fraction = static_cast<double>(share.count) / static_cast<double>(queries.size(0));
  result.loss = result.loss * fraction;
  result.information = result.information * fraction;
  result.floored = near_ ? result.floored * fraction : torch::Tensor();
  // The tails need all queries, and are few beside all entities: each process asks them all, and counts a part of it.
  if (config_.loss.tail_to_query)
    result.loss = result.loss + tail_loss(step, queries, entities, model_.scale()) / comm().size();
  return result;
}

std::vector<std::string> FrozenLearner::metric_names() const {
  std::vector<std::string> names{"scale", "information"};
  if (near_) names.emplace_back("floored");
  return names;
}

StepReport FrozenLearner::backward(std::int64_t step) {
  Prepared now = ahead_.take(step);
  for (torch::Tensor* x :
       {&now.columns.heads, &now.columns.relations, &now.columns.tails, &now.known.ids, &now.known.offsets, &now.keep,
        &now.true_pairs, &now.near, &now.drawn, &now.positive, &now.no_negatives}) {
    if (x->defined()) *x = x->to(model_.device(), /*non_blocking=*/true);
  }
  const EntityVectors vectors = vectors_of(now);
  const torch::Tensor queries =
      model_.queries(vectors.heads, model_.relations(/*training=*/true), now.columns.relations);
  ContrastiveLoss result =
      comm().alone() ? loss_of(now, queries, vectors.candidates) : part_of_loss(now, queries, vectors.candidates);
  last_pass_begins();
  result.loss.backward();
  result.loss = result.loss.detach();
  comm().all_reduce(std::vector<torch::Tensor>{result.loss, result.information, result.floored});
  StepReport report{.loss = result.loss, .gradient_norm = {}, .metrics = {}};
  report.metrics = {model_.scale().detach(), result.information};
  if (near_) report.metrics.push_back(result.floored);
  return report;
}

void FrozenLearner::save_model(const std::filesystem::path& folder,
                               const std::map<std::string, std::string>& about) const {
  save_tensors(folder / "model.safetensors", model_.parameters(), about);
}

}  // namespace hasa
