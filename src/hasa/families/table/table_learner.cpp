#include "hasa/families/table/table_learner.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/autograd.h>

#include <numeric>

#include "hasa/base/error.h"
#include "hasa/base/rng.h"
#include "hasa/families/table/example_weights.h"
#include "hasa/families/table/sharded_step.h"
#include "hasa/families/table/sharded_table_scorer.h"
#include "hasa/families/table/table_memory.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/score/pair_scores.h"
#include "hasa/ops/table/all_entities_loss.h"
#include "hasa/ops/table/row_loss.h"
#include "hasa/ops/table/sampled_loss.h"
#include "hasa/ops/table/table_gradient.h"
#include "hasa/train/host_tensor.h"
#include "hasa/train/sharded_tensors.h"

namespace hasa {
namespace {

constexpr std::size_t kTableStepsAhead = 4;
constexpr double kLeastSquare = 1e-30;

/// Every distinct training query; its first answer represents all.
std::vector<Triple> distinct_queries(const KnownAnswers& known, EntityId entities) {
  std::vector<Triple> queries;
  for (EntityId head = 0; head < entities; ++head) {
    for (const RelationId relation : known.relations_of(head))
      queries.push_back({head, relation, known.tails(head, relation).front()});
  }
  return queries;
}

/// They take as much memory as the triples, so they are only made if needed.
std::optional<KnownAnswers> known_if_needed(const TableTrainingConfig& tables, const Graph& graph) {
  const bool needed = tables.training == TableTraining::k_vs_all || tables.filtered || tables.self_negative ||
                      tables.weights != ExampleWeighting::evenly;
  if (!needed) return std::nullopt;
  return KnownAnswers::of_training(graph);
}

/// In float32, whatever the table is kept in.
torch::Tensor leaf_rows(const torch::Tensor& table, const torch::Tensor& ids) {
  return table.detach().index_select(0, ids).to(torch::kFloat32).requires_grad_();
}

torch::Tensor hidden(const torch::Tensor& x, double share) { return share > 0 ? torch::dropout(x, share, true) : x; }

/// Enables TF32, if requested, until the end of a block.
class Tf32Guard {
 public:
  explicit Tf32Guard(bool on) : before_(at::globalContext().allowTF32CuBLAS()) { set(on); }
  ~Tf32Guard() { set(before_); }
  Tf32Guard(const Tf32Guard&) = delete;
  Tf32Guard& operator=(const Tf32Guard&) = delete;

 private:
  static void set(bool on) { at::globalContext().setAllowTF32CuBLAS(on); }

