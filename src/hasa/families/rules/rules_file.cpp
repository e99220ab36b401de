#include "hasa/families/rules/rules_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/base/number_in.h"
#include "hasa/families/rules/rule_words.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

constexpr const char* kRelationsEntry = "relations";  // of the metadata

enum Column : std::int64_t { kKind, kRelation, kFirst, kSecond, kGiven, kAnswer, kSupport, kBody, kColumns };
constexpr std::size_t kConstantsInWords = 10'000;

bool fits(const std::int64_t* row, float confidence, const Graph& graph, RelationId mined_in) {
  const auto below = [](std::int64_t value, std::int64_t bound) { return value >= 0 && value < bound; };
  for (const Column relation : {kRelation, kFirst, kSecond}) {
    if (!below(row[relation], 2 * std::int64_t{mined_in})) return false;
  }
  return below(row[kKind], std::ssize(kRuleKinds)) && below(row[kGiven], graph.entities()) &&
         below(row[kAnswer], graph.entities()) && below(row[kSupport], std::int64_t{1} << 32) &&
         below(row[kBody], std::int64_t{1} << 32) && confidence >= 0 && confidence <= 1;
}

/// How many relations the graph of the rules had.
RelationId relations_of(const TensorFile& stored, const Graph& graph, RelationId otherwise) {
  const auto entry = stored.metadata.find(kRelationsEntry);
  const auto said = entry == stored.metadata.end() ? std::optional(otherwise) : number_in<RelationId>(entry->second);
  HASA_CHECK(said && *said >= 0 && *said <= graph.relations(), data,
             "{}: the rules are of another graph than this one of {} relations\nmine the rules again",
             stored.path.string(), graph.relations());
  return *said;
}

}  // namespace

void save_rules(const std::filesystem::path& file, const std::vector<Rule>& rules, RelationId relations) {
  torch::Tensor numbers = torch::empty({std::ssize(rules), kColumns}, torch::kInt64);
  torch::Tensor confidences = torch::empty({std::ssize(rules)});
  auto* row = numbers.mutable_data_ptr<std::int64_t>();
  auto* confidence = confidences.mutable_data_ptr<float>();
  for (const Rule& rule : rules) {
    row[kKind] = static_cast<std::int64_t>(rule.kind);
    row[kRelation] = rule.relation;
    row[kFirst] = rule.first;
    row[kSecond] = rule.second;
    row[kGiven] = rule.given;
    row[kAnswer] = rule.answer;
    row[kSupport] = rule.support;
    row[kBody] = rule.body;
    row += kColumns;
    *confidence++ = rule.confidence;
  }
  save_tensors(file, {{"rules", numbers}, {"confidences", confidences}},
               {{"columns", "kind relation first second given answer support body"},
                {kRelationsEntry, std::to_string(relations)}});
}

std::vector<Rule> load_rules(const std::filesystem::path& file, const Graph& graph, RelationId mined_in) {
  const TensorFile stored = load_tensors(file);
  const torch::Tensor numbers = stored.at("rules"), confidences = stored.at("confidences");
  HASA_CHECK(numbers.dim() == 2 && numbers.size(1) == kColumns && numbers.scalar_type() == torch::kInt64 &&
                 confidences.dim() == 1 && confidences.size(0) == numbers.size(0) &&
                 confidences.scalar_type() == torch::kFloat32,
             data, "{} is not a rules file: its tensors have other shapes", file.string());
  const RelationId before = relations_of(stored, graph, mined_in);
  // Inverses come after all relations, so they have moved where relations were added.
  const auto number_now = [&](std::int64_t relation) {
    const auto number = static_cast<RelationId>(relation);
    return number < before ? number : number - before + graph.relations();
  };
  std::vector<Rule> rules;
  rules.reserve(static_cast<std::size_t>(numbers.size(0)));
  const auto* row = numbers.const_data_ptr<std::int64_t>();
  const auto* confidence = confidences.const_data_ptr<float>();
  for (std::int64_t i = 0; i < numbers.size(0); ++i, row += kColumns) {
    HASA_CHECK(fits(row, confidence[i], graph, before), data,
               "{}: rule {} does not match the graph\nmine the rules again", file.string(), i);
    rules.push_back({.kind = static_cast<RuleKind>(row[kKind]),
                     .relation = number_now(row[kRelation]),
                     .first = number_now(row[kFirst]),
                     .second = number_now(row[kSecond]),
                     .given = static_cast<EntityId>(row[kGiven]),
                     .answer = static_cast<EntityId>(row[kAnswer]),
                     .support = static_cast<std::uint32_t>(row[kSupport]),
                     .body = static_cast<std::uint32_t>(row[kBody]),
                     .confidence = confidence[i]});
  }
  return rules;
}

void write_rules_in_words(const std::filesystem::path& file, const std::vector<Rule>& rules, const Graph& graph) {
  AtomicFile out(file);
  out.write("confidence\tsupport\tbody\tkind\trule\n");
  std::size_t constants = 0;
  for (const Rule& rule : rules) {
    if (rule.kind == RuleKind::frequency) continue;
    if (rule.kind == RuleKind::constant && ++constants > kConstantsInWords) continue;
    out.write(fmt::format("{:.3f}\t{}\t{}\t{}\t{}\n", rule.confidence, rule.support, rule.body, to_string(rule.kind),
                          to_words(rule, graph)));
  }
  out.commit();
}

}  // namespace hasa
