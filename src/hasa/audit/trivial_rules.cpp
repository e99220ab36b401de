#include "hasa/audit/trivial_rules.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "hasa/audit/relation_patterns.h"
#include "hasa/audit/words.h"
#include "hasa/base/rng.h"
#include "hasa/base/thread_pool.h"
#include "hasa/kg/known_answers.h"

namespace hasa {
namespace {

/// One direction of a test triple: given and a directed relation ask for the answer.
struct AuditQuery {
  EntityId given;
  RelationId relation;
  EntityId answer;
};

/// Scores of the entities that have one; all others tie below them.
using Scores = std::vector<std::pair<EntityId, double>>;

/// The answer's mean rank among ties, other known answers left out.
double rank_of(const AuditQuery& query, const Scores& scores, const KnownAnswers& known, EntityId entities) {
  double own = 0;
  for (const auto& [entity, score] : scores) {
    if (entity == query.answer) own = score;
  }
  const auto others = known.tails(query.given, query.relation);
  const auto is_other = [&](EntityId e) {
    return e != query.answer && std::binary_search(others.begin(), others.end(), e);
  };
  std::uint64_t better = 0, equal = 0, scored = 0, others_scored = 0;
  for (const auto& [entity, score] : scores) {
    if (score <= 0) continue;
    ++scored;
    if (is_other(entity)) {
      ++others_scored;
    } else if (score > own) {
      ++better;
    } else if (score == own && entity != query.answer) {
      ++equal;
    }
  }
  if (own <= 0) {
    const std::uint64_t left_out =
        others.size() - (std::binary_search(others.begin(), others.end(), query.answer) ? 1 : 0);
    equal = static_cast<std::uint64_t>(entities) - scored - (left_out - others_scored) - 1;
  }
  return 1 + static_cast<double>(better) + static_cast<double>(equal) / 2;
}

using RankQuery = std::function<double(const AuditQuery&)>;

void add_metrics(const std::vector<double>& ranks, TrivialScore& score) {
  for (const double rank : ranks) {
    score.mrr += 1 / rank;
    score.hits_at_1 += rank <= 1 ? 1 : 0;
    score.hits_at_10 += rank <= 10 ? 1 : 0;
  }
  score.queries = ranks.size();
  const double size = std::max<double>(1, static_cast<double>(ranks.size()));
  for (double* metric : {&score.mrr, &score.hits_at_1, &score.hits_at_10}) *metric /= size;
}

std::vector<AuditQuery> queries_of(const Graph& graph, std::size_t most) {
  const Split split = graph.triples(Split::test).empty() ? Split::valid : Split::test;
  std::vector<Triple> sample(graph.triples(split).begin(), graph.triples(split).end());
  if (sample.size() > most) {
    Rng rng(1, "audit rules");
    rng.shuffle(sample);
    sample.resize(most);
  }
  std::vector<AuditQuery> queries;
  for (const Triple& t : sample) {
    queries.push_back({t.head, t.relation, t.tail});
    queries.push_back({t.tail, t.relation + graph.relations(), t.head});
  }
  return queries;
}

TrivialScore score_rule(TrivialScore score, const std::vector<AuditQuery>& queries, const RankQuery& rank) {
  std::vector<double> ranks(queries.size());
  parallel_for(queries.size(), 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ranks[i] = rank(queries[i]);
  });
  add_metrics(ranks, score);
  return score;
}

/// How often each entity answers each directed relation in training. A relation can have millions of answers, so a
/// rank is looked up in sorted counts, and only the known answers are gone through.
class Popularity {
 public:
  Popularity(const Graph& graph, const TrainPairs& train)
      : entities_(static_cast<std::uint64_t>(graph.entities())),
        answers_(static_cast<std::size_t>(graph.num_directed_relations())) {
    for (EntityId h = 0; h < train.entities(); ++h) {
      for (const std::uint64_t key : train.of(h)) {
        const auto r = static_cast<std::size_t>(TrainPairs::relation_of(key));
        answers_[r].entities.push_back(TrainPairs::tail_of(key));
        answers_[r + static_cast<std::size_t>(graph.relations())].entities.push_back(h);
      }
    }
    for (Answers& answers : answers_) answers.count();
  }

