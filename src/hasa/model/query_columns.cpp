#include "hasa/model/query_columns.h"

#include <vector>

namespace hasa {

QueryColumns columns_of(std::span<const Triple> triples, const torch::Device& device) {
  const auto count = static_cast<std::int64_t>(triples.size());
  torch::Tensor columns = torch::empty({3, count}, torch::kInt64);
  auto* out = columns.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < triples.size(); ++i) {
    out[i] = triples[i].head;
    out[triples.size() + i] = triples[i].relation;
    out[2 * triples.size() + i] = triples[i].tail;
  }
  columns = columns.to(device);
  return {columns[0], columns[1], columns[2]};
}

RaggedIds known_rows(const KnownAnswers& known, std::span<const Triple> queries) {
  torch::Tensor offsets = torch::zeros({static_cast<std::int64_t>(queries.size()) + 1}, torch::kInt64);
  auto* ends = offsets.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < queries.size(); ++i) {
    ends[i + 1] = ends[i] + static_cast<std::int64_t>(known.tails(queries[i].head, queries[i].relation).size());
  }
  torch::Tensor ids = torch::empty({ends[queries.size()]}, torch::kInt64);
  auto* out = ids.data_ptr<std::int64_t>();
  for (const Triple& query : queries) {
    for (const EntityId tail : known.tails(query.head, query.relation)) *out++ = tail;
  }
  return {ids, offsets};
}

}  // namespace hasa
