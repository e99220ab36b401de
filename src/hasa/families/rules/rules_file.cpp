#include "hasa/families/rules/rules_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "hasa/base/error.h"
#include "hasa/base/file.h"
#include "hasa/families/rules/rule_words.h"
#include "hasa/nn/tensor_file.h"

namespace hasa {
namespace {

enum Column : std::int64_t { kKind, kRelation, kFirst, kSecond, kGiven, kAnswer, kSupport, kBody, kColumns };
constexpr std::size_t kConstantsInWords = 10'000;

bool fits(const std::int64_t* row, float confidence, const Graph& graph) {
  const auto below = [](std::int64_t value, std::int64_t bound) { return value >= 0 && value < bound; };
  for (const Column relation : {kRelation, kFirst, kSecond}) {
    if (!below(row[relation], graph.num_directed_relations())) return false;
  }
  return below(row[kKind], std::ssize(kRuleKinds)) && below(row[kGiven], graph.entities()) &&
         below(row[kAnswer], graph.entities()) && below(row[kSupport], std::int64_t{1} << 32) &&
         below(row[kBody], std::int64_t{1} << 32) && confidence >= 0 && confidence <= 1;
}

}  // namespace

void save_rules(const std::filesystem::path& file, const std::vector<Rule>& rules) {
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
               {{"columns", "kind relation first second given answer support body"}});
}

std::vector<Rule> load_rules(const std::filesystem::path& file, const Graph& graph) {
  const TensorFile stored = load_tensors(file);
  const torch::Tensor numbers = stored.at("rules"), confidences = stored.at("confidences");
  HASA_CHECK(numbers.dim() == 2 && numbers.size(1) == kColumns && numbers.scalar_type() == torch::kInt64 &&
                 confidences.dim() == 1 && confidences.size(0) == numbers.size(0) &&
                 confidences.scalar_type() == torch::kFloat32,
             data, "{} is not a rules file: its tensors have other shapes", file.string());
  std::vector<Rule> rules;
  rules.reserve(static_cast<std::size_t>(numbers.size(0)));
  const auto* row = numbers.const_data_ptr<std::int64_t>();
  const auto* confidence = confidences.const_data_ptr<float>();
  for (std::int64_t i = 0; i < numbers.size(0); ++i, row += kColumns) {
    HASA_CHECK(fits(row, confidence[i], graph), data, "{}: rule {} does not match the graph\nmine the rules again",
               file.string(), i);
    rules.push_back({.kind = static_cast<RuleKind>(row[kKind]),
                     .relation = static_cast<RelationId>(row[kRelation]),
                     .first = static_cast<RelationId>(row[kFirst]),
                     .second = static_cast<RelationId>(row[kSecond]),
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
