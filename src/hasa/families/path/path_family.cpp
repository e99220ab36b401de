#include "hasa/families/path/path_family.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include "hasa/base/error.h"
#include "hasa/families/grown_weights.h"
#include "hasa/families/opening_bytes.h"
#include "hasa/families/path/path_learner.h"
#include "hasa/families/path/path_scorer.h"
#include "hasa/families/text_facts.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {

void check(const PathFamily& config, const torch::Device&) {
  const std::int64_t dim = config.model.dim;
  HASA_CHECK((dim & (dim - 1)) == 0, config, "model.dim is {}, but a path model's dimension is 8, 16, 32, 64 or 128",
             dim);
  const PathTrainingConfig& paths = config.paths;
  HASA_CHECK(
      paths.hide == PathHiding::batch || paths.negatives > 0, config,
      "paths.hide=pair hides the edges to every negative, and with paths.negatives=0 every entity is a negative\nset "
      "paths.negatives=32, for example, or paths.hide=batch");
  HASA_CHECK(paths.temperature == 1 || paths.loss == PathLoss::self_adversarial, config,
             "paths.temperature only applies to paths.loss=self_adversarial\nremove it, or set that loss");
}

std::unique_ptr<Learner> make_learner(const PathFamily& config, const TrainContext& context) {
  HASA_CHECK(!context.graph.triples(Split::train).empty(), data,
             "a path model learns from training triples, and the graph has none");
  at::manual_seed(context.seed);
  return std::make_unique<PathLearner>(config, context);
}

std::unique_ptr<Scorer> open_scorer(const PathFamily& config, const OpenContext& context) {
  const PathModel model(config.model, context.graph.relations(), context.device);
  load_grown(model.parameters(), load_tensors(context.run / Run::kBest), context.run);
  return std::make_unique<PathScorer>(model, training_paths(context.graph).to(context.device));
}

ModelFacts facts(const PathFamily& config) {
  const PathModelConfig& model = config.model;
  return {.name = fmt::format("messages along paths of up to {} edges, dimension {} ({}{})", model.layers, model.dim,
                              model.aggregation == Aggregation::pna ? "PNA" : "sum",
                              model.dependent ? ", relations dependent on the query" : ""),
          .language_model = "none",
          .text_template = kNoText,
          .context = config.paths.hide == PathHiding::pair
                         ? "paths; in training without any edge between a query's entity and its answers or negatives"
                         : "paths; in training without the batch's own triples, in both directions and all copies",
          .training_graph = "all training edges, no valid or test edges",
          .score = "an MLP of the messages that reached the entity"};
}

std::int64_t opening_bytes(const PathFamily& config, const Run& run, const Graph& graph) {
  // The edges and what is sorted for them, and the workspace of a block of queries.
  const std::int64_t edges = 2 * std::ssize(graph.triples(Split::train)) * 120;
  return bytes_of_vectors(run, graph, config.model.dim) + edges + (std::int64_t{512} << 20);
}

}  // namespace hasa
