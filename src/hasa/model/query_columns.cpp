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

QueryIds ids_of(std::span<const Query> queries, const torch::Device& device) {
  torch::Tensor columns = torch::empty({2, static_cast<std::int64_t>(queries.size())}, torch::kInt64);
  auto* out = columns.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < queries.size(); ++i) {
    out[i] = queries[i].given;
    out[queries.size() + i] = queries[i].relation;
  }
  columns = columns.to(device);
  return {columns[0], columns[1]};
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

torch::Tensor known_places(const KnownAnswers& known, std::span<const Triple> queries) {
  const std::size_t count = queries.size();
  torch::Tensor places = torch::zeros({2, static_cast<std::int64_t>(count)}, torch::kInt64);
  auto* begin = places.mutable_data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < count; ++i) {
    const auto tails = known.tails(queries[i].head, queries[i].relation);
    if (tails.empty()) continue;
    begin[i] = tails.data() - known.all_tails().data();
    begin[count + i] = begin[i] + static_cast<std::int64_t>(tails.size());
  }
  return places;
}

KnownIndex::KnownIndex(const KnownAnswers& known, const torch::Device& device) : known_(known) {
  const std::span<const EntityId> all = known.all_tails();
  // from_blob takes a mutable pointer; nothing is written through it.
  tails_ = torch::from_blob(const_cast<EntityId*>(all.data()), {static_cast<std::int64_t>(all.size())}, torch::kInt32)
               .to(device);
}

IdRanges KnownIndex::rows(std::span<const Triple> queries) const {
  return rows_at(known_places(known_, queries).to(tails_.device()));
}

}  // namespace hasa
