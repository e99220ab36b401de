#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "hasa/text/word_piece.h"

namespace hasa {
namespace {

// HASA_MINILM is a Hugging Face folder; without it there is nothing to time.
const WordPiece* tokenizer() {
  static const char* const folder = std::getenv("HASA_MINILM");
  static const WordPiece* const loaded = folder == nullptr ? nullptr : new WordPiece(WordPiece::load(folder));
  return loaded;
}

void encode(benchmark::State& state, const std::string& text) {
  if (tokenizer() == nullptr) {
    state.SkipWithError("HASA_MINILM is not set to a model folder");
    return;
  }
  std::vector<std::int32_t> ids;
  for (auto _ : state) {
    ids.clear();
    tokenizer()->encode(text, ids, kNoLimit, SpecialTokens::recognised);
    benchmark::DoNotOptimize(ids.data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.counters["ids/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * ids.size()), benchmark::Counter::kIsRate);
}

void english(benchmark::State& state) {
  encode(state,
         "Denton: Denton is a city in the U.S. state of Texas and the county seat of Denton County, named "
         "after John B. Denton; its unincorporated neighbours are comparatively unremarkable.");
}
void french(benchmark::State& state) {
  encode(state,
         "Crème brûlée : dessert composé de jaunes d'œufs, de sucre, de crème et de vanille, caramélisé à "
         "l'extérieur et servi tiède — très apprécié à Noël.");
}
void chinese(benchmark::State& state) {
  encode(state, "知识图谱是一种用图模型来描述知识和建模世界万物之间关联关系的大规模语义网络。");
}
void load_vocabulary(benchmark::State& state) {
  if (tokenizer() == nullptr) return state.SkipWithError("HASA_MINILM is not set to a model folder");
  for (auto _ : state) benchmark::DoNotOptimize(WordPiece::load(std::getenv("HASA_MINILM")).vocab_size());
}

BENCHMARK(english);
BENCHMARK(french);
BENCHMARK(chinese);
BENCHMARK(load_vocabulary)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace hasa
