#include "hasa/eval/metrics.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace hasa {
namespace {

nlohmann::ordered_json json_of(const Metrics& m) {
  return {{"queries", m.queries},  {"mrr", m.mrr},          {"mr", m.mean_rank},
          {"hits@1", m.hits_at_1}, {"hits@3", m.hits_at_3}, {"hits@10", m.hits_at_10}};
}

}  // namespace

Metrics metrics_of(std::span<const RankedQuery> ranked) {
  Metrics m;
  m.queries = static_cast<std::int64_t>(ranked.size());
  if (ranked.empty()) return m;
  for (const RankedQuery& query : ranked) {
    const double rank = query.realistic();
    m.mean_rank += rank;
    m.mrr += 1 / rank;
    m.hits_at_1 += rank <= 1 ? 1 : 0;
    m.hits_at_3 += rank <= 3 ? 1 : 0;
    m.hits_at_10 += rank <= 10 ? 1 : 0;
  }
  for (double* sum : {&m.mean_rank, &m.mrr, &m.hits_at_1, &m.hits_at_3, &m.hits_at_10}) {
    *sum /= static_cast<double>(ranked.size());
  }
  return m;
}

Scores scores_of(std::span<const RankedQuery> ranked, RelationId relations) {
  std::vector<RankedQuery> tails, heads;
  for (const RankedQuery& query : ranked) (query.triple.relation < relations ? tails : heads).push_back(query);
  return {metrics_of(ranked), metrics_of(tails), metrics_of(heads)};
}

std::string to_json(const Scores& scores) {
  const nlohmann::ordered_json json{
      {"all", json_of(scores.all)}, {"tails", json_of(scores.tails)}, {"heads", json_of(scores.heads)}};
  return json.dump(2);
}

std::string format_share(double value) {
  const std::string text = fmt::format("{:.3f}", value);
  return text.starts_with("0.") ? text.substr(1) : text;
}

std::string to_table(const Scores& scores) {
  std::string table =
      fmt::format("{:<12}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10}\n", "", "queries", "MRR", "H@1", "H@3", "H@10", "MR");
  const auto row = [&](const char* name, const Metrics& m) {
    table += fmt::format("{:<12}{:>9}{:>9}{:>9}{:>9}{:>9}{:>10.1f}\n", name, m.queries, format_share(m.mrr),
                         format_share(m.hits_at_1), format_share(m.hits_at_3), format_share(m.hits_at_10), m.mean_rank);
  };
  row("all", scores.all);
  row("tail asked", scores.tails);
  row("head asked", scores.heads);
  return table;
}

}  // namespace hasa