  double rank(const AuditQuery& query, const KnownAnswers& known) const {
    const Answers& answers = answers_[static_cast<std::size_t>(query.relation)];
    const std::uint64_t own = answers.count_of(query.answer);
    std::uint64_t better = answers.above(own);
    // Entities that never answer the relation have the count 0, and stand in no list.
    std::uint64_t equal = own == 0 ? entities_ - answers.entities.size() : answers.above(own - 1) - better;
    for (const EntityId other : known.tails(query.given, query.relation)) {
      if (other == query.answer) continue;
      const std::uint64_t count = answers.count_of(other);
      better -= count > own ? 1 : 0;
      equal -= count == own ? 1 : 0;
    }
    return 1 + static_cast<double>(better) + static_cast<double>(equal - 1) / 2;
  }

 private:
  struct Answers {
    std::vector<EntityId> entities;     // distinct and sorted, once counted
    std::vector<std::uint64_t> counts;  // of each
    std::vector<std::uint64_t> sorted;  // the counts, rising

    void count() {
      std::sort(entities.begin(), entities.end());
      std::size_t kept = 0;
      for (std::size_t begin = 0, end = 0; begin < entities.size(); begin = end) {
        while (end < entities.size() && entities[end] == entities[begin]) ++end;
        entities[kept++] = entities[begin];
        counts.push_back(end - begin);
      }
      entities.resize(kept);
      sorted = counts;
      std::sort(sorted.begin(), sorted.end());
    }
    std::uint64_t count_of(EntityId entity) const {
      const auto found = std::lower_bound(entities.begin(), entities.end(), entity);
      return found == entities.end() || *found != entity ? 0
                                                         : counts[static_cast<std::size_t>(found - entities.begin())];
    }
    std::uint64_t above(std::uint64_t count) const {
      return static_cast<std::uint64_t>(sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), count));
    }
  };

  std::uint64_t entities_;
  std::vector<Answers> answers_;  // of each directed relation
};

/// The entities linked to one in training, and how well each link speaks for a relation.
class LinkScores {
 public:
  LinkScores(const Graph& graph, const TrainPairs& train) : train_(train), relations_(graph.relations()) {
    for (const RelationRule& rule : all_relation_rules(graph, train)) {
      // x -body-> y gives y -head-> x (inverse) or x -head-> y. Asked from either end, the link is seen from there.
      confidence_[key(rule.body, rule.inverse ? rule.head + relations_ : rule.head)] = rule.confidence;
      confidence_[key(rule.body + relations_, rule.inverse ? rule.head : rule.head + relations_)] = rule.confidence;
    }
    backwards_ = group_by_head(graph.entities(), [&](const auto& emit) {
      for (EntityId h = 0; h < train.entities(); ++h) {
        for (const std::uint64_t k : train.of(h))
          emit(TrainPairs::tail_of(k), (static_cast<std::uint64_t>(h) << 32) |
                                           static_cast<std::uint32_t>(TrainPairs::relation_of(k) + relations_));
      }
    });
  }

  Scores of(const AuditQuery& query) const {
    std::unordered_map<EntityId, double> best;
    const auto take = [&](std::span<const std::uint64_t> links) {
      for (const std::uint64_t link : links) {
        const auto rule = confidence_.find(key(TrainPairs::relation_of(link), query.relation));
        if (rule == confidence_.end()) continue;
        double& score = best[TrainPairs::tail_of(link)];
        score = std::max(score, rule->second);
      }
    };
    take(train_.of(query.given));
    take(backwards_.of(query.given));
    return {best.begin(), best.end()};
  }

 private:
  static std::uint64_t key(RelationId link, RelationId asked) {
    return (static_cast<std::uint64_t>(link) << 32) | static_cast<std::uint32_t>(asked);
  }