  bool before_;
};

/// Column 1 of candidates [q, 1 + n] becomes heads[i], unless that is -1.
void put_among_negatives(const torch::Tensor& heads, const torch::Tensor& candidates) {
  const torch::Tensor first = candidates.select(1, 1);
  first.copy_(torch::where(heads >= 0, heads, first));
}

/// Adds each row to that of its id, repeated ids in order: the same sums for any number of threads.
void add_rows(const torch::Tensor& table, const torch::Tensor& ids, const torch::Tensor& rows) {
  if (table.is_cpu()) {
    table.index_add_(0, ids, rows);
  } else {
    table.index_put_({ids}, rows, /*accumulate=*/true);  // sorts the ids, where index_add_ has atomics
  }
}

TableModel model_that_fits(const TableFamily& config, const TrainContext& context) {
  const Graph& graph = context.graph;
  const bool sharded = shards_entities(config, graph, context.device, context.comm);
  const RowShare shard = sharded ? context.comm.share_of(graph.entities()) : RowShare{0, graph.entities()};
  check_tables_fit(config, graph, shard.count, context.device, context.comm);
  return TableModel(config.model, graph.entities(), graph.relations(), context.device,
                    sharded ? std::optional(shard) : std::nullopt);
}

torch::Tensor sum_or(const torch::Tensor& a, const torch::Tensor& b) { return !a.defined() ? b : a + b; }

}  // namespace

TableLearner::TableLearner(const TableFamily& config, const TrainContext& context)
    : GradientLearner(config.optimiser, context.comm),
      config_(config),
      seed_(context.seed),
      model_(model_that_fits(config, context)),
      known_(known_if_needed(config.tables, context.graph)),
      examples_(config.tables.training == TableTraining::k_vs_all
                    ? distinct_queries(*known_, context.graph.entities())
                    : with_inverses(context.graph.triples(Split::train), context.graph.relations())),
      order_(seed_, static_cast<std::int64_t>(examples_.size()), config.train.batch),
      ahead_([this](std::int64_t step) { return prepare(step); }, kTableStepsAhead) {
  if (sampled() && config.tables.filtered) index_.emplace(*known_, context.device);
  if (config.tables.weights != ExampleWeighting::evenly)
    weights_ = example_weights(examples_, *known_, context.graph.relations(), config.tables.weights);
  if (config.tables.self_negative) self_negatives_.emplace(context.graph, *known_);
  if (!sampled()) model_.entities().requires_grad_();
  model_.relations().requires_grad_();
}

std::unique_ptr<Optimiser> TableLearner::make_own_optimiser(const OptimiserConfig& config) {
  if (!sampled()) return make_optimiser(parameters(), config);
  const Parameters all = parameters();
  return std::make_unique<RowOptimiser>(named(all)[0], gradient_, Parameters{all[1]}, config, model_.shard().first);
}

TableLearner::Batch TableLearner::prepare(std::int64_t step) {
  std::vector<Triple> triples;
  std::vector<float> weights;
  for (const std::int64_t row : order_.rows_of(step)) {
    triples.push_back(examples_[static_cast<std::size_t>(row)]);
    if (!weights_.empty()) weights.push_back(weights_[static_cast<std::size_t>(row)]);
  }
  Batch batch;
  const torch::Device device = model_.device();
  const QueryColumns columns = columns_of(triples, torch::kCPU);
  batch.columns = {for_device(columns.heads, device), for_device(columns.relations, device),
                   for_device(columns.tails, device)};
  batch.seed = Rng(seed_, "negatives", static_cast<std::uint64_t>(step)).next();
  if (!weights.empty()) {
    const float sum = std::accumulate(weights.begin(), weights.end(), 0.0F);
    for (float& weight : weights) weight /= sum;
    batch.weights = host_tensor(weights, torch::kFloat32, device);
  }
  if (self_negatives_) batch.self_negatives = host_tensor(self_negatives_->of(triples), torch::kInt32, device);
  if (index_) batch.known_places = for_device(known_places(*known_, triples), device);
  batch.whole = std::ssize(triples);
  batch.share = comm().share_of(batch.whole);
  if (config_.tables.training == TableTraining::k_vs_all) {
    const RaggedIds answers =
        known_rows(*known_, std::span(triples).subspan(static_cast<std::size_t>(batch.share.first),
                                                       static_cast<std::size_t>(batch.share.count)));
    batch.answers = {for_device(answers.ids, device), for_device(answers.offsets, device)};
  } else if (!sampled()) {
    batch.answers = {batch.columns.tails.narrow(0, batch.share.first, batch.share.count),
                     for_device(torch::arange(batch.share.count + 1), device)};
  }
  return batch;
}

TableLearner::Batch TableLearner::Batch::to(const torch::Device& device) const {
  const auto moved = [&](const torch::Tensor& x) { return x.defined() ? x.to(device, /*non_blocking=*/true) : x; };
  return {{moved(columns.heads), moved(columns.relations), moved(columns.tails)},
          moved(weights),
          moved(self_negatives),
          moved(known_places),
          {moved(answers.ids), moved(answers.offsets)},
          seed,
          share,
          whole};
}

TableLearner::Batch TableLearner::part_of(const Batch& whole) const {
  const auto part = [&](const torch::Tensor& x) { return x.narrow(0, whole.share.first, whole.share.count); };
  Batch own = whole;
  own.columns = {part(whole.columns.heads), part(whole.columns.relations), part(whole.columns.tails)};
  own.weights = whole.weights.defined() ? part(whole.weights)
                                        : torch::full({whole.share.count}, 1 / static_cast<double>(whole.whole),
                                                      torch::TensorOptions(model_.device()).dtype(torch::kFloat32));
  return own;
}

bool TableLearner::needs_tails() const {
  return config_.tables.entity_regulariser > 0 || config_.tables.relation_prediction > 0;
}

TableLearner::Rows TableLearner::rows_of(const Batch& batch) const {
  return rows_of(batch, leaf_rows(model_.entities(), batch.columns.heads),
                 needs_tails() ? leaf_rows(model_.entities(), batch.columns.tails) : torch::Tensor());
}

TableLearner::Rows TableLearner::rows_of(const Batch& batch, const torch::Tensor& heads,
                                         const torch::Tensor& tails) const {
  Rows out;
  out.heads = heads;
  out.relations = leaf_rows(model_.relations(), model_.relation_rows(batch.columns.relations));
  out.tails = tails;
  out.queries =
      model_.queries(hidden_rows(out.heads, config_.tables.entity_dropout, batch),
                     hidden_rows(out.relations, config_.tables.relation_dropout, batch), batch.columns.relations);
  return out;
}

torch::Tensor TableLearner::hidden_rows(const torch::Tensor& rows, double share, const Batch& batch) const {
  if (comm().alone() || share == 0) return hidden(rows, share);
  const torch::Tensor factors = hidden(torch::ones({batch.whole, rows.size(1)}, rows.options()), share);
  return rows * factors.narrow(0, batch.share.first, batch.share.count);
}

torch::Tensor TableLearner::further_loss(const Rows& rows, const Batch& batch) const {
  const TableTrainingConfig& tables = config_.tables;
  const auto count = static_cast<double>(batch.whole);
  torch::Tensor loss;
  if (batch.columns.heads.size(0) == 0) return rows.tails.defined() ? rows.tails.sum() : loss;
  const auto add_powers = [&](const torch::Tensor& squared_moduli, double weight) {
    // Of powers below 2 the slope at 0 would be infinity times 0.
    const torch::Tensor squares =
        tables.regulariser_power < 2 ? squared_moduli.clamp_min(kLeastSquare) : squared_moduli;
    loss = sum_or(loss, squares.pow(tables.regulariser_power / 2).sum() * (weight / count));
  };
  if (tables.entity_regulariser > 0) {
    add_powers(model_.squared_moduli(rows.heads), tables.entity_regulariser);
    add_powers(model_.squared_moduli(rows.tails), tables.entity_regulariser);
  }
  if (tables.relation_regulariser > 0)
    add_powers(model_.squared_relation_moduli(rows.relations), tables.relation_regulariser);
  if (tables.relation_prediction > 0) {
    // An inverse without its own vector is its relation in the other direction.
    const torch::Tensor turned = model_.config().reciprocal
                                     ? torch::Tensor()
                                     : batch.columns.relations.ge(model_.relations().size(0)).unsqueeze(1);
    const auto end = [&](const torch::Tensor& here, const torch::Tensor& there) {
      return turned.defined() ? torch::where(turned, there, here) : here;
    };
    const torch::Tensor asked = model_.relation_queries(end(rows.heads, rows.tails), end(rows.tails, rows.heads));
    const torch::Tensor scores = pair_scores(asked, model_.relations(), model_.similarity());
    const torch::Tensor own = scores.gather(1, model_.relation_rows(batch.columns.relations).unsqueeze(1)).squeeze(1);
    loss = sum_or(loss, (scores.logsumexp(1) - own).mean() *
                            (tables.relation_prediction * static_cast<double>(own.size(0)) / count));
  }
  return loss;
}

void TableLearner::pull_back(const Rows& rows, const Batch& batch, const torch::Tensor& query_grad) {
  const torch::Tensor more = further_loss(rows, batch);
  if (more.defined()) {
    torch::autograd::backward({rows.queries, more}, {query_grad, torch::ones_like(more)});
  } else {
    torch::autograd::backward({rows.queries}, {query_grad});
  }
  gradient_.length = rows.heads.grad().norm() + rows.relations.grad().norm();
}

torch::Tensor TableLearner::all_entities_step(const Rows& rows, const Batch& batch) {
  const Tf32Guard products(config_.tables.tf32);
  const auto kind = config_.tables.loss == RowLossKind::bce ? AllEntitiesLoss::bce : AllEntitiesLoss::cross_entropy;
  const torch::Tensor scores =
      pair_scores(rows.queries, hidden(model_.entities(), config_.tables.candidate_dropout), model_.similarity());
  torch::Tensor loss =
      all_entities_loss(scores, batch.answers, kind, config_.tables.label_smoothing, config_.tables.offset);
  if (!comm().alone())  // a part of the mean
    loss = scores.size(0) == 0 ? scores.sum() + model_.entities().sum() * 0
                               : loss * (static_cast<double>(scores.size(0)) / static_cast<double>(batch.whole));
  const torch::Tensor more = further_loss(rows, batch);
  (more.defined() ? loss + more : loss).backward();
  // The scores' gradient covers all entities; those of the batch's own rows are added.
  const torch::NoGradGuard no_grad;
  const torch::Tensor& of_entities = model_.entities().mutable_grad();
  add_rows(of_entities, batch.columns.heads, rows.heads.grad());
  if (rows.tails.defined()) add_rows(of_entities, batch.columns.tails, rows.tails.grad());
  leave_relation_gradient(rows, batch);
  return loss.detach();
}

TableLearner::SharedNegatives TableLearner::shared_negatives(const Batch& whole) const {
  const std::int64_t count = whole.columns.tails.size(0), together = std::min(config_.tables.shared, count);
  const torch::Tensor ids = draw_candidates(whole.columns.tails.slice(0, 0, (count + together - 1) / together),
                                            config_.tables.negatives, model_.num_entities(), whole.seed)
                                .slice(1, 1);
  return {together, ids};
}

torch::Tensor TableLearner::candidates_of(const Batch& whole) const {
  if (config_.tables.shared > 0) {  // of several processes: every triple with the negatives of its group
    const auto [together, ids] = shared_negatives(whole);
    const torch::Tensor& tails = whole.columns.tails;
    const torch::Tensor groups = torch::arange(tails.size(0), tails.options()).floor_divide(together);
    return torch::cat({tails.to(torch::kInt32).unsqueeze(1), ids.index_select(0, groups)}, 1);
  }
  // What is drawn depends on a triple's place in the batch, so each process draws for all.
  torch::Tensor drawn = draw_candidates(whole.columns.tails, config_.tables.negatives, model_.num_entities(),
                                        whole.seed, index_ ? index_->rows_at(whole.known_places) : IdRanges{});
  if (whole.self_negatives.defined()) put_among_negatives(whole.self_negatives, drawn);
  return drawn;
}

torch::Tensor TableLearner::sharded_step(const Batch& batch, const Batch& whole) {
  std::vector<torch::Tensor> ends{whole.columns.heads};
  if (needs_tails()) ends.push_back(whole.columns.tails);
  const ShardedStep step(model_.entities(), model_.num_entities(), torch::stack(ends, 1), comm());
  const torch::Tensor vectors = step.end_vectors();
  const auto leaf = [&](std::int64_t end) { return vectors.select(1, end).contiguous().requires_grad_(); };
  const Rows rows = rows_of(batch, leaf(0), needs_tails() ? leaf(1) : torch::Tensor());
  const ShardedStep::Loss result = step.sampled_loss(rows.queries.detach(), candidates_of(whole), model_.similarity(),
                                                     config_.tables.row_loss(), batch.weights);
  pull_back(rows, batch, result.query_grad);
  leave_relation_gradient(rows, batch);
  std::vector<torch::Tensor> grads{rows.heads.grad()};
  if (rows.tails.defined()) grads.push_back(rows.tails.grad());
  gradient_.sampled = result.rows_here;
  gradient_.direct = step.end_gradients(torch::stack(grads, 1));
  comm().all_reduce(gradient_.length);
  return result.loss;
}

torch::Tensor TableLearner::own_negatives_step(const Rows& rows, const Batch& batch, const Batch& whole) {
  const torch::Tensor drawn = candidates_of(whole);
  const torch::Tensor candidates = drawn.narrow(0, whole.share.first, whole.share.count);
  const torch::Tensor queries = rows.queries.detach();
  const SampledLoss step = sampled_loss(queries, model_.entities(), candidates, model_.similarity(),
                                        config_.tables.row_loss(), batch.weights);
  pull_back(rows, batch, step.query_grad);
  leave_relation_gradient(rows, batch);
  leave_gradients(rows, whole, {queries, drawn, step.coefficients, model_.similarity()}, {});
  return step.loss;
}

torch::Tensor TableLearner::shared_negatives_step(const Rows& rows, const Batch& batch) {
  const auto [together, drawn] = shared_negatives(batch);
  const std::int64_t count = rows.queries.size(0), chunks = drawn.size(0);
  const torch::Tensor queries = rows.queries.detach().requires_grad_();
  const torch::Tensor tails = leaf_rows(model_.entities(), batch.columns.tails);
  std::vector<torch::Tensor> scores, negatives;
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t first = chunk * together, last = std::min(count, first + together);
    negatives.push_back(leaf_rows(model_.entities(), drawn[chunk]));
    scores.push_back(pair_scores(queries.slice(0, first, last), negatives.back(), model_.similarity()));
  }
  const torch::Tensor own = similarity_of_rows(queries, tails, model_.similarity()).unsqueeze(1);
  const torch::Tensor losses = row_losses(torch::cat({own, torch::cat(scores)}, 1), config_.tables.row_loss());
  const torch::Tensor loss = batch.weights.defined() ? losses.dot(batch.weights) : losses.mean();
  loss.backward();
  pull_back(rows, batch, queries.grad());
  std::vector<torch::Tensor> grads{tails.grad()};
  for (const torch::Tensor& each : negatives) grads.push_back(each.grad());
  leave_relation_gradient(rows, batch);
  leave_gradients(rows, batch, {},
                  {torch::cat({batch.columns.tails.to(torch::kInt32), drawn.reshape({-1})}), torch::cat(grads)});
  return loss.detach();
}

