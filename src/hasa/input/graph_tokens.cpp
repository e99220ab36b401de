#include "hasa/input/graph_tokens.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/base/file_lock.h"
#include "hasa/base/log.h"

namespace hasa {
namespace {

constexpr std::size_t kMostPieces = 512;  // of one text: as many as any model here reads

TokenPieces build_names(const Graph& graph, const WordPiece& tokenizer) {
  const auto text = [&](std::size_t row, std::string&) { return graph.entity_name(static_cast<EntityId>(row)); };
  return TokenPieces::build(tokenizer, static_cast<std::size_t>(graph.entities()), text, kMostPieces,
                            graph.content_hash());
}

TokenPieces build_descriptions(const Graph& graph, const WordPiece& tokenizer) {
  const auto text = [&](std::size_t row, std::string&) { return graph.entity_description(static_cast<EntityId>(row)); };
  return TokenPieces::build(tokenizer, static_cast<std::size_t>(graph.entities()), text, kMostPieces,
                            graph.content_hash());
}

TokenPieces build_relations(const Graph& graph, const WordPiece& tokenizer) {
  const auto text = [&](std::size_t row, std::string& storage) -> std::string_view {
    return storage = graph.relation_text(static_cast<RelationId>(row));
  };
  return TokenPieces::build(tokenizer, static_cast<std::size_t>(graph.num_directed_relations()), text, kMostPieces,
                            graph.content_hash());
}

/// The pieces in the file, if they match what build() would give.
std::optional<TokenPieces> open_kept(const std::filesystem::path& file, const PiecesStamp& wanted) {
  if (!std::filesystem::exists(file)) return std::nullopt;
  try {
    TokenPieces pieces = TokenPieces::open(file);
    if (pieces.stamp() == wanted) return pieces;
  } catch (const Error& error) {
    log_warning("{}\nthe texts are tokenised again", error.what());
  }
  return std::nullopt;
}

/// The cached pieces, or those of build(), which are then cached.
template <class Build>
TokenPieces open_or_build(const std::filesystem::path& file, const Graph& graph, const WordPiece& tokenizer,
                          const Build& build) {
  const PiecesStamp wanted = PiecesStamp::of(tokenizer, kMostPieces, graph.content_hash());
  if (auto kept = open_kept(file, wanted)) return *std::move(kept);
  const FileLock lock(std::filesystem::path(file).replace_extension("lock"));
  if (lock.waited()) {
    if (auto kept = open_kept(file, wanted)) return *std::move(kept);
  }
  TokenPieces pieces = build(graph, tokenizer);
  try {
    pieces.save(file);
  } catch (const Error& error) {
    log_debug("tokens cannot be cached: {}", error.what());
  }
  return pieces;
}

}  // namespace

GraphTokens GraphTokens::build(const Graph& graph, const WordPiece& tokenizer) {
  return {build_names(graph, tokenizer), build_descriptions(graph, tokenizer), build_relations(graph, tokenizer)};
}

GraphTokens GraphTokens::cached(const Graph& graph, const WordPiece& tokenizer, const std::filesystem::path& folder) {
  const auto file = [&](const char* part) {
    return folder / fmt::format("tokens-{:016x}-{}.bin", tokenizer.fingerprint(), part);
  };
  return {open_or_build(file("names"), graph, tokenizer, build_names),
          open_or_build(file("descriptions"), graph, tokenizer, build_descriptions),
          open_or_build(file("relations"), graph, tokenizer, build_relations)};
}

}  // namespace hasa
