#include "hasa/model/grown_texts.h"

#include "hasa/base/error.h"

namespace hasa {
namespace {

template <class Id>
void put_rows(const torch::Tensor& table, const std::vector<Id>& rows, const torch::Tensor& values) {
  if (rows.empty()) return;
  HASA_CHECK(values.dim() == 2 && values.size(0) == std::ssize(rows) && values.size(1) == table.size(1), data,
             "{} texts were read as vectors of shape {}, but the others have {} numbers", rows.size(),
             format_shape(values.sizes()), table.size(1));
  table.index_copy_(0, torch::tensor(std::vector<std::int64_t>(rows.begin(), rows.end())), values.to(table.device()));
}

}  // namespace

TextsToRead TextsToRead::of(const Graph& graph, const Growth& growth) {
  TextsToRead asked;
  asked.entities = growth.changed_entities;
  for (EntityId e = growth.entities; e < graph.entities(); ++e) asked.entities.push_back(e);
  asked.relations = growth.changed_relations;
  for (RelationId r = growth.relations; r < graph.relations(); ++r) asked.relations.push_back(r);
  const std::size_t forward = asked.relations.size();
  for (std::size_t i = 0; i < forward; ++i) asked.relations.push_back(inverse(asked.relations[i], graph.relations()));
  return asked;
}

TextEmbeddings grown_texts(const TextEmbeddings& earlier, const Graph& graph, const Growth& growth,
                           const TextsToRead& asked, const TextEmbeddings& read) {
  const std::int64_t entities = growth.entities, relations = growth.relations;
  HASA_CHECK(earlier.entities.size(0) == entities && earlier.relations.size(0) == 2 * relations, data,
             "text embeddings of {} entities and {} directed relations do not fit a graph of {} and {}",
             earlier.entities.size(0), earlier.relations.size(0), entities, 2 * relations);
  const std::int64_t hidden = earlier.hidden();
  TextEmbeddings grown{torch::zeros({graph.entities(), hidden}), torch::zeros({graph.num_directed_relations(), hidden}),
                       earlier.made_from};
  grown.entities.narrow(0, 0, entities).copy_(earlier.entities);
  grown.relations.narrow(0, 0, relations).copy_(earlier.relations.narrow(0, 0, relations));
  grown.relations.narrow(0, graph.relations(), relations).copy_(earlier.relations.narrow(0, relations, relations));
  put_rows(grown.entities, asked.entities, read.entities);
  put_rows(grown.relations, asked.relations, read.relations);
  return grown;
}

}  // namespace hasa
