#pragma once

// A small graph with words and a tiny language model, for tests of families that read triples; never included by the
// library.

#include <ATen/Context.h>

#include <filesystem>

#include "hasa/families/cross/triple_model.h"
#include "hasa/families/runs_for_tests.h"
#include "hasa/families/text/tiny_bert_for_tests.h"
#include "hasa/kg/read_triples.h"
#include "hasa/model/read_texts.h"

namespace hasa::testing {

/// Six entities, two relations, texts of various lengths.
inline Graph graph_of_words() {
  ReadTriplesOptions options;
  options.split = {.valid = 0, .test = 0};
  return parse_triples(
      {"t.tsv", "a\tr0\tb\nb\tr0\tc\nc\tr1\td\nd\tr1\te\ne\tr0\tf\nf\tr1\ta\n"},
      NamedText{"x.tsv", "a\tdog\ta pet\nb\tcat\t\nc\tox\tbig and slow\nd\tbee\tit hums\ne\telk\t\nf\tant\tsmall\n"},
      options, NamedText{"r.tsv", "r0\tkind of\nr1\teats\n"});
}

/// What reads that graph's triples, from a folder of its own; a fixture derives from it.
class TriplesOfWords {
 protected:
  explicit TriplesOfWords(std::filesystem::path dir) : dir_(std::move(dir)) {
    write_tiny_bert(dir_ / "bert");
    graph_.save(dir_ / "graph");
    text_.max_tokens = 24;
  }
  LanguageModel language_model() const { return LanguageModel::open((dir_ / "bert").string()); }
  TextInputs inputs() const { return triple_inputs(graph_, dir_ / "graph", text_, language_model()); }
  TunedEncoder encoder(double dropout = 0) const {
    TuningConfig tuning;
    tuning.dropout = dropout;
    return open_tuned_encoder(tuning, {}, dir_ / "bert", torch::kCPU);
  }
  /// The triple by itself.
  static PackedTokens read(const TextInputs& texts, const Triple& triple) {
    const TextRequest request = TextRequest::of_triple(triple);
    const PackedInputs inputs = texts.for_evaluation({&request, 1});
    return pack(rows_of(inputs));
  }

  OneQuietThread quiet_;
  std::filesystem::path dir_;
  Graph graph_ = graph_of_words();
  TextConfig text_;
};

}  // namespace hasa::testing
