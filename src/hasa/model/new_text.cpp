#include "hasa/model/new_text.h"

#include <algorithm>
#include <unordered_map>

namespace hasa {
namespace {

constexpr std::size_t kMostPiecesOfNew = 512;  // of a name or a description, as in the graph

}  // namespace

NewText new_text(const WordPiece& tokenizer, const UnseenEntity& entity) {
  NewText text;
  tokenizer.encode(entity.name, text.name, kMostPiecesOfNew);
  tokenizer.encode(entity.description, text.description, kMostPiecesOfNew);
  for (const UnseenEntity::Fact& fact : entity.facts) text.edges.push_back({fact.relation, fact.neighbour, 0});
  std::sort(text.edges.begin(), text.edges.end(), [](const Edge& a, const Edge& b) {
    return a.relation != b.relation ? a.relation < b.relation : a.neighbour < b.neighbour;
  });
  return text;
}

PackedInputs plain_inputs(const WordPiece& tokenizer, std::span<const std::string> texts, std::size_t most) {
  PackedInputs inputs;
  for (const std::string& text : texts) {
    const std::vector<std::int32_t> ids = tokenizer.encode_with_specials(text, most, SpecialTokens::plain);
    inputs.ids.insert(inputs.ids.end(), ids.begin(), ids.end());
    inputs.offsets.push_back(static_cast<std::int64_t>(inputs.ids.size()));
  }
  return inputs;
}

UnseenVectors::UnseenVectors(const TextReader& reader, std::span<const UnseenQuery> queries) {
  std::vector<torch::Tensor> there;
  std::vector<UnseenEntity> unread;
  std::unordered_map<const UnseenEntity*, std::int64_t> place_of;  // new texts come after the known ones
  const auto known = std::count_if(queries.begin(), queries.end(), [](const auto& q) { return q.vector.defined(); });
  std::vector<std::int64_t> places, relation_of;
  for (const UnseenQuery& query : queries) {
    relation_of.push_back(query.relation);
    if (query.vector.defined()) {
      places.push_back(std::ssize(there));
      there.push_back(query.vector);
    } else {
      const auto [place, is_first] = place_of.try_emplace(query.entity, known + std::ssize(unread));
      if (is_first) unread.push_back(*query.entity);
      places.push_back(place->second);
    }
  }
  std::vector<torch::Tensor> parts;
  if (!there.empty()) parts.push_back(torch::stack(there));
  if (!unread.empty()) parts.push_back(reader.entity_vectors(unread));
  const torch::Tensor all = torch::cat(parts);
  of_each = all.index_select(0, torch::tensor(places, torch::kInt64).to(all.device()));
  relations = torch::tensor(relation_of, torch::kInt64).to(all.device());
}

}  // namespace hasa
