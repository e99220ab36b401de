#include "hasa/ops/score/filtered_rank.h"

#include <ATen/Parallel.h>

#include <cmath>

#include "hasa/base/error.h"
#include "hasa/ops/core/cpu_vector.h"
#include "hasa/ops/core/device.h"
#include "hasa/ops/score/filtered_rank_kernels.h"

namespace hasa {
namespace {

struct Counts {
  std::int64_t better, equal, no_number;
};

[[gnu::always_inline]] inline Counts count_row(const float* scores, std::int64_t n, float target) {
  // A comparison gives -1 where it holds. Lanes of 32 bits are enough: no graph here has 32 billion entities.
  cpu::Integers better{}, equal{}, no_number{};
  std::int64_t i = 0;
  for (; i + cpu::kLanes <= n; i += cpu::kLanes) {
    const cpu::Vector row = cpu::load(scores + i);
    better -= row > target;
    equal -= row == target;
    no_number -= row != row;
  }
  Counts counts{0, 0, 0};
  for (std::int64_t lane = 0; lane < cpu::kLanes; ++lane) {
    counts.better += better[lane];
    counts.equal += equal[lane];
    counts.no_number += no_number[lane];
  }
  for (; i < n; ++i) {
    counts.better += scores[i] > target ? 1 : 0;
    counts.equal += scores[i] == target ? 1 : 0;
    counts.no_number += std::isnan(scores[i]) ? 1 : 0;
  }
  return counts;
}

/// All entities are counted first, the known ones and the target itself taken off afterwards: no row is written to.
void rank_query(const kernels::RankPass& pass, std::int64_t q) {
  const std::int64_t n = pass.entities, target = pass.targets[q];
  pass.better[q] = kernels::kNoEntity;
  if (target < 0 || target >= n) return;
  const float* row = pass.scores + q * n;
  const float reached = row[target];
  Counts others{0, 0, 0};
  for (std::int64_t i = pass.begin[q]; i < pass.end[q]; ++i) {
    const std::int32_t id = pass.ids[i];
    if (id < 0 || id >= n) return;
    others.better += row[id] > reached ? 1 : 0;
    others.equal += row[id] == reached && id != target ? 1 : 0;
  }
  Counts all;
  cpu::run_for_this_cpu([&]() __attribute__((always_inline)) { all = count_row(row, n, reached); });
  pass.known_better[q] = others.better;
  pass.known_equal[q] = others.equal;
  pass.better[q] = all.no_number > 0 ? kernels::kNotANumber : all.better - others.better;
  pass.equal[q] = all.equal - others.equal - 1;
}

}  // namespace

RankCounts rank_from_scores(const torch::Tensor& scores_in, const torch::Tensor& targets_in, const IdRanges& known) {
  const torch::Tensor scores = scores_in.contiguous(), targets = targets_in.contiguous();
  const torch::Tensor ids = known.ids.contiguous(), begin = known.begin.contiguous(), end = known.end.contiguous();
  HASA_CHECK(scores.dim() == 2 && scores.scalar_type() == torch::kFloat32, shape,
             "ranks: expected float32 scores [queries, entities]");
  HASA_CHECK(targets.size(0) == scores.size(0) && known.rows() == scores.size(0), shape,
             "ranks: {} rows of scores, {} targets, {} rows of known answers", scores.size(0), targets.size(0),
             known.rows());
  const bool types = targets.scalar_type() == torch::kInt64 && ids.scalar_type() == torch::kInt32 &&
                     begin.scalar_type() == torch::kInt64 && end.scalar_type() == torch::kInt64;
  const auto beside = [&](const torch::Tensor& x) { return x.device() == scores.device(); };
  HASA_CHECK(types && begin.sizes() == end.sizes() && beside(targets) && beside(ids) && beside(begin) && beside(end),
             shape, "ranks: targets and ranges must be int64, known answers int32, all where the scores are");
  const auto zeros = [&] { return torch::zeros({scores.size(0)}, targets.options()); };
  RankCounts counts{zeros(), zeros(), zeros(), zeros()};
  if (scores.size(0) == 0) return counts;
  const kernels::RankPass pass{.scores = scores.const_data_ptr<float>(),
                               .queries = scores.size(0),
                               .entities = scores.size(1),
                               .targets = targets.const_data_ptr<std::int64_t>(),
                               .ids = ids.const_data_ptr<std::int32_t>(),
                               .begin = begin.const_data_ptr<std::int64_t>(),
                               .end = end.const_data_ptr<std::int64_t>(),
                               .better = counts.better.mutable_data_ptr<std::int64_t>(),
                               .equal = counts.equal.mutable_data_ptr<std::int64_t>(),
                               .known_better = counts.known_better.mutable_data_ptr<std::int64_t>(),
                               .known_equal = counts.known_equal.mutable_data_ptr<std::int64_t>()};
  dispatch(
      scores.device(),
      [&] {
        at::parallel_for(0, pass.queries, 8, [&](std::int64_t first, std::int64_t last) {
          for (std::int64_t q = first; q < last; ++q) rank_query(pass, q);
        });
      },
      [&](void* stream) { kernels::filtered_rank_cuda(pass, stream); });
  const auto worst = counts.better.min().item<std::int64_t>();
  HASA_CHECK(worst != kernels::kNoEntity, shape, "ranks: a target or a known answer is not among {} entities",
             scores.size(1));
  HASA_CHECK(worst >= 0, numeric,
             "a score is not a number: the model has diverged\ntrain it with a smaller learning rate (optimiser.lr)");
  return counts;
}

}  // namespace hasa
