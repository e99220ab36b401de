#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "hasa/kg/triple.h"
#include "hasa/model/text_reader.h"
#include "hasa/serve/known_links.h"

namespace hasa {

/// One end of a question: an entity by its number (also one that a change added), or one that only its words tell of.
using Given = std::variant<EntityId, UnseenEntity>;

/// Which of the answers to give.
struct Wanted {
  std::int64_t top = 10;
  bool new_only = false;              // none that is known already
  bool occurs_with_relation = false;  // only entities that some link has at that end of the relation
  /// Only these; null for all. Sorted, distinct; shared by the questions that have it.
  std::shared_ptr<const std::vector<EntityId>> among = {};
};

/// (given, directed relation, ?): (?, r, t) is asked as {t, inverse of r}.
struct Question {
  Given given;
  RelationId relation = 0;
  Wanted wanted = {};
};

struct Answer {
  EntityId entity;
  float score;                        // as the model scores: a cosine, a dot product, or a negative distance
  std::optional<double> probability;  // that the link is true, where the run was calibrated
  std::optional<Known> known;         // where the link is known from; none: it is new
};

/// (head, ?, tail).
struct RelationQuestion {
  Given head, tail;
  std::int64_t top = 10;
  bool new_only = false;
};

struct RelationAnswer {
  RelationId relation;  // below relations(): from head to tail
  float score;
  std::optional<double> probability;
  std::optional<Known> known;
};

/// A triple to be judged; the relation may be directed.
struct Statement {
  Given head;
  RelationId relation = 0;
  Given tail;
};

/// What a model makes of a statement, as an answer to (head, relation, ?).
struct Judgement {
  float score;
  std::optional<double> probability;
  std::optional<Known> known;
};

/// How a triple does as an answer to one of the two questions it answers.
struct Standing {
  Answer answer;
  std::int64_t rank;        // 1 + how many candidates score higher
  std::int64_t candidates;  // all entities but the other known answers; the head only where training has a loop
};

/// A link that is missing and likely.
struct LikelyLink {
  Triple triple;
  float score;
  std::optional<double> probability;
};

}  // namespace hasa
