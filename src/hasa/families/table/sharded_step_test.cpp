#include "hasa/families/table/sharded_step.h"

#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "hasa/base/rng.h"
#include "hasa/base/testing.h"
#include "hasa/dist/ranks_for_tests.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/families/table/table_learner.h"
#include "hasa/model/query_columns.h"
#include "hasa/ops/table/sampled_loss.h"

namespace hasa {
namespace {

using testing::in_ranks;

/// Eleven triples over seventeen entities: multiples of nothing.
struct ShardCase {
  torch::Tensor table, queries, weights, candidates, ends, end_grads;

  explicit ShardCase(torch::Dtype type)
      : table((torch::randn({17, 34}) * 0.3).to(type)),
        queries(torch::randn({11, 34}) * 0.3),
        weights(torch::rand({11})),
        candidates(torch::randint(0, 17, {11, 9}, torch::kInt32)),
        ends(torch::randint(0, 17, {11, 2}, torch::kInt64)),
        end_grads(torch::randn({11, 2, 34})) {}
};

torch::Tensor share_here(const torch::Tensor& whole, const Comm& comm) {
  const RowShare share = comm.share_of(whole.size(0));
  return whole.narrow(0, share.first, share.count);
}

void expect_the_step_of_one_process(const ShardCase& given, Similarity similarity, const RowLoss& loss) {
  const SampledLoss whole = sampled_loss(given.queries, given.table, given.candidates, similarity, loss, given.weights);
  const torch::Tensor updated = given.table.clone();
  const RowState state = RowState::of(updated, RowRule::row_adagrad);
  const RowStep rule{.rule = RowRule::row_adagrad, .rate = 0.1, .seed = 9};
  update_rows(updated, state, {given.queries, given.candidates, whole.coefficients, similarity},
              {given.ends.reshape({-1}).to(torch::kInt32), given.end_grads.reshape({-1, 34})}, rule);
  in_ranks(3, [&](Comm& comm) {
    const torch::Tensor table = share_here(given.table, comm).clone();
    const ShardedStep step(table, 17, given.ends, comm);
    EXPECT_TRUE(torch::equal(
        step.end_vectors(),
        share_here(given.table.index_select(0, given.ends.view({-1})).view({11, 2, 34}), comm).to(torch::kFloat32)));

    const ShardedStep::Loss part = step.sampled_loss(share_here(given.queries, comm), given.candidates, similarity,
                                                     loss, share_here(given.weights, comm));
    torch::Tensor total = part.loss.clone();
    comm.all_reduce(total);
    EXPECT_NEAR(total.item<double>(), whole.loss.item<double>(), 1e-5);
    EXPECT_TRUE(torch::allclose(part.query_grad, share_here(whole.query_grad, comm), 1e-4, 1e-6));

    RowStep own_rule = rule;
    own_rule.first_row = comm.share_of(17).first;
    const RowState own_state = RowState::of(table, RowRule::row_adagrad);
    update_rows(table, own_state, part.rows_here, step.end_gradients(share_here(given.end_grads, comm)), own_rule);
    // One bfloat16 number in some may be rounded the other way where the sums differ in their last place.
    const double within = table.scalar_type() == torch::kFloat32 ? 1e-5 : 2e-2;
    EXPECT_TRUE(
        torch::allclose(table.to(torch::kFloat32), share_here(updated, comm).to(torch::kFloat32), within, within));
    EXPECT_TRUE(torch::allclose(own_state.squares, share_here(state.squares, comm), 1e-4, 1e-6));
  });
}

TEST(ShardedStep, IsTheStepOfOneProcessForEverySimilarityLossAndPrecision) {
  HASA_NEEDS_DIST();
  const testing::OneQuietThread quiet;
  torch::manual_seed(1);
  for (const Similarity similarity :
       {Similarity::dot, Similarity::negative_l1, Similarity::negative_l2, Similarity::negative_modulus}) {
    expect_the_step_of_one_process(ShardCase(torch::kFloat32), similarity, {RowLossKind::self_adversarial, 2, 0.7});
  }
  for (const RowLossKind kind : {RowLossKind::cross_entropy, RowLossKind::bce, RowLossKind::margin})
    expect_the_step_of_one_process(ShardCase(torch::kFloat32), Similarity::negative_modulus, {kind, 2, 1});
  expect_the_step_of_one_process(ShardCase(torch::kBFloat16), Similarity::negative_l1,
                                 {RowLossKind::cross_entropy, 0, 1});
}

TableFamily sharded_config(TableForm form) {
  TableFamily config;
  config.model.form = form;
  config.model.dim = 16;
  config.tables.negatives = 7;
  config.tables.sharded = TableSharding::always;
  config.optimiser.kind = OptimiserKind::row_adagrad;
  config.optimiser.lr = 0.05;
  config.train.batch = 50;  // no multiple of three
  config.train.epochs = 3;
  return config;
}

TrainContext context_among(const Graph& graph, Comm& comm) {
  return {.graph = graph, .graph_folder = {}, .device = torch::kCPU, .seed = 1, .comm = comm};
}

/// torch's generator is one for all threads: vectors are drawn by one rank after the other.
std::unique_ptr<TableLearner> learner_of(const TableFamily& config, const TrainContext& context) {
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  at::manual_seed(context.seed);
  return std::make_unique<TableLearner>(config, context);
}

void expect_the_training_of_one_process(const TableFamily& config, const Graph& graph, int steps) {
  const auto alone = learner_of(config, context_among(graph, one_process()));
  std::vector<double> losses;
  for (int i = 0; i < steps; ++i) losses.push_back(alone->step(i, 1).loss.item<double>());
  const NamedTensors expected = alone->state();
  for (const int size : {2, 3}) {
    SCOPED_TRACE(fmt::format("{} processes, {}", size, to_string(config.model.form)));
    in_ranks(size, [&](Comm& comm) {
      const auto learner = learner_of(config, context_among(graph, comm));
      for (int i = 0; i < steps; ++i)
        EXPECT_NEAR(learner->step(i, 1).loss.item<double>(), losses[static_cast<std::size_t>(i)], 1e-4);
      const NamedTensors state = learner->state();
      ASSERT_EQ(state.size(), expected.size());
      for (std::size_t i = 0; i < state.size(); ++i) {
        EXPECT_EQ(state[i].name, expected[i].name);
        const bool of_entities = state[i].name.ends_with("entities") && !state[i].name.ends_with("steps.entities");
        EXPECT_EQ(state[i].sharded(), of_entities && config.tables.sharded == TableSharding::always) << state[i].name;
        torch::Tensor own = state[i].tensor.detach();
        if (state[i].sharded()) {
          EXPECT_EQ(own.size(0), comm.share_of(graph.entities()).count);
          own = comm.gather_shares(own, state[i].whole_rows);
        }
        EXPECT_TRUE(torch::allclose(own, expected[i].tensor, 1e-3, 2e-5)) << state[i].name;
      }
    });
  }
}

TEST(ShardedTables, AreTrainedAsByOneProcess) {
  HASA_NEEDS_DIST();
  const testing::OneQuietThread quiet;
  const Graph graph = testing::small_graph();
  for (const TableForm form : {TableForm::transe, TableForm::rotate})
    expect_the_training_of_one_process(sharded_config(form), graph, 4);
  TableFamily all = sharded_config(TableForm::complex);
  all.tables.filtered = all.tables.self_negative = true;
  all.tables.weights = ExampleWeighting::by_query;
  all.tables.entity_regulariser = all.tables.relation_regulariser = 1e-2;
  all.tables.relation_prediction = 0.5;
  all.optimiser.average = 0.9;
  expect_the_training_of_one_process(all, graph, 4);
}

TEST(ShardedTables, AndWholeOnesAreTrainedAsByOneProcessWhereTriplesShareTheirNegatives) {
  HASA_NEEDS_DIST();
  const testing::OneQuietThread quiet;
  TableFamily config = sharded_config(TableForm::distmult);
  config.tables.shared = 8;  // groups that processes divide between them
  for (const TableSharding sharded : {TableSharding::always, TableSharding::never}) {
    config.tables.sharded = sharded;
    expect_the_training_of_one_process(config, testing::small_graph(), 4);
  }
}

/// docs/scale.md's formula, in bytes, by counting who has what.
std::int64_t bytes_of_a_step(const Graph& graph, const TableFamily& config, const Comm& comm) {
  const std::vector<Triple> examples = with_inverses(graph.triples(Split::train), graph.relations());
  BatchOrder order(1, std::ssize(examples), config.train.batch);
  std::vector<Triple> batch;
  for (const std::int64_t row : order.rows_of(0)) batch.push_back(examples[static_cast<std::size_t>(row)]);
  const QueryColumns columns = columns_of(batch, torch::kCPU);
  const torch::Tensor candidates =
      draw_candidates(columns.tails, config.tables.negatives, graph.entities(), Rng(1, "negatives", 0).next());
  const std::int64_t size = std::ssize(batch), ranks = comm.size(), d = config.model.dim;
  const auto process_of = [&](std::int64_t row, std::int64_t rows) {
    int rank = 0;
    while (row >= Comm::share_of(rows, rank, comm.size()).first + Comm::share_of(rows, rank, comm.size()).count) ++rank;
    return rank;
  };
  std::int64_t vectors = 0, heads = 0, scores = 0, slopes = 0;  // that this process sends
  for (std::int64_t i = 0; i < size; ++i) {
    const int asker = process_of(i, size);
    const auto count = [&](std::int64_t entity, std::int64_t& to_asker, std::int64_t& to_owner) {
      const int owner = process_of(entity, graph.entities());
      if (owner == asker) return;
      if (owner == comm.rank()) ++to_asker;
      if (asker == comm.rank()) ++to_owner;
    };
    count(batch[static_cast<std::size_t>(i)].head, vectors, heads);
    for (std::int64_t j = 0; j < candidates.size(1); ++j) count(candidates[i][j].item<std::int32_t>(), scores, slopes);
  }
  const std::int64_t gathered = (size + ranks - 1) / ranks, elsewhere = size - comm.share_of(size).count;
  const std::int64_t relations = graph.num_directed_relations() * d;
  // The loss and the gradient's norm are two numbers more.
  return 4 * ((vectors + heads + gathered + elsewhere) * d + scores + slopes + relations + 2);
}

TEST(ShardedTables, ExchangeTheBytesOfTheFormula) {
  HASA_NEEDS_DIST();
  const testing::OneQuietThread quiet;
  const Graph graph = testing::small_graph();
  const TableFamily config = sharded_config(TableForm::transe);
  in_ranks(3, [&](Comm& comm) {
    const auto learner = learner_of(config, context_among(graph, comm));
    const std::int64_t before = comm.bytes();
    learner->step(0, 1);
    EXPECT_EQ(comm.bytes() - before, bytes_of_a_step(graph, config, comm));
  });
}

}  // namespace
}  // namespace hasa
