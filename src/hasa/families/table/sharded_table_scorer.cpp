#include "hasa/families/table/sharded_table_scorer.h"

#include <utility>

#include "hasa/base/error.h"
#include "hasa/model/query_columns.h"
#include "hasa/nn/safetensors.h"
#include "hasa/nn/tensor_file.h"
#include "hasa/ops/core/finite.h"
#include "hasa/ops/score/full_scores.h"

namespace hasa {
namespace {

constexpr std::int64_t kQueryBytesPerNumber = 16;  // of a query's vector and its inputs

class ShardedTableScorer : public ShardedScorer {
 public:
  ShardedTableScorer(TableModel model, Comm& comm)
      : model_(std::move(model)), comm_(comm), entities_(model_.entities().detach().to(torch::kFloat32)) {}

  std::int64_t num_entities() const override { return model_.num_entities(); }
  torch::Device device() const override { return model_.device(); }
  ScoringCost cost() const override { return {.bytes_per_query = kQueryBytesPerNumber * entities_.size(1)}; }
  Comm& comm() const override { return comm_; }

  torch::Tensor own_scores(std::span<const Query> queries) const override {
    const torch::NoGradGuard no_grad;
    const QueryIds ids = ids_of(queries, device());
    const torch::Tensor relations = model_.relations().index_select(0, model_.relation_rows(ids.relations));
    return full_scores(model_.queries(vectors_of(ids.given), relations, ids.relations), entities_, model_.similarity());
  }

 private:
  /// Of any entities: all zeros but on the process that has them, so that the sum is exact.
  torch::Tensor vectors_of(const torch::Tensor& ids) const {
    const ShardColumns in = columns_in(model_.shard(), ids);
    torch::Tensor vectors = entities_.new_zeros({ids.size(0), entities_.size(1)});
    const torch::Tensor places = in.here.nonzero().view({-1});
    vectors.index_copy_(0, places, entities_.index_select(0, in.columns.index_select(0, places)));
    comm_.all_reduce(vectors);
    return vectors;
  }

  TableModel model_;
  Comm& comm_;
  torch::Tensor entities_;  // of the shard; the model's own where those are float32
};

}  // namespace

std::unique_ptr<ShardedScorer> sharded_table_scorer(const TableModel& model, Comm& comm) {
  HASA_ASSERT(model.sharded());
  return std::make_unique<ShardedTableScorer>(model, comm);
}

std::unique_ptr<ShardedScorer> open_sharded_table_scorer(const TableModelConfig& config,
                                                         const std::filesystem::path& weights, const Graph& graph,
                                                         const torch::Device& device, Comm& comm) {
  const RowShare shard = comm.share_of(graph.entities());
  const TableModel model(config, graph.entities(), graph.relations(), device, shard);
  const SafeTensors file = SafeTensors::open(weights);
  for (const NamedTensor& each : model.parameters()) {
    copy_rows_into(each, file, each.sharded() ? shard.first : 0,
                   each.sharded() ? each.whole_rows : each.tensor.size(0));
    HASA_CHECK(all_finite(each.tensor), data, "{}: {} holds values that are not finite numbers: the file is damaged",
               weights.string(), each.name);
  }
  return sharded_table_scorer(model, comm);
}

}  // namespace hasa
