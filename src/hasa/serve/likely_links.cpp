#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <utility>

#include "hasa/base/error.h"
#include "hasa/serve/predictor.h"

namespace hasa {
namespace {

/// A part is handed over at a time: some of the scorer's own blocks, and soon enough for whoever watches the clock.
constexpr std::size_t kQuestionsAtOnce = 64;

/// The questions of a search in their order, without a list of them all.
class LinkQuestions {
 public:
  LinkQuestions(const LiveState& state, const LinkSearch& search) : state_(state), search_(search) {
    const RelationId first = search.relation.value_or(0);
    const RelationId last = search.relation ? first : state.graph().relations() - 1;
    HASA_CHECK(first >= 0 && last < state.graph().relations(), shape, "there is no relation {}: there are {}", first,
               state.graph().relations());
    for (RelationId r = first; r <= last; ++r) {
      state.bearers(r, heads_);
      relations_.push_back(r);
      begins_.push_back(size_);
      size_ += std::ssize(heads_);
    }
    loaded_ = relations_.size() - 1;
  }
  std::int64_t size() const { return size_; }

  Question operator[](std::int64_t number) {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), number);
    const auto place = static_cast<std::size_t>(after - begins_.begin() - 1);
    if (std::exchange(loaded_, place) != place) state_.bearers(relations_[place], heads_);
    return {heads_[static_cast<std::size_t>(number - begins_[place])], relations_[place],
            {.top = search_.per_question,
             .new_only = true,
             .occurs_with_relation = search_.occurs_with_relation,
             .among = {}}};
  }

 private:
  const LiveState& state_;
  const LinkSearch& search_;
  std::vector<RelationId> relations_;
  std::vector<std::int64_t> begins_;  // the number of each relation's first question
  std::int64_t size_ = 0;
  std::size_t loaded_ = 0;
  std::vector<EntityId> heads_;  // of the relation at loaded_
};

}  // namespace

std::int64_t Predictor::link_questions(const LiveState& state, const LinkSearch& search) const {
  return LinkQuestions(state, search).size();
}

void Predictor::likely_links(const LiveState& state, const LinkSearch& search, std::int64_t from, std::int64_t to,
                             const std::function<bool(std::span<const LikelyLink>, std::int64_t next)>& take) const {
  LinkQuestions all(state, search);
  to = std::min(to, all.size());
  for (std::int64_t next = std::max<std::int64_t>(from, 0); next < to;) {
    std::vector<Question> questions;
    while (next < to && questions.size() < kQuestionsAtOnce) questions.push_back(all[next++]);
    const auto results = answers(state, questions);
    std::vector<LikelyLink> links;
    for (std::size_t q = 0; q < results.size(); ++q) {
      const EntityId head = std::get<EntityId>(questions[q].given);
      for (const Answer& answer : results[q])
        links.push_back({{head, questions[q].relation, answer.entity}, answer.score, answer.probability});
    }
    if (!take(links, next)) return;
  }
}

}  // namespace hasa