void TableLearner::leave_gradients(const Rows& rows, const Batch& whole, const SampledRows& sampled,
                                   const DirectRows& more) {
  const auto of_all = [&](const torch::Tensor& own) {
    return comm().alone() || !own.defined() ? own : comm().gather_shares(own, whole.whole);
  };
  std::vector<torch::Tensor> ids{whole.columns.heads.to(torch::kInt32)}, grads{of_all(rows.heads.grad())};
  if (rows.tails.defined()) {
    ids.push_back(whole.columns.tails.to(torch::kInt32));
    grads.push_back(of_all(rows.tails.grad()));
  }
  if (more.ids.defined()) {
    ids.push_back(more.ids);
    grads.push_back(more.grads);
  }
  gradient_.sampled = sampled;
  gradient_.sampled.queries = of_all(sampled.queries);
  gradient_.sampled.coefficients = of_all(sampled.coefficients);
  gradient_.direct = {ids.size() == 1 ? ids[0] : torch::cat(ids), grads.size() == 1 ? grads[0] : torch::cat(grads)};
  comm().all_reduce(gradient_.length);
}

void TableLearner::leave_relation_gradient(const Rows& rows, const Batch& batch) {
  // Relation prediction may already have left a gradient of the whole table.
  const torch::Tensor of_relations =
      table_gradient(rows.relations.grad(), model_.relation_rows(batch.columns.relations), model_.relations().size(0));
  model_.relations().mutable_grad() = sum_or(model_.relations().grad(), of_relations);
}

