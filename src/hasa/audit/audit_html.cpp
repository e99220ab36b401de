// The audit as a page.

#include <algorithm>

#include "hasa/audit/graph_audit.h"
#include "hasa/base/progress.h"
#include "hasa/page/number.h"
#include "hasa/page/page.h"

namespace hasa {
namespace {

constexpr std::size_t kRelationsDrawn = 20;

std::string whole(std::uint64_t count) { return format_count(count); }
TableCell cell(std::uint64_t count) { return {format_count(count), static_cast<double>(count)}; }
std::string percent_of(double fraction) { return fmt::format("{:.1f}%", 100 * fraction); }

const char* effect_words(AuditFinding::Effect effect) {
  switch (effect) {
    case AuditFinding::Effect::raises: return "Raises scores";
    case AuditFinding::Effect::lowers: return "Lowers scores";
    case AuditFinding::Effect::distorts: return "Distorts comparisons";
    case AuditFinding::Effect::none: return "Worth knowing";
  }
  return "";
}

/// Titles are written to follow a colon.
std::string as_sentence(std::string title) {
  if (!title.empty() && title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
  return title;
}

Section overview(const GraphAudit& audit) {
  const Audit& facts = audit.facts;
  Section section;
  section.cards({{"Entities", whole(facts.entities), whole(facts.relations) + " relations"},
                 {"Training triples", whole(facts.triples[0]), fmt::format("{} valid", whole(facts.triples[1]))},
                 {"Test triples", whole(facts.triples[2]), fmt::format("{} queries", whole(2 * facts.triples[2]))},
                 {"Test pairs linked", percent_of(audit.linked[2].fraction()),
                  fmt::format("in training {}", percent_of(audit.linked[0].fraction()))}});
  return section;
}

PageTable examples_of(const AuditFinding& finding) {
  PageTable table{"Examples: " + finding.title, {{"example"}}, {}};
  for (const std::string& example : finding.examples) table.rows.push_back({{TableCell(example)}});
  return table;
}

void add_findings(const GraphAudit& audit, Page& page) {
  page.add(Section("Findings").remark("Ranked by the fraction of test queries affected."));
  if (audit.findings.empty()) page.add(Section().lead("No problems were found."));
  for (const AuditFinding& finding : audit.findings) {
    const std::string touches =
        changes_scores(finding) ? fmt::format(" · {} of test queries", percent_of(finding.of_queries)) : "";
    Section section;
    section.subheading(as_sentence(finding.title)).remark(effect_words(finding.effect) + touches);
    section.paragraph(finding.detail + " " + finding.advice);
    if (!finding.examples.empty()) section.fold("Examples", examples_of(finding));
    page.add(section);
  }
}

Section trivial_section(const GraphAudit& audit) {
  BarChart chart{{"trivial", "MRR of rules without learning", "What simple rules score on the test split."}, {}};
  PageTable table{
      "Rules without learning", {{"rule"}, {"MRR", true}, {"H@1", true}, {"H@10", true}, {"queries", true}}, {}};
  for (const TrivialScore& score : audit.trivial) {
    chart.bars.push_back({score.name, score.mrr, {}, whole(score.queries) + " queries"});
    table.rows.push_back({{TableCell(score.name), TableCell(format_share(score.mrr), score.mrr),
                           TableCell(format_share(score.hits_at_1), score.hits_at_1),
                           TableCell(format_share(score.hits_at_10), score.hits_at_10), cell(score.queries)}});
  }
  Section section("What a model has to beat");
  if (!chart.bars.empty()) section.figure(chart, "Filtered ranks among all entities; ties get their mean rank.", table);
  BarChart linked{{"linked", "Triples whose ends are linked in training",
                   "The fraction of each split's triples whose two ends another training triple links."},
                  {}};
  PageTable linked_table{"Triples whose ends are linked in training",
                         {{"split"}, {"linked", true}, {"triples", true}, {"fraction", true}},
                         {}};
  for (const Split split : kSplits) {
    const LinkedPairs& pairs = audit.linked[static_cast<std::size_t>(split)];
    linked.bars.push_back({to_string(split), pairs.fraction(), {}, whole(pairs.linked) + " triples"});
    linked_table.rows.push_back({{TableCell(to_string(split)), cell(pairs.linked), cell(pairs.triples),
                                  TableCell(percent_of(pairs.fraction()), pairs.fraction())}});
  }
  section.figure(linked,
                 "By another training triple. Where the splits differ, scores depend on how the test set was made.",
                 linked_table);
  return section;
}

Section shape_section(const GraphAudit& audit) {
  Section section("Structure of the training graph");
  section.paragraph(fmt::format("Connected components of two entities or more: {}. The largest has {} of {} entities.",
                                whole(audit.shape.components), whole(audit.shape.largest),
                                whole(audit.facts.entities)));
  Histogram degrees{
      {"degrees", "Entities by degree", "In how many training triples an entity occurs."}, "entities", {}};
  PageTable degree_table{"Entities by degree", {{"degree"}, {"entities", true}}, {}};
  for (std::size_t bucket = 0; bucket < audit.shape.degrees.size(); ++bucket) {
    const std::uint64_t from = bucket == 0 ? 0 : std::uint64_t{1} << (bucket - 1);
    const std::uint64_t to = bucket == 0 ? 0 : 2 * from - 1;
    const std::string name = from == to ? whole(from) : fmt::format("{} to {}", whole(from), whole(to));
    degrees.buckets.push_back(
        {format_power_of_two(from), static_cast<std::int64_t>(audit.shape.degrees[bucket]), "degree " + name});
    degree_table.rows.push_back({{TableCell(name, static_cast<double>(from)), cell(audit.shape.degrees[bucket])}});
  }
  section.figure(degrees, "Each column starts at the degree below it.", degree_table);
  Histogram distances{{"distances", "Distance between the ends of test triples",
                       "Training triples on the shortest path from head to tail, in any direction."},
                      "test triples",
                      {}};
  PageTable distance_table{"Test triples by distance", {{"distance"}, {"test triples", true}}, {}};
  for (std::size_t d = 0; d < 6; ++d) {
    const std::uint64_t count = audit.shape.distances[2][d];
    const std::string words = to_string(static_cast<PairDistance>(d));
    constexpr const char* kShort[] = {"0", "1", "2", "3", "4+", "none"};
    distances.buckets.push_back({kShort[d], static_cast<std::int64_t>(count), "distance " + words});
    distance_table.rows.push_back({{TableCell(words), cell(count)}});
  }
  section.figure(distances, "In training triples, whatever their direction; \"none\": no path connects them.",
                 distance_table);
  return section;
}

Section relation_section(const GraphAudit& audit) {
  PageTable table{"Relations",
                  {{"relation"},
                   {"kind", false, "1-N: on average, a head has several tails in training"},
                   {"train", true},
                   {"valid", true},
                   {"test", true}},
                  {}};
  BarChart chart{{"relations", "Test triples by relation", "The fraction of test triples of each relation."}, {}};
  const double test = std::max<double>(1, static_cast<double>(audit.facts.triples[2]));
  std::vector<AuditRelation> by_test = audit.relations;
  std::stable_sort(by_test.begin(), by_test.end(),
                   [](const AuditRelation& a, const AuditRelation& b) { return a.triples[2] > b.triples[2]; });
  for (const AuditRelation& r : by_test) {
    table.rows.push_back({{TableCell(r.name), TableCell(to_string(r.cardinality)), cell(r.triples[0]),
                           cell(r.triples[1]), cell(r.triples[2])}});
    if (chart.bars.size() < kRelationsDrawn && r.triples[2] > 0)
      chart.bars.push_back({r.name, static_cast<double>(r.triples[2]) / test, {}, whole(r.triples[2]) + " triples"});
  }
  Section section("Relations");
  if (chart.bars.empty()) return section.table(table);
  section.figure(chart,
                 fmt::format("The {} of {} relations with the most test triples.", chart.bars.size(), by_test.size()),
                 table);
  return section;
}

}  // namespace

std::string to_html(const GraphAudit& audit) {
  Page page("Audit of " + audit.facts.source,
            "What a score on this graph will mean, before anything is trained on it.");
  page.add(overview(audit));
  add_findings(audit, page);
  page.add(trivial_section(audit));
  page.add(shape_section(audit));
  page.add(relation_section(audit));
  return page.html();
}

}  // namespace hasa
