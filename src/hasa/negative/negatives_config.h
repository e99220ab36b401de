#pragma once

#include <cstdint>

#include "hasa/base/config.h"

namespace hasa {

/// How the bank of embeddings for mining is refreshed.
enum class BankRefresh { whole, overwrite };
inline EnumNames<BankRefresh> names_of(BankRefresh) {
  return {{BankRefresh::whole, "whole"}, {BankRefresh::overwrite, "overwrite"}};
}

/// Which candidates are excluded from a query's negatives.
enum class KeptOut { known, answer };
inline EnumNames<KeptOut> names_of(KeptOut) { return {{KeptOut::known, "known"}, {KeptOut::answer, "answer"}}; }

/// What draws the entities around a head that loss hasa reads (near_sampler.h).
enum class NearMeasure { paths, common_neighbours, adamic_adar, page_rank };
inline EnumNames<NearMeasure> names_of(NearMeasure) {
  return {{NearMeasure::paths, "paths"},
          {NearMeasure::common_neighbours, "common_neighbours"},
          {NearMeasure::adamic_adar, "adamic_adar"},
          {NearMeasure::page_rank, "page_rank"}};
}

/// What a step's answers are told from, beside the batch's tails.
struct NegativesConfig {
  double heads = 1;
  std::int64_t hard = 0;
  std::int64_t random = 0;
  std::int64_t neighbours = 3;
  NearMeasure near = NearMeasure::paths;
  KeptOut kept_out = KeptOut::known;
  bool multiset = false;
  BankRefresh refresh = BankRefresh::whole;
  std::int64_t refresh_steps = 100;

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = NegativesConfig;
    field("heads", &C::heads, "fraction of the batch's heads that are candidates too", Range{0, 1});
    field("hard", &C::hard, "hard negatives mined per triple: the highest-scoring entities that are not known answers",
          Range{0, 1000});
    field("random", &C::random, "candidates drawn at random for each triple", Range{0, 1000});
    field("neighbours", &C::neighbours, "samples from within two steps of the head for each triple, read by loss hasa",
          Range{1, 1000});
    near_field(field);
    field("kept_out", &C::kept_out,
          "what is excluded from a query's negatives: all its known training answers, or only the triple's own tail, "
          "as in the paper's listing");
    field("multiset", &C::multiset, "duplicate candidates count repeatedly, as in the paper; otherwise once");
    field("refresh", &C::refresh,
          "the bank of embeddings for mining: refreshed as a whole every refresh_steps, or encoded once and then "
          "overwritten by each batch's embeddings, as the paper's program does");
    field("refresh_steps", &C::refresh_steps, "steps between two refreshes of the whole bank", Range{1, 1000000});
  }

 protected:
  template <class Visitor>
  static void near_field(Visitor& field) {
    field("near", &NegativesConfig::near,
          "how those samples are drawn: uniformly, in proportion to the neighbours shared with the head, to these "
          "weighed as by Adamic and Adar, or to PageRank personalised to the head; the last three are not the paper's");
  }
};

/// For families in which every entity is already a candidate.
struct NeighboursConfig : NegativesConfig {
  template <class Visitor>
  static void fields(Visitor& field) {
    field("neighbours", &NegativesConfig::neighbours,
          "samples from within two steps of the head for each triple, read by loss hasa", Range{1, 1000});
    near_field(field);
  }
};

}  // namespace hasa