StepReport TableLearner::backward(std::int64_t step) {
  const Batch whole = ahead_.take(step).to(model_.device());
  const Batch batch = comm().alone() ? whole : part_of(whole);
  const auto loss_of = [&] {
    if (model_.sharded()) return sharded_step(batch, whole);
    const Rows rows = rows_of(batch);
    if (!sampled()) return all_entities_step(rows, batch);
    const bool groups = config_.tables.shared > 0 && comm().alone();
    return groups ? shared_negatives_step(rows, batch) : own_negatives_step(rows, batch, whole);
  };
  torch::Tensor loss = loss_of();
  comm().all_reduce(loss);
  return {.loss = loss, .gradient_norm = {}, .metrics = {}};
}

TrainAdvice TableLearner::advice() const {
  const bool margin = config_.tables.loss == RowLossKind::margin;  // which all of a step's negatives may keep
  return {sampled() ? "a smaller train.batch, tables.negatives or model.dim" : "a smaller train.batch or model.dim",
          sampled() ? "a smaller optimiser.lr" : "a smaller optimiser.lr, or optimiser.clip=1",
          margin ? "" : "a smaller optimiser.lr, or another model.init_scale"};
}

std::unique_ptr<Scorer> TableLearner::scorer() const {
  if (model_.sharded()) return sharded_table_scorer(model_, comm());
  return model_.scorer();
}

void TableLearner::save_model(const std::filesystem::path& folder,
                              const std::map<std::string, std::string>& about) const {
  save_tensors_together(folder / "model.safetensors", model_.parameters(), about,
                        model_.sharded() ? comm() : one_process());
}

void TableLearner::help_save_model() const {
  if (model_.sharded()) save_tensors_together({}, model_.parameters(), {}, comm());
}

}  // namespace hasa
