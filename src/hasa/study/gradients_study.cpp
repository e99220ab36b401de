#include "hasa/study/gradients_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "hasa/base/error.h"
#include "hasa/base/rng.h"
#include "hasa/job/trained_run.h"
#include "hasa/kg/known_answers.h"
#include "hasa/model/scorer.h"
#include "hasa/page/number.h"
#include "hasa/study/hold_out.h"

namespace hasa {
namespace {

using GradientJson = nlohmann::ordered_json;

constexpr double kStep = 1e-3;
constexpr double kOpposite = -1 + 1e-6;  // of double precision
constexpr double kHolds = 1e-6;          // likewise

double cosine_of(const torch::Tensor& a, const torch::Tensor& b) {
  const double lengths = a.norm().item<double>() * b.norm().item<double>();
  return lengths > 0 ? a.dot(b).item<double>() / lengths : 0;
}

/// Some training queries, directed, each with its answer, that also have an answer which was held out.
struct Asked {
  Triple triple;
  EntityId missing;
};
std::vector<Asked> queries_with_missing_answers(const Graph& retained, std::int64_t count, std::uint64_t seed) {
  const KnownAnswers missing(retained, std::vector{Split::test});
  std::vector<Triple> triples = with_inverses(retained.triples(Split::train), retained.relations());
  Rng(seed, "queries").shuffle(triples);
  std::vector<Asked> asked;
  for (const Triple& triple : triples) {
    if (std::ssize(asked) == count) break;
    const auto tails = missing.tails(triple.head, triple.relation);
    if (!tails.empty()) asked.push_back({triple, tails.front()});
  }
  return asked;
}

FalseNegativeGradient gradient_among_all(const VectorScorer& scorer, const KnownAnswers& known, const Asked& asked) {
  const Query query{asked.triple.head, asked.triple.relation};
  std::vector<std::int64_t> rows{asked.triple.tail, asked.missing};
  const auto answers = known.tails(query.given, query.relation);
  for (EntityId entity = 0; entity < static_cast<EntityId>(scorer.num_entities()); ++entity) {
    if (entity != asked.missing && !std::ranges::binary_search(answers, entity)) rows.push_back(entity);
  }
  const torch::Tensor places = torch::tensor(rows, torch::kInt64).to(scorer.device());
  return gradient_of(scorer.query_vectors({&query, 1})[0], scorer.entities().index_select(0, places), 0, 1);
}

GradientJson gradients_of_run(const GradientsConfig& config, const StudyContext& context, const HeldOutRun& run) {
  const TrainedRun opened = open_trained(Run::open(run.folder), run.graph.folder.string(), context.settings().device);
  const auto* vectors = dynamic_cast<const VectorScorer*>(opened.scorer.get());
  HASA_CHECK(vectors != nullptr, config, "recipe: the run has no vector for each entity");
  const KnownAnswers known = KnownAnswers::of_training(*opened.graph);
  GradientJson rows = GradientJson::array();
  for (const Asked& asked : queries_with_missing_answers(*opened.graph, config.queries, /*seed=*/1)) {
    context.stop_if_asked();
    const FalseNegativeGradient found = gradient_among_all(*vectors, known, asked);
    rows.push_back({found.cosine, found.score_change, found.printed_error, found.sum_error});
  }
  return rows;
}

StudyResult run_gradients(const GradientsConfig& config, StudyContext& context) {
  std::vector<GraphGradients> graphs;
  for (const StudyGraph& graph : context.graphs()) {
    const HeldOutRun run = train_held_out(context, graph, config.recipe, config.held_out, /*seed=*/1);
    const GradientJson rows = context.piece(graph.name, {{"run", run.stamp}, {"queries", config.queries}},
                                            [&] { return gradients_of_run(config, context, run); });
    GraphGradients found{graph.name, {}};
    for (const GradientJson& row : rows)
      found.queries.push_back(
          {row.at(0).get<double>(), row.at(1).get<double>(), row.at(2).get<double>(), row.at(3).get<double>()});
    graphs.push_back(std::move(found));
  }
  return gradients_result(graphs);
}

using OfGradient = double FalseNegativeGradient::*;

double greatest(const GraphGradients& found, OfGradient value) {
  return (*std::ranges::max_element(found.queries, {}, value)).*value;
}

double mean_of_queries(const GraphGradients& found, OfGradient value) {
  double sum = 0;
  for (const FalseNegativeGradient& each : found.queries) sum += each.*value;
  return sum / static_cast<double>(found.queries.size());
}

}  // namespace

GradientsConfig GradientsConfig::of(StudySize size) {
  GradientsConfig config;
  if (size == StudySize::tiny) config.queries = 10;
  config.recipe = hold_out_recipe(size);
  return config;
}

FalseNegativeGradient gradient_of(const torch::Tensor& query, const torch::Tensor& candidates, std::int64_t answer,
                                  std::int64_t false_negative) {
  const torch::Tensor q = query.detach().to(torch::kFloat64);
  const torch::Tensor e = candidates.detach().to(torch::kFloat64).clone().set_requires_grad(true);
  const torch::Tensor loss = -torch::log_softmax(torch::mv(e, q), 0)[answer];
  loss.backward();
  const torch::Tensor of_answer = e.grad()[answer], of_false = e.grad()[false_negative];
  const torch::Tensor of_negatives = e.grad().sum(0) - of_answer;
  return {.cosine = cosine_of(of_false, of_answer),
          .score_change = -kStep * of_false.dot(q).item<double>(),
          .printed_error = ((of_false - of_answer - q).norm() / q.norm()).item<double>(),
          .sum_error = ((of_negatives + of_answer).norm() / of_answer.norm()).item<double>()};
}

Verdict judge_gradients(const GraphGradients& found) {
  HASA_CHECK(!found.queries.empty(), data, "{}: no query has an answer that was held out", found.graph);
  const auto count = [&](const auto& holds) { return std::ranges::count_if(found.queries, holds); };
  const auto all = std::ssize(found.queries);
  const auto opposite = count([](const auto& each) { return each.cosine <= kOpposite; });
  const auto pushed = count([](const auto& each) { return each.score_change < 0; });
  const auto printed = count([](const auto& each) { return each.printed_error <= kHolds; });
  const Agreement agreement = opposite == all && pushed == all ? Agreement::agrees
                              : opposite == 0 || pushed == 0   ? Agreement::disagrees
                                                               : Agreement::mixed;
  return {
      19, agreement,
      fmt::format("On {}, the gradient in a false negative's embedding is opposite to the answer's for {} of {} "
                  "queries (cosine at most {:.6f}), and a step along it lowers the false negative's score for {}. "
                  "The equation of the proof, that the two gradients differ by the query's embedding, holds for {}: "
                  "it is off by {:.2g} of that embedding's length on average. That all negatives' gradients "
                  "add up to the answer's with the other sign is off by at most {:.1e}.",
                  found.graph, opposite, all, greatest(found, &FalseNegativeGradient::cosine), pushed, printed,
                  mean_of_queries(found, &FalseNegativeGradient::printed_error),
                  greatest(found, &FalseNegativeGradient::sum_error))};
}

StudyResult gradients_result(const std::vector<GraphGradients>& graphs) {
  StudyResult result{.title = "What a false negative's gradient does",
                     .summary =
                         "Queries of a run that 30% of the training triples were held out from, each with a "
                         "held-out answer among its negatives; gradients of Simple InfoNCE over all entities, in "
                         "double precision.",
                     .verdicts = {},
                     .figures = {},
                     .tables = {},
                     .files = {}};
  std::vector<std::vector<std::string>> lines;
  for (const GraphGradients& found : graphs) {
    result.verdicts.push_back(judge_gradients(found));
    XyChart chart{
        .text = {"gradients-" + found.graph, "Where the printed equation is off: " + found.graph,
                 "For each query how far the equation of the proof is off, by how much a step lowers the false "
                 "negative's score"},
        .x = {.label = "fall of the false negative's score in a small step", .logarithmic = true},
        .y = {.label = "error of the printed equation", .low = 0},
        .series = {{"queries", {}}},
        .levels = {{"where it holds:", 0}},
        .joined = false};
    for (const FalseNegativeGradient& each : found.queries) {
      chart.series[0].points.push_back({-each.score_change, each.printed_error});
      lines.push_back({found.graph, fmt::format("{:.9g}", each.cosine), fmt::format("{:.6g}", each.score_change),
                       fmt::format("{:.6g}", each.printed_error), fmt::format("{:.3g}", each.sum_error)});
    }
    PageTable numbers{"Gradients on " + found.graph, {{"", false}, {"mean", true}, {"greatest", true}}, {}};
    const auto add = [&](const char* name, OfGradient value) {
      const double mean = mean_of_queries(found, value), most = greatest(found, value);
      numbers.rows.push_back({{{name}, {fmt::format("{:.3g}", mean), mean}, {fmt::format("{:.3g}", most), most}}});
    };
    add("cosine of the two gradients", &FalseNegativeGradient::cosine);
    add("change of the false negative's score", &FalseNegativeGradient::score_change);
    add("error of the printed equation", &FalseNegativeGradient::printed_error);
    add("error of the sum of all gradients", &FalseNegativeGradient::sum_error);
    result.figures.push_back({std::move(chart), "each sign is a query, of one run", std::move(numbers)});
  }
  result.files.push_back(
      {"gradients.csv", to_csv({"graph", "cosine", "score_change", "printed_error", "sum_error"}, lines)});
  return result;
}

Study gradients_study() {
  return make_study<GradientsConfig>("gradients", "what a false negative's gradient does (the paper's Remark 1)",
                                     run_gradients);
}

}  // namespace hasa
