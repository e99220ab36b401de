#include "hasa/input/text_inputs.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hasa/base/thread_pool.h"

namespace hasa {
namespace {

constexpr std::size_t kNeighbourTokens = 10;  // of a neighbour's name
constexpr std::size_t kRelationTokens = 24;   // of a relation's words in a query or a triple
constexpr std::size_t kTextsPerPart = 256;    // assembled by one thread at a time

std::span<const std::int32_t> at_most(std::span<const std::int32_t> ids, std::size_t count) {
  return ids.first(std::min(ids.size(), count));
}

void put(std::span<const std::int32_t> more, std::vector<std::int32_t>& ids) {
  ids.insert(ids.end(), more.begin(), more.end());
}

std::int32_t id_of_semicolon(const WordPiece& tokenizer) {
  std::vector<std::int32_t> ids;
  tokenizer.encode(";", ids);
  return ids.empty() ? tokenizer.sep_id() : ids.front();
}

/// Concatenates the parts.
PackedInputs joined(const std::vector<PackedInputs>& parts) {
  PackedInputs whole;
  std::size_t tokens = 0, texts = 0;
  for (const PackedInputs& part : parts) {
    tokens += part.ids.size();
    texts += part.size();
  }
  whole.ids.reserve(tokens);
  whole.segments.reserve(tokens);
  whole.offsets.reserve(texts + 1);
  for (const PackedInputs& part : parts) {
    const auto before = static_cast<std::int64_t>(whole.ids.size());
    const auto soft_before = static_cast<std::int32_t>(whole.soft.size());
    std::ranges::transform(part.ids, std::back_inserter(whole.ids),
                           [&](std::int32_t id) { return id < 0 ? id - soft_before : id; });
    whole.soft.insert(whole.soft.end(), part.soft.begin(), part.soft.end());
    put(part.segments, whole.segments);
    for (std::size_t i = 1; i < part.offsets.size(); ++i) whole.offsets.push_back(before + part.offsets[i]);
    put(part.spans, whole.spans);
  }
  return whole;
}

}  // namespace

TextInputs::TextInputs(const WordPiece& tokenizer, GraphTokens tokens, const TextConfig& config, const Graph& graph)
    : tokens_(std::move(tokens)),
      template_(config.entity, tokenizer),
      max_tokens_(static_cast<std::size_t>(config.max_tokens)),
      own_tokens_(static_cast<std::size_t>(config.own_tokens)),
      relation_tokens_(static_cast<std::size_t>(config.relation_tokens)),
      word_edges_(static_cast<std::size_t>(config.context)),
      soft_edges_(static_cast<std::size_t>(config.soft_neighbours)),
      draws_(word_edges_ + soft_edges_ > 0 ? static_cast<std::uint32_t>(config.draws) : 1),
      first_clause_(config.first_clause),
      form_(tokenizer.form()),
      semicolon_(id_of_semicolon(tokenizer)) {
  if (word_edges_ + soft_edges_ > 0) {
    context_ =
        std::make_shared<const EntityContext>(graph, std::max(word_edges_, soft_edges_), config.hidden_edges);
  }
  if (config.neighbours > 0) {
    neighbours_ = std::make_shared<const NeighbourNames>(graph, static_cast<std::size_t>(config.neighbours),
                                                         static_cast<std::size_t>(config.neighbours_below));
  }
}

std::size_t TextInputs::longest_text() const { return max_tokens_ + soft_edges_ + form_.separators + kRelationTokens; }

std::size_t TextInputs::longest_triple() const {
  return 2 * (max_tokens_ - form_.special_tokens(1)) + kRelationTokens + form_.special_tokens(3);
}

void TextInputs::append_context(std::span<const Edge> edges, std::size_t limit, std::vector<std::int32_t>& ids) const {
  for (const Edge& edge : edges) {
    if (ids.size() >= limit) return;
    ids.push_back(semicolon_);
    const auto words = tokens_.relations.row(static_cast<std::size_t>(edge.relation));
    put(words.last(std::min(words.size(), relation_tokens_)), ids);
    put(at_most(tokens_.names.row(static_cast<std::size_t>(edge.neighbour)), kNeighbourTokens), ids);
  }
}

void TextInputs::append_soft(std::span<const Edge> edges, PackedInputs& inputs) const {
  const SoftKeys keys{static_cast<std::int64_t>(entities())};
  for (const Edge& edge : edges) {
    inputs.soft.push_back(keys.of(edge.relation, edge.neighbour));
    inputs.ids.push_back(static_cast<std::int32_t>(-std::ssize(inputs.soft)));
  }
}

std::span<const std::int32_t> TextInputs::read_of(std::span<const std::int32_t> description) const {
  if (!first_clause_) return description;
  const auto end = std::find(description.begin(), description.end(), semicolon_);
  return description.first(static_cast<std::size_t>(end - description.begin()));
}

std::vector<std::int32_t> TextInputs::described(EntityId entity, std::span<const std::int32_t> description,
                                                const TextRequest& request) const {
  std::vector<std::int32_t> words(description.begin(), description.end());
  for (const EntityId neighbour : neighbours_->of(entity)) {
    if (neighbour == request.unnamed) continue;
    put(at_most(tokens_.names.row(static_cast<std::size_t>(neighbour)), kNeighbourTokens), words);
  }
  return words;
}

template <class Choose>
void TextInputs::append_words(std::span<const std::int32_t> name, std::span<const std::int32_t> description,
                              const Choose& choose, PackedInputs& inputs) const {
  const std::size_t begin = inputs.ids.size();
  const std::size_t limit = begin + max_tokens_ - form_.special_tokens(1);
  template_.append(name, description, inputs.ids);
  if (word_edges_ > 0) inputs.ids.resize(std::min(inputs.ids.size(), begin + own_tokens_));
  inputs.ids.resize(std::min(inputs.ids.size(), limit));
  if (!context_) return;
  const std::span<const Edge> edges = choose();
  append_context(edges.first(std::min(edges.size(), word_edges_)), limit, inputs.ids);
  inputs.ids.resize(std::min(inputs.ids.size(), limit));
  append_soft(edges.first(std::min(edges.size(), soft_edges_)), inputs);
}

void TextInputs::append_entity(EntityId entity, const TextRequest& request, Rng* rng, std::vector<Edge>& scratch,
                               PackedInputs& inputs) const {
  const auto row = static_cast<std::size_t>(entity);
  const auto choose = [&]() -> std::span<const Edge> {
    if (request.own_words) return {};
    if (rng == nullptr) context_->choose(entity, request.draw, scratch);
    if (rng != nullptr) context_->choose(entity, request.left_out, *rng, scratch);
    return scratch;
  };
  const auto description = read_of(tokens_.descriptions.row(row));
  if (neighbours_) return append_words(tokens_.names.row(row), described(entity, description, request), choose, inputs);
  append_words(tokens_.names.row(row), description, choose, inputs);
}

void TextInputs::append_relation(RelationId relation, bool is_query, PackedInputs& inputs) const {
  const auto words = tokens_.relations.row(static_cast<std::size_t>(relation));
  put(at_most(words, is_query ? kRelationTokens : max_tokens_ - form_.special_tokens(1)), inputs.ids);
}

void TextInputs::append(const TextRequest& request, Rng* rng, std::vector<Edge>& scratch, PackedInputs& inputs) const {
  SequenceWriter sequence(form_, inputs.ids, inputs.segments);
  const bool entity = request.entity >= 0, relation = request.relation >= 0, triple = request.tail >= 0;
  const auto mark = [&] {
    const auto begin = static_cast<std::size_t>(inputs.offsets.back());
    if (triple) inputs.spans.push_back(static_cast<std::int32_t>(inputs.ids.size() - begin));
  };
  const auto append_text = [&](const auto& append_words) {
    sequence.begin_text();
    mark();
    append_words();
    mark();
  };
  if (entity) append_text([&] { append_entity(request.entity, request, rng, scratch, inputs); });
  if (relation) append_text([&] { append_relation(request.relation, /*is_query=*/entity, inputs); });
  if (triple) append_text([&] { append_entity(request.tail, request, rng, scratch, inputs); });
  sequence.finish();
  inputs.offsets.push_back(static_cast<std::int64_t>(inputs.ids.size()));
}

PackedInputs TextInputs::for_new(std::span<const NewText> texts) const {
  PackedInputs inputs;
  std::vector<Edge> scratch;
  for (const NewText& text : texts) {
    SequenceWriter sequence(form_, inputs.ids, inputs.segments);
    sequence.begin_text();
    const auto choose = [&]() -> std::span<const Edge> {
      context_->choose(text.edges, text.draw, scratch);
      return scratch;
    };
    append_words(text.name, read_of(text.description), choose, inputs);
    if (text.relation >= 0) {
      sequence.begin_text();
      append_relation(text.relation, /*is_query=*/true, inputs);
    }
    sequence.finish();
    inputs.offsets.push_back(static_cast<std::int64_t>(inputs.ids.size()));
  }
  return inputs;
}

PackedInputs TextInputs::put_together(std::span<const TextRequest> requests, std::optional<std::uint64_t> seed) const {
  std::vector<PackedInputs> parts((requests.size() + kTextsPerPart - 1) / kTextsPerPart);
  parallel_for(requests.size(), kTextsPerPart, [&](std::size_t begin, std::size_t end) {
    const std::size_t number = begin / kTextsPerPart;
    std::vector<Edge> scratch;
    Rng rng(seed.value_or(0), "texts", number);
    for (std::size_t i = begin; i < end; ++i) append(requests[i], seed ? &rng : nullptr, scratch, parts[number]);
  });
  return joined(parts);
}

PackedInputs TextInputs::all_entities(std::uint32_t draw) const {
  std::vector<TextRequest> requests;
  requests.reserve(entities());
  for (std::size_t e = 0; e < entities(); ++e)
    requests.push_back(TextRequest::of_entity(static_cast<EntityId>(e), draw));
  return put_together(requests, std::nullopt);
}

PackedInputs TextInputs::own_words() const {
  std::vector<TextRequest> requests;
  requests.reserve(entities());
  for (std::size_t e = 0; e < entities(); ++e) requests.push_back(TextRequest::of_own_words(static_cast<EntityId>(e)));
  return put_together(requests, std::nullopt);
}

PackedInputs TextInputs::all_relations() const {
  std::vector<TextRequest> requests;
  requests.reserve(directed_relations());
  for (std::size_t r = 0; r < directed_relations(); ++r) {
    requests.push_back(TextRequest::of_relation(static_cast<RelationId>(r)));
  }
  return put_together(requests, std::nullopt);
}

}  // namespace hasa
