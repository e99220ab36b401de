#include "hasa/families/run_texts.h"

#include "hasa/base/error.h"
#include "hasa/model/grown_texts.h"

namespace hasa {
namespace {

bool keeps_texts(const Run& run) { return std::filesystem::exists(run / Run::kTexts); }

/// Of which graph they are: as they say themselves, since a run may have been stopped while it moved to a grown one.
std::uint64_t graph_of(const TextEmbeddings& texts, const Run& run) { return texts.graph().value_or(run.graph_hash()); }

TextEmbeddings embed(const TextsOf& wanted, const std::optional<EarlierTexts>& earlier) {
  return embed_texts(wanted.graph, wanted.graph_folder, wanted.text, wanted.language_model, wanted.device, earlier);
}

}  // namespace

TextEmbeddings run_texts(const Run& run) {
  try {
    return TextEmbeddings::load(run / Run::kTexts);
  } catch (const Error& error) {
    fail(error.kind(), "{}\ndelete it, and hasa train --resume recreates it", error.what());
  }
}

TextEmbeddings texts_of_run(const TextsOf& wanted, const Run& run) {
  TextEmbeddings texts = run_texts(run);
  const std::uint64_t of = graph_of(texts, run), graph = wanted.graph.content_hash();
  if (of == graph) return texts;
  const std::optional<Growth> growth = wanted.graph.growth_since(of);
  HASA_CHECK(growth.has_value(), data,
             "{} is of another graph ({:016x}, this is {:016x})\ndelete it, and hasa train --resume recreates it",
             (run / Run::kTexts).string(), of, graph);
  const TextsToRead asked = TextsToRead::of(wanted.graph, *growth);
  if (!asked.empty()) return embed(wanted, EarlierTexts{texts, of});
  texts.set_graph(graph);
  return texts;
}

TextEmbeddings texts_to_train_on(const TextsOf& wanted, const Run* run) {
  return run != nullptr && keeps_texts(*run) ? texts_of_run(wanted, *run) : embed(wanted, std::nullopt);
}

void keep_texts(const TextsOf& wanted, const Run& run) {
  if (keeps_texts(run) && graph_of(run_texts(run), run) == wanted.graph.content_hash()) return;
  const TextEmbeddings texts = texts_to_train_on(wanted, &run);
  run.put(Run::kHere, [&](const std::filesystem::path& folder) { texts.save(folder / Run::kTexts); });
}

}  // namespace hasa
