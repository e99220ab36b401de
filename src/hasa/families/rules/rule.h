#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hasa/kg/triple.h"

namespace hasa {

/// The form of the body of a rule r(X, Y). Relations are directed, so s(Y, X) is the inverse of s from X to Y.
enum class RuleKind : std::uint8_t {
  frequency,  // r(X, c)                        how often c answered r
  constant,   // r(X, c)  <=  s(X, d)
  edge,       // r(X, Y)  <=  s(X, Y)
  path,       // r(X, Y)  <=  s(X, Z), t(Z, Y)  with X, Y and Z all different
};
constexpr std::array<RuleKind, 4> kRuleKinds = {RuleKind::frequency, RuleKind::constant, RuleKind::edge,
                                                RuleKind::path};

inline const char* to_string(RuleKind kind) {
  switch (kind) {
    case RuleKind::frequency: return "frequency";
    case RuleKind::constant: return "constant";
    case RuleKind::edge: return "edge";
    case RuleKind::path: return "path";
  }
  return "";
}

struct Rule {
  RuleKind kind = RuleKind::frequency;
  RelationId relation = 0;    // r, directed: the relation the rule predicts
  RelationId first = 0;       // s
  RelationId second = 0;      // t of a path
  EntityId given = 0;         // d
  EntityId answer = 0;        // c
  std::uint32_t support = 0;  // pairs (X, Y) that satisfy body and head
  std::uint32_t body = 0;     // pairs that satisfy the body
  float confidence = 0;

  auto operator<=>(const Rule&) const = default;
};

/// The inverse form of the rule: r^-1(Y, X) <= t^-1(Y, Z), s^-1(Z, X) holds for as many pairs. Only for edges and
/// paths.
inline Rule seen_from_the_answer(const Rule& rule, RelationId relations) {
  Rule other = rule;
  other.relation = inverse(rule.relation, relations);
  other.first = inverse(rule.kind == RuleKind::path ? rule.second : rule.first, relations);
  if (rule.kind == RuleKind::path) other.second = inverse(rule.first, relations);
  return other;
}

}  // namespace hasa
