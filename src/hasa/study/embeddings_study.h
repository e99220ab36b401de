#pragma once

#include <string>
#include <vector>

#include "hasa/study/study.h"
#include "hasa/study/study_recipe.h"
#include "hasa/study/tail_map.h"

namespace hasa {

/// Where the answers of a query and other entities lie among a model's embeddings.
struct EmbeddingsStudyConfig {
  StudyRecipe recipe;
  std::string run;
  std::vector<std::string> queries;
  std::int64_t negatives = 150, most = 600;
  TsneConfig tsne;

  static EmbeddingsStudyConfig of(StudySize size);

  template <class Visitor>
  static void fields(Visitor& field) {
    using C = EmbeddingsStudyConfig;
    field("recipe", &C::recipe, "the training whose embeddings are drawn");
    field("run", &C::run, "a run that is there already, to be drawn in place of one of the recipe's, with its graph");
    field(
        "queries", &C::queries,
        "what is drawn, each as ENTITY | RELATION, by id or by a name without a comma; none: the paper's two of WN18RR "
        "and of FB15k-237, and of other graphs the four with most known answers");
    field("negatives", &C::negatives, "entities beside a query's answers, or as many as those where they are more",
          Range{2, 10000});
    field("most", &C::most, "answers that are drawn of a query that has more, and others likewise", Range{2, 10000});
    field("tsne", &C::tsne, "how they are brought to the plane");
  }
};

/// Maps of one graph's queries.
struct GraphMaps {
  std::string graph, model;
  std::vector<TailMap> maps;
};

StudyResult embeddings_result(const std::vector<GraphMaps>& graphs);

/// A page that needs nothing else: the maps, on which names are read by pointing and found by typing.
std::string embeddings_page(const std::vector<GraphMaps>& graphs);

Study embeddings_study();

}  // namespace hasa
