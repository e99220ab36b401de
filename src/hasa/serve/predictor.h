#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hasa/serve/question.h"
#include "hasa/serve/served_run.h"

namespace hasa {

/// Which missing links to look for: the questions (h, r, ?) of each relation r, for every entity h that bears it.
struct LinkSearch {
  std::optional<RelationId> relation;  // none: all of them
  std::int64_t per_question = 10;      // most links of one question
  bool occurs_with_relation = true;    // answers are entities that some link has at that end of the relation
};

/// Answers questions with a run. What is asked about is the graph as one state shows it, so whoever puts names to the
/// answers takes them from the same. From any thread; questions that are handed over together are scored together, by
/// one product where the model has vectors, and their texts are read together.
class Predictor {
 public:
  /// The run must outlive it.
  explicit Predictor(const ServedRun& run) : run_(run) {}
  const ServedRun& run() const { return run_; }

  /// The best answers of each question, best first; among equals the lower entity number comes first. The given
  /// entity itself is no answer unless training has an entity that bears the relation to itself. An entity that a
  /// change added answers by its text. Throws Refusal unreadable where a question gives a text and the run reads none;
  /// shape for entities and relations that are not there.
  std::vector<std::vector<Answer>> answers(const LiveState& state, std::span<const Question> questions) const;

  /// The relations that go best between two entities, best first. Their scores are those of (head, relation, ?) for
  /// the tail.
  std::vector<std::vector<RelationAnswer>> relations(const LiveState& state,
                                                     std::span<const RelationQuestion> questions) const;

  /// What the model makes of each statement, in their order.
  std::vector<Judgement> judgements(const LiveState& state, std::span<const Statement> statements) const;

  /// Where `tail` stands among the answers to (head, directed relation, ?).
  Standing standing(const LiveState& state, EntityId head, RelationId relation, EntityId tail) const;

  /// How many questions a search asks. They have a fixed order: by relation, then by entity.
  std::int64_t link_questions(const LiveState& state, const LinkSearch& search) const;
  /// The likely missing links of questions `from` .. `to`, a part at a time in the order of the questions: take() gets
  /// the links of a part and the number of the question after it, from which a search that was stopped goes on; it
  /// returns whether to go on now. What is known, by the graph or by changes, is left out.
  void likely_links(const LiveState& state, const LinkSearch& search, std::int64_t from, std::int64_t to,
                    const std::function<bool(std::span<const LikelyLink>, std::int64_t next)>& take) const;

 private:
  const ServedRun& run_;
};

}  // namespace hasa
