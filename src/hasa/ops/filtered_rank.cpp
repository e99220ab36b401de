#include "hasa/ops/filtered_rank.h"

#include <ATen/Parallel.h>

#include "hasa/base/error.h"
#include "hasa/ops/cpu_vector.h"

namespace hasa {
namespace {

struct Counts {
  std::int64_t better, equal;
};

[[gnu::always_inline]] inline Counts count_row(const float* scores, std::int64_t n, float target) {
  // A comparison gives -1 where it holds. Lanes of 32 bits are enough: no graph here has 32 billion entities.
  cpu::Integers better{}, equal{};
  std::int64_t i = 0;
  for (; i + cpu::kLanes <= n; i += cpu::kLanes) {
    const cpu::Vector row = cpu::load(scores + i);
    better -= row > target;
    equal -= row == target;
  }
  Counts counts{0, 0};
  for (std::int64_t lane = 0; lane < cpu::kLanes; ++lane) {
    counts.better += better[lane];
    counts.equal += equal[lane];
  }
  for (; i < n; ++i) {
    counts.better += scores[i] > target ? 1 : 0;
    counts.equal += scores[i] == target ? 1 : 0;
  }
  return counts;
}

// All entities are counted first, the known ones and the target itself taken off afterwards: no row is written to.

void rank_on_cpu(const torch::Tensor& scores, const torch::Tensor& targets, const RaggedIds& known,
                 const RankCounts& counts) {
  const std::int64_t n = scores.size(1);
  const auto* all = scores.const_data_ptr<float>();
  const auto* target_of = targets.const_data_ptr<std::int64_t>();
  const auto* ids = known.ids.const_data_ptr<std::int64_t>();
  const auto* offsets = known.offsets.const_data_ptr<std::int64_t>();
  auto* better = counts.better.data_ptr<std::int64_t>();
  auto* equal = counts.equal.data_ptr<std::int64_t>();
  auto* known_better = counts.known_better.data_ptr<std::int64_t>();
  auto* known_equal = counts.known_equal.data_ptr<std::int64_t>();
  at::parallel_for(0, scores.size(0), 8, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t q = begin; q < end; ++q) {
      const float* row = all + q * n;
      const float target = row[target_of[q]];
      Counts c;
      cpu::run_for_this_cpu([&]() __attribute__((always_inline)) { c = count_row(row, n, target); });
      Counts others{0, 0};
      for (std::int64_t k = offsets[q]; k < offsets[q + 1]; ++k) {
        others.better += row[ids[k]] > target ? 1 : 0;
        others.equal += row[ids[k]] == target && ids[k] != target_of[q] ? 1 : 0;
      }
      known_better[q] = others.better;
      known_equal[q] = others.equal;
      better[q] = c.better - others.better;
      equal[q] = c.equal - others.equal - 1;
    }
  });
}

void rank_on_device(const torch::Tensor& scores, const torch::Tensor& targets, const RaggedIds& known,
                    RankCounts& counts) {
  const torch::Tensor target = scores.gather(1, targets.unsqueeze(1));
  const torch::Tensor row = known.row_of_each();
  const torch::Tensor score_of_known = scores.index({row, known.ids});
  const torch::Tensor target_of_known = target.squeeze(1).index_select(0, row);
  const torch::Tensor other = known.ids.ne(targets.index_select(0, row));
  const auto per_row = [&](const torch::Tensor& flags) {
    return torch::zeros_like(counts.better).index_add(0, row, flags.to(torch::kInt64));
  };
  counts.known_better = per_row(score_of_known > target_of_known);
  counts.known_equal = per_row(score_of_known.eq(target_of_known).logical_and(other));
  counts.better = (scores > target).sum(1) - counts.known_better;
  counts.equal = (scores == target).sum(1) - counts.known_equal - 1;
}

void check_ids(const torch::Tensor& ids, std::int64_t n, const char* what) {
  if (ids.numel() == 0) return;
  HASA_CHECK(ids.min().item<std::int64_t>() >= 0 && ids.max().item<std::int64_t>() < n, shape,
             "ranks: a {} is not among {} entities", what, n);
}

}  // namespace

RankCounts rank_from_scores(const torch::Tensor& scores_in, const torch::Tensor& targets, const RaggedIds& known) {
  const torch::Tensor scores = scores_in.contiguous();
  HASA_CHECK(scores.dim() == 2 && scores.scalar_type() == torch::kFloat32, shape,
             "ranks: expected float32 scores [queries, entities]");
  HASA_CHECK(targets.size(0) == scores.size(0) && known.rows() == scores.size(0), shape,
             "ranks: {} rows of scores, {} targets, {} rows of known answers", scores.size(0), targets.size(0),
             known.rows());
  check_ids(targets, scores.size(1), "target");
  check_ids(known.ids, scores.size(1), "known answer");
  const auto zeros = [&] { return torch::zeros({scores.size(0)}, targets.options()); };
  RankCounts counts{zeros(), zeros(), zeros(), zeros()};
  if (scores.size(0) == 0) return counts;
  HASA_CHECK(!torch::isnan(scores.gather(1, targets.unsqueeze(1))).any().item<bool>(), numeric,
             "a target's score is not a number: the model has diverged; train it with a smaller rate");
  if (scores.is_cpu()) {
    rank_on_cpu(scores, targets.contiguous(), {known.ids.contiguous(), known.offsets.contiguous()}, counts);
  } else {
    rank_on_device(scores, targets, known, counts);
  }
  return counts;
}

}  // namespace hasa
