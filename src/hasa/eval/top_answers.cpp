#include "hasa/eval/top_answers.h"

#include <algorithm>

#include "hasa/ops/score/top_entities_kernels.h"

namespace hasa {
namespace {

constexpr Split kBeforeTest[] = {Split::train, Split::valid};
/// Finding the top scores overwrites them, so it works on a copy, of so many bytes at a time.
constexpr std::int64_t kCopiedBytes = std::int64_t{8} << 20;

std::span<const Split> splits_before(Split split) { return std::span(kBeforeTest).first(split == Split::test ? 2 : 1); }

}  // namespace

TopAnswersOf::TopAnswersOf(const Graph& graph, Split split, const torch::Device& device)
    : before_(graph, splits_before(split)), of_split_(graph, std::span(&split, 1)), device_(device) {}

void TopAnswersOf::add(const ScoredQueries& part) {
  std::vector<Triple> fresh;
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < part.queries.size(); ++i) {
    if (!seen_.insert(query_of(part.queries[i])).second) continue;
    fresh.push_back(part.queries[i]);
    rows.push_back(static_cast<std::int64_t>(i));
  }
  const auto at_a_time = static_cast<std::size_t>(
      std::max<std::int64_t>(1, kCopiedBytes / std::max<std::int64_t>(1, 4 * part.scores.size(1))));
  for (std::size_t first = 0; first < fresh.size(); first += at_a_time) {
    const std::size_t count = std::min(at_a_time, fresh.size() - first);
    const torch::Tensor chosen = torch::tensor(at::ArrayRef<std::int64_t>(&rows[first], count)).to(device_);
    add_rows(std::span(fresh).subspan(first, count), part.scores.index_select(0, chosen));
  }
}

void TopAnswersOf::add_rows(std::span<const Triple> queries, const torch::Tensor& scores) {
  const RaggedIds known = known_rows(before_, queries).to(device_);
  const kernels::ExcludedCells excluded{known.row_of_each(), known.ids};
  const torch::Tensor keys = (scores.is_cpu() ? kernels::top_keys_cpu(scores, 0, excluded, kDepth)
                                              : kernels::top_keys_composed(scores, 0, excluded, kDepth))
                                 .cpu();
  const torch::Tensor entities = kernels::ids_of(keys);
  const auto* key = keys.const_data_ptr<std::int64_t>();
  const auto* entity = entities.const_data_ptr<std::int64_t>();
  for (const Triple& query : queries) {
    TopAnswers& made = gathered_.emplace_back();
    made.query = query_of(query);
    for (std::int64_t k = 0; k < keys.size(1); ++k, ++key, ++entity) {
      if (*entity < 0) continue;
      made.entities.push_back(static_cast<EntityId>(*entity));
      made.scores.push_back(kernels::score_of(*key));
      made.is_true.push_back(of_split_.contains(query.head, query.relation, made.entities.back()) ? 1 : 0);
    }
  }
}

std::vector<Triple> distinct_queries(const Graph& graph, Split split, std::size_t most) {
  std::vector<Triple> all = with_inverses(graph.triples(split), graph.relations());
  std::set<Query> seen;
  std::erase_if(all, [&](const Triple& triple) { return !seen.insert(query_of(triple)).second; });
  if (all.size() <= most) return all;
  std::vector<Triple> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[all.size() * i / most]);
  return some;
}

}  // namespace hasa
