#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "hasa/families/path/strongest_paths.h"
#include "hasa/serve/live_state.h"
#include "hasa/serve/question.h"

namespace hasa {

/// A rule that gives the answer, and how often it held in training.
struct RuleReason {
  std::string text;  // "is part of(X, Y)  <=  is a kind of(X, Z), is part of(Z, Y)"
  double confidence = 0;
  std::uint32_t support = 0, body = 0;  // it held for so many pairs, of so many it could have
  std::vector<EntityId> middles;        // of a path: some of the entities that Z is
};

/// A way along known links from the entity that is given to the answer.
struct PathReason {
  std::vector<WalkedEdge> edges;
  double weight = 0;  // of paths of one answer: the greater, the more it says
};

/// A training triple of the same relation whose ends are much like those of the question and the answer.
struct FactReason {
  Triple triple;
  double similarity = 0;  // mean of the two cosines, at most 1
};

/// What the score loses when a word is left out of a text; below 0 where the word spoke against the answer.
struct WordReason {
  std::string word;
  double weight = 0;
  bool of_answer = false;  // else of what was given
};

/// Why an answer is one. What a model has no reasons of its kind for is empty.
struct Reasons {
  Judgement judgement;
  std::vector<RuleReason> rules;  // best first, as are paths and facts
  std::vector<PathReason> paths;
  std::vector<FactReason> facts;
  std::vector<WordReason> words;  // in the order of the texts
};

/// The answer of POST /v1/explain: score, probability, known, rules, paths, facts and words, entities with their names.
/// `relation` is the question's, directed: it says which words are the head's.
nlohmann::ordered_json to_json(const Reasons& reasons, const LiveState& state, RelationId relation);

}  // namespace hasa