  const TrainPairs& train_;
  RelationId relations_;
  std::unordered_map<std::uint64_t, double> confidence_;  // by directed link and directed relation asked for
  HeadGroups backwards_;                                  // links seen from their tails, relations made inverse
};

/// Cosines of TF-IDF vectors over names and descriptions, by an inverted index.
class NearestText {
 public:
  explicit NearestText(const Graph& graph) : words_(static_cast<std::size_t>(graph.entities())) {
    std::unordered_map<std::uint64_t, std::uint32_t> frequency;
    for (EntityId e = 0; e < graph.entities(); ++e) {
      std::unordered_map<std::uint64_t, double> counts;
      for (const std::string_view text :
           {graph.has_name(e) ? graph.entity_name(e) : std::string_view(), graph.entity_description(e)}) {
        for (const std::uint64_t word : word_hashes(text)) counts[word] += 1;
      }
      for (const auto& [word, count] : counts) ++frequency[word];
      words_[static_cast<std::size_t>(e)].assign(counts.begin(), counts.end());
    }
    weigh(frequency);
  }

  bool empty() const { return postings_.empty(); }

  Scores of(const AuditQuery& query) const {
    std::unordered_map<EntityId, double> sums;
    for (const auto& [word, weight] : words_[static_cast<std::size_t>(query.given)]) {
      const auto found = postings_.find(word);
      if (found == postings_.end()) continue;
      for (const auto& [entity, other] : found->second) sums[entity] += weight * other;
    }
    sums.erase(query.given);  // it is nearest to itself, and seldom its own answer
    return {sums.begin(), sums.end()};
  }

 private:
  void weigh(const std::unordered_map<std::uint64_t, std::uint32_t>& frequency) {
    // Words of a tenth of all texts tell nothing and cost the most.
    const double most = std::max(20.0, 0.1 * static_cast<double>(words_.size()));
    for (std::size_t e = 0; e < words_.size(); ++e) {
      double norm = 0;
      for (auto& [word, weight] : words_[e]) {
        const double texts = frequency.at(word);
        weight = texts > most ? 0 : (1 + std::log(weight)) * std::log(static_cast<double>(words_.size() + 1) / texts);
        norm += weight * weight;
      }
      std::erase_if(words_[e], [](const auto& entry) { return entry.second == 0; });
      // In one order on every machine, so that sums round alike.
      std::sort(words_[e].begin(), words_[e].end());
      for (auto& [word, weight] : words_[e]) {
        weight /= std::sqrt(norm);
        postings_[word].emplace_back(static_cast<EntityId>(e), weight);
      }
    }
  }

  std::vector<std::vector<std::pair<std::uint64_t, double>>> words_;                      // of each entity
  std::unordered_map<std::uint64_t, std::vector<std::pair<EntityId, double>>> postings_;  // of each word
};

}  // namespace

std::vector<TrivialScore> score_trivial_rules(const Graph& graph, const TrainPairs& train,
                                              const TrivialOptions& options) {
  const KnownAnswers known = KnownAnswers::of_all_splits(graph);
  const std::vector<AuditQuery> queries = queries_of(graph, options.most_triples);
  std::vector<TrivialScore> scores;
  if (queries.empty()) return scores;
  const auto rank_by = [&](const auto& rule) {
    return [&](const AuditQuery& query) { return rank_of(query, rule.of(query), known, graph.entities()); };
  };
  const Popularity popularity(graph, train);
  scores.push_back(score_rule({"popularity", "the relation's most frequent answers in training"}, queries,
                              [&](const AuditQuery& query) { return popularity.rank(query, known); }));
  const LinkScores links(graph, train);
  scores.push_back(score_rule(
      {"links", "the entities that training links to the given one, by symmetry, inverses and equivalent relations"},
      queries, rank_by(links)));
  const NearestText texts(graph);
  if (!texts.empty())
    scores.push_back(
        score_rule({"nearest text", "the entities whose texts are most similar to the given one's (TF-IDF)"},
                   queries_of(graph, options.most_text_triples), rank_by(texts)));
  return scores;
}

}  // namespace hasa
