#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "hasa/base/progress.h"
#include "hasa/base/shown_text.h"
#include "hasa/eval/comparison.h"
#include "hasa/eval/metrics.h"

namespace hasa {
namespace {

constexpr std::size_t kRelationsShown = 20;

/// "+.012", "-.200"
std::string signed_share(double value) {
  const std::string share = format_share(std::abs(value));
  return (value < 0 && share != ".000" ? "-" : "+") + share;
}

std::string p_words(double p) { return p < 0.001 ? "<.001" : format_share(p); }

std::string row_of(const std::string& name, const Difference& d) {
  return fmt::format("{:<24}{:>8}{:>8}{:>9}   {} to {}{:>9}", name, format_share(d.a), format_share(d.b),
                     signed_share(d.b_minus_a), signed_share(d.interval.low), signed_share(d.interval.high),
                     p_words(d.p_value));
}

nlohmann::ordered_json json_of(const Difference& d) {
  return {{"a", d.a},
          {"b", d.b},
          {"b_minus_a", d.b_minus_a},
          {"interval", {d.interval.low, d.interval.high}},
          {"p", d.p_value}};
}

}  // namespace

std::string to_table(const Comparison& c, const std::string& name_a, const std::string& name_b) {
  const auto count = [](std::int64_t n) { return format_count(static_cast<std::uint64_t>(n)); };
  std::string table =
      fmt::format("A  {}\nB  {}\n\n{} queries of {} triples: {} ranked better by A, {} by B, {} the same\n\n", name_a,
                  name_b, count(c.queries), count(c.triples), count(c.a_better), count(c.b_better),
                  count(c.queries - c.a_better - c.b_better));
  table += fmt::format("{:<24}{:>8}{:>8}{:>9}   {:<14}{:>9}\n", "", "A", "B", "B - A", "95% interval", "p");
  table += row_of("MRR", c.mrr) + "\n" + row_of("H@1", c.hits_at_1) + "\n" + row_of("H@10", c.hits_at_10) + "\n";
  table += fmt::format("\n{:<24}{:>8}{:>8}{:>9}   {:<14}{:>9}{:>9}{:>9}\n", "MRR by relation", "A", "B", "B - A",
                       "95% interval", "p", "p, Holm", "queries");
  for (std::size_t i = 0; i < std::min(kRelationsShown, c.relations.size()); ++i) {
    const RelationDifference& r = c.relations[i];
    table +=
        row_of(shown_in_column(r.relation, 23), r.mrr) + fmt::format("{:>9}{:>9}\n", p_words(r.p_adjusted), r.queries);
  }
  if (c.relations.size() > kRelationsShown)
    table +=
        fmt::format("and {} relations with fewer queries: --json has them\n", c.relations.size() - kRelationsShown);
  return table +
         "\nRealistic, filtered ranks, paired query by query. Intervals are percentiles of a bootstrap, p-values come "
         "from a\n"
         "sign-flip permutation test; both move the two directions of a triple together. Holm's correction is for "
         "asking\n"
         "about every relation at once.\n";
}

std::string to_json(const Comparison& c, const std::string& name_a, const std::string& name_b) {
  nlohmann::ordered_json json{{"a", name_a},
                              {"b", name_b},
                              {"queries", c.queries},
                              {"triples", c.triples},
                              {"a_better", c.a_better},
                              {"b_better", c.b_better},
                              {"mrr", json_of(c.mrr)},
                              {"hits@1", json_of(c.hits_at_1)},
                              {"hits@10", json_of(c.hits_at_10)},
                              {"unit", "triple: both directions are resampled and flipped together"},
                              {"relations", nlohmann::ordered_json::array()}};
  for (const RelationDifference& r : c.relations) {
    nlohmann::ordered_json relation{{"relation", r.relation}, {"queries", r.queries}};
    relation.update(json_of(r.mrr));
    relation["p_holm"] = r.p_adjusted;
    json["relations"].push_back(std::move(relation));
  }
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace hasa
