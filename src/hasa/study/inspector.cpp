#include "hasa/study/inspector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "hasa/base/error.h"
#include "hasa/base/progress.h"
#include "hasa/base/rng.h"
#include "hasa/eval/ranking.h"
#include "hasa/job/trained_run.h"
#include "hasa/page/number.h"
#include "hasa/page/page.h"

namespace hasa {
namespace {

using InspectorJson = nlohmann::ordered_json;

/// Entities within two steps, the head left out, by rising id.
std::vector<EntityId> near_entities(const Neighbours& graph, EntityId head) {
  std::vector<EntityId> near(graph.of(head).begin(), graph.of(head).end());
  for (const EntityId n : graph.of(head)) near.insert(near.end(), graph.of(n).begin(), graph.of(n).end());
  std::ranges::sort(near);
  near.erase(std::ranges::unique(near).begin(), near.end());
  std::erase(near, head);
  return near;
}

bool is_among(std::span<const EntityId> sorted, EntityId entity) { return std::ranges::binary_search(sorted, entity); }

/// Training queries, each once and drawn at random.
std::vector<Triple> draw_queries(const Graph& graph, std::int64_t count, std::uint64_t seed) {
  std::vector<Triple> queries = with_inverses(graph.triples(Split::train), graph.relations());
  const auto as_query = [](const Triple& triple) { return std::pair(triple.head, triple.relation); };
  std::ranges::sort(queries);
  queries.erase(std::ranges::unique(queries, {}, as_query).begin(), queries.end());
  Rng(seed, "inspected").shuffle(queries);
  if (std::ssize(queries) > count) queries.resize(static_cast<std::size_t>(count));
  return queries;
}

InspectorJson to_json(const InspectedQuery& query) {
  InspectorJson discounted = InspectorJson::array();
  for (const DiscountedNegative& each : query.discounted)
    discounted.push_back({each.head, each.relation, each.tail, each.distance, each.weight, each.is_true});
  return {{"discounted", discounted},
          {"known_weight", query.known_weight},
          {"hardest_true", query.hardest_true},
          {"random_true", query.random_true},
          {"random_near_true", query.random_near_true}};
}

InspectedQuery inspected_query_in(const InspectorJson& json) {
  InspectedQuery query{.discounted = {},
                       .known_weight = json.at("known_weight"),
                       .hardest_true = json.at("hardest_true"),
                       .random_true = json.at("random_true"),
                       .random_near_true = json.at("random_near_true")};
  for (const InspectorJson& each : json.at("discounted"))
    query.discounted.push_back({each.at(0), each.at(1), each.at(2), each.at(3), each.at(4), each.at(5)});
  return query;
}

double beta_of(const RunConfig& config) {
  return std::visit(
      [](const auto& family) -> double {
        if constexpr (requires { family.loss.kind == ContrastiveKind::hasa; }) {
          if (family.loss.kind == ContrastiveKind::hasa && family.loss.tau > 0) return family.loss.beta;
        }
        fail(ErrorKind::config, "recipe: only a run with loss.kind=hasa and loss.tau above 0 discounts negatives");
      },
      config.family);
}

InspectorJson inspect_run(const Run& run, const StudyGraph& where, const InspectorConfig& config,
                          const StudyContext& context) {
  const TrainedRun opened = open_trained(run, where.folder.string(), context.settings().device);
  const Graph& graph = *opened.graph;
  const Neighbours neighbours{Adjacency(graph)};
  const auto known = KnownAnswers::of_training(graph);
  const KnownAnswers held_back(graph, std::vector{Split::valid, Split::test});
  const std::vector<Triple> queries = draw_queries(graph, config.queries, static_cast<std::uint64_t>(config.seed));
  const double beta = beta_of(config_of(run));
  Progress progress("inspecting", queries.size(), "queries");
  InspectorJson inspected = InspectorJson::array();
  for_each_scored(*opened.scorer, queries, {}, [&](const ScoredQueries& part) {
    const torch::Tensor scores = part.scores.cpu().contiguous();
    const auto entities = static_cast<std::size_t>(scores.size(1));
    for (std::size_t i = 0; i < part.queries.size(); ++i) {
      context.stop_if_asked();
      const float* row = scores.data_ptr<float>() + i * entities;
      inspected.push_back(to_json(inspect(query_of(part.queries[i]), {row, row + entities}, beta, config.depth, neighbours,
                                          known, held_back)));
      progress.advance();
    }
  });
  return inspected;
}

/// A mean with the 95% interval of the normal distribution over queries: of ratios of sums.
struct Precision95 {
  double mean = 0;
  Interval interval;
};

Precision95 precision_of(const std::vector<double>& truths, const std::vector<double>& depths) {
  const double judged = std::accumulate(depths.begin(), depths.end(), 0.0);
  if (judged == 0) return {};
  Precision95 result{std::accumulate(truths.begin(), truths.end(), 0.0) / judged, {}};
  double squares = 0;
  for (std::size_t i = 0; i < truths.size(); ++i) {
    const double residual = truths[i] - result.mean * depths[i];
    squares += residual * residual;
  }
  const double half = 1.96 * std::sqrt(squares) / judged;
  result.interval = {result.mean - half, result.mean + half};
  return result;
}

Precision95 difference_of(const std::vector<double>& a, const std::vector<double>& b, const std::vector<double>& depths) {
  std::vector<double> differences(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  return precision_of(differences, depths);
}

struct NamedPrecision {
  const char* name;
  const std::vector<double>& truths;
};
std::vector<NamedPrecision> ways_of(const InspectorFigures& figures) {
  return {{"discounted by HaSa", figures.discounted},
          {"hardest, near or not", figures.hardest},
          {"random, within two steps", figures.random_near},
          {"random", figures.random}};
}

StudyFigure precision_figure(const std::string& graph, const InspectorFigures& figures) {
  XyChart chart{.text = {"discount-precision-" + graph, "Truths among the discounted: " + graph,
                         "The share of negatives that are true in the validation or test split, for those that HaSa "
                         "discounts most and for three other choices."},
                .x = {.label = "1 discounted, 2 hardest, 3 random near, 4 random", .low = 0.5, .high = 4.5},
                .y = {.label = "true in valid or test, percent", .low = 0},
                .series = {},
                .joined = false};
  PageTable table{.caption = "How many of as many negatives are true in valid or test, on " + graph,
                  .columns = {{"negatives", false}, {"true", true, "share, of all queries together"}, {"interval", false, "95%, over queries"}},
                  .rows = {}};
  double x = 1;
  for (const NamedPrecision& way : ways_of(figures)) {
    const Precision95 p = precision_of(way.truths, figures.depths);
    chart.series.push_back({way.name, {{x++, 100 * p.mean, Interval{100 * p.interval.low, 100 * p.interval.high}}}});
    table.rows.push_back({{{way.name},
                           {fmt::format("{:.3f}%", 100 * p.mean), p.mean},
                           {fmt::format("{:.3f}% to {:.3f}%", 100 * p.interval.low, 100 * p.interval.high)}}});
  }
  return {std::move(chart), "", std::move(table)};
}

std::vector<DiscountedNegative> all_discounted(const std::vector<InspectedQuery>& queries) {
  std::vector<DiscountedNegative> all;
  for (const InspectedQuery& query : queries) all.insert(all.end(), query.discounted.begin(), query.discounted.end());
  std::ranges::stable_sort(all, [](const auto& a, const auto& b) { return a.weight > b.weight; });
  return all;
}

std::string discounted_csv(const std::vector<DiscountedNegative>& all, const Graph& graph) {
  std::vector<std::vector<std::string>> rows;
  for (const DiscountedNegative& each : all)
    rows.push_back({std::string(graph.entity_id(each.head)), graph.relation_text(each.relation),
                    std::string(graph.entity_id(each.tail)), std::string(graph.entity_name(each.head)),
                    std::string(graph.entity_name(each.tail)), std::to_string(each.distance),
                    fmt::format("{:.6g}", each.weight), each.is_true ? "yes" : "no"});
  return to_csv({"head", "relation", "tail", "head_name", "tail_name", "distance", "weight", "true"}, rows);
}

std::string discounted_page(const std::vector<DiscountedNegative>& all, const Graph& graph, std::int64_t shown,
                            const std::string& name) {
  PageTable table{.caption = "Negatives by the weight of their discount",
                  .columns = {{"head", false},
                              {"relation", false},
                              {"negative", false},
                              {"distance", true, "steps from the head in the training graph"},
                              {"weight", true, "share of what HaSa takes off the query's negatives"},
                              {"true", false, "whether the validation or test split has it"}},
                  .rows = {}};
  for (const DiscountedNegative& each : std::span(all).first(std::min(all.size(), static_cast<std::size_t>(shown))))
    table.rows.push_back({{{std::string(graph.entity_name(each.head))},
                           {graph.relation_text(each.relation)},
                           {std::string(graph.entity_name(each.tail))},
                           {fmt::format("{}", each.distance), static_cast<double>(each.distance)},
                           {fmt::format("{:.4f}", each.weight), each.weight},
                           {each.is_true ? "true" : "-"}}});
  Page page("Negatives that HaSa discounts: " + name,
            "Entities near a query's head that score high are taken for answers that the graph lacks. Click a column to "
            "sort by it.");
  return page.add(Section("The heaviest discounts").table(table)).html();
}

InspectorFigures joined(const std::vector<InspectorFigures>& all) {
  InspectorFigures sum;
  for (const InspectorFigures& each : all) {
    sum.queries += each.queries;
    sum.judged += each.judged;
    for (auto member : {&InspectorFigures::discounted, &InspectorFigures::hardest, &InspectorFigures::random,
                        &InspectorFigures::random_near, &InspectorFigures::depths})
      (sum.*member).insert((sum.*member).end(), (each.*member).begin(), (each.*member).end());
    sum.known_weight += each.known_weight * static_cast<double>(each.queries);
  }
  if (sum.queries > 0) sum.known_weight /= static_cast<double>(sum.queries);
  return sum;
}

StudyResult run_inspector(const InspectorConfig& config, StudyContext& context) {
  StudyResult result{.title = "The negatives that HaSa discounts", .summary = {}, .verdicts = {}, .figures = {}, .tables = {}, .files = {}};
  std::vector<InspectorFigures> figures;
  std::string runs;
  for (const StudyGraph& graph : context.graphs()) {
    const RunConfig run_config = run_config_of(config.recipe, graph, static_cast<std::uint64_t>(config.seed));
    beta_of(run_config);
    const StudyRun run = context.train(graph.name + "-hasa", run_config);
    const InspectorJson made = context.piece(
        graph.name, {{"run", run.folder.filename().string()}, {"queries", config.queries}, {"depth", config.depth}, {"seed", config.seed}},
        [&] { return inspect_run(Run::open(run.folder), graph, config, context); });
    std::vector<InspectedQuery> queries;
    for (const InspectorJson& each : made) queries.push_back(inspected_query_in(each));
    figures.push_back(figures_of(queries));
    result.figures.push_back(precision_figure(graph.name, figures.back()));
    result.tables.push_back(result.figures.back().numbers);
    const Graph opened = graph.open();
    const auto all = all_discounted(queries);
    result.files.push_back({fmt::format("discounted-{}.csv", graph.name), discounted_csv(all, opened)});
    result.files.push_back({fmt::format("discounted-{}.html", graph.name), discounted_page(all, opened, config.shown, graph.name)});
    runs += fmt::format(" {}: {} epochs, best valid MRR {}.", graph.name, run.epochs, format_share(run.valid_mrr));
  }
  result.summary = fmt::format(
      "A run with loss HaSa; of {} training queries the {} negatives that are discounted most, with distance and weight, "
      "judged by the validation and test splits.{}",
      config.queries, config.depth, runs);
  result.verdicts = {judge_inspection(joined(figures))};
  return result;
}

}  // namespace

InspectorConfig InspectorConfig::of(StudySize size) {
  InspectorConfig config;
  config.recipe.set = {"loss.kind=hasa", "loss.beta=0.1", "loss.tau=1e-4", "model.context_layers=0"};
  const auto add = [&](std::initializer_list<const char*> set) {
    for (const char* each : set) config.recipe.set.emplace_back(each);
  };
  switch (size) {
    case StudySize::tiny:
      config.queries = 100;
      add({"model.dim=16", "train.epochs=2", "train.batch=64"});
      break;
    case StudySize::quick:
      add({"model.dim=64", "negatives.candidates=1024", "optimiser.lr=4e-3", "train.epochs=4", "train.batch=256"});
      break;
    case StudySize::full:
      config.queries = 20000;
      config.recipe.config = "configs/{graph}_frozen-minilm.yaml";
      break;
  }
  return config;
}

std::int64_t InspectedQuery::true_ones() const { return std::ranges::count_if(discounted, &DiscountedNegative::is_true); }

InspectedQuery inspect(const Query& query, const std::vector<float>& scores, double beta, std::int64_t depth,
                       const Neighbours& graph, const KnownAnswers& known, const KnownAnswers& held_back) {
  InspectedQuery result;
  const std::vector<EntityId> near = near_entities(graph, query.given);
  const auto answers = known.tails(query.given, query.relation), truths = held_back.tails(query.given, query.relation);
  const auto direct = graph.of(query.given);
  const auto score_of = [&](EntityId e) { return static_cast<double>(scores[static_cast<std::size_t>(e)]); };
  const auto is_fresh_truth = [&](EntityId e) { return is_among(truths, e) && !is_among(answers, e); };
  double top = -std::numeric_limits<double>::infinity(), sum = 0, known_sum = 0, near_truths = 0;
  for (const EntityId e : near) top = std::max(top, score_of(e));
  for (const EntityId e : near) {
    const double weight = std::exp((1 + beta) * (score_of(e) - top));
    sum += weight;
    if (is_among(answers, e)) {
      known_sum += weight;
      continue;
    }
    near_truths += is_fresh_truth(e) ? 1 : 0;
    result.discounted.push_back({query.given, query.relation, e, is_among(direct, e) ? 1 : 2, weight, is_fresh_truth(e)});
  }
  const auto near_negatives = static_cast<double>(result.discounted.size());
  std::ranges::stable_sort(result.discounted, [](const auto& a, const auto& b) { return a.weight > b.weight; });
  if (std::ssize(result.discounted) > depth) result.discounted.resize(static_cast<std::size_t>(depth));
  for (DiscountedNegative& each : result.discounted) each.weight /= sum;
  if (sum > 0) result.known_weight = known_sum / sum;

  std::vector<EntityId> negatives;
  for (EntityId e = 0; e < static_cast<EntityId>(scores.size()); ++e) {
    if (e != query.given && !is_among(answers, e)) negatives.push_back(e);
  }
  const auto judged = std::min(result.discounted.size(), negatives.size());
  const auto harder = [&](EntityId a, EntityId b) { return score_of(a) != score_of(b) ? score_of(a) > score_of(b) : a < b; };
  std::ranges::partial_sort(negatives, negatives.begin() + static_cast<std::ptrdiff_t>(judged), harder);
  for (std::size_t i = 0; i < judged; ++i) result.hardest_true += is_fresh_truth(negatives[i]) ? 1 : 0;
  const auto fresh = static_cast<double>(std::ranges::count_if(negatives, is_fresh_truth));
  if (!negatives.empty()) result.random_true = static_cast<double>(judged) * fresh / static_cast<double>(negatives.size());
  if (near_negatives > 0) result.random_near_true = static_cast<double>(judged) * near_truths / near_negatives;
  return result;
}

InspectorFigures figures_of(const std::vector<InspectedQuery>& queries) {
  InspectorFigures figures{.queries = std::ssize(queries), .discounted = {}, .hardest = {}, .random = {}, .random_near = {}, .depths = {}};
  for (const InspectedQuery& query : queries) {
    figures.judged += std::ssize(query.discounted);
    figures.depths.push_back(static_cast<double>(query.discounted.size()));
    figures.discounted.push_back(static_cast<double>(query.true_ones()));
    figures.hardest.push_back(static_cast<double>(query.hardest_true));
    figures.random.push_back(query.random_true);
    figures.random_near.push_back(query.random_near_true);
    figures.known_weight += query.known_weight / static_cast<double>(queries.size());
  }
  return figures;
}

Verdict judge_inspection(const InspectorFigures& figures) {
  const auto beats = [&](const std::vector<double>& other) {
    const Interval gain = difference_of(figures.discounted, other, figures.depths).interval;
    return gain.low > 0 ? Agreement::agrees : gain.high < 0 ? Agreement::disagrees : Agreement::mixed;
  };
  const Agreement hardest = beats(figures.hardest), random = beats(figures.random);
  const auto percent = [&](const std::vector<double>& truths) {
    return fmt::format("{:.2f}%", 100 * precision_of(truths, figures.depths).mean);
  };
  const char* words = hardest == Agreement::agrees      ? "nearness tells more than the score alone"
                      : hardest == Agreement::disagrees ? "nearness tells less than the score alone"
                                                        : "beside the score alone no difference beyond chance shows";
  return {.claim = 2,
          .agreement = overall({hardest, random}),
          .sentence = fmt::format(
              "Of the {} negatives of {} queries that HaSa discounts most, {} are true in valid or test, beside {} of as "
              "many of the hardest ones, {} of random ones within two steps and {} of random ones: {}. {:.0f}% of the "
              "discount falls on answers that are known from training and are no negatives at all.",
              figures.judged, figures.queries, percent(figures.discounted), percent(figures.hardest),
              percent(figures.random_near), percent(figures.random), words, 100 * figures.known_weight)};
}

Study inspector_study() {
  return make_study<InspectorConfig>(
      "inspector", "which negatives HaSa discounts, and how many of them are true in valid or test", run_inspector);
}

}  // namespace hasa
