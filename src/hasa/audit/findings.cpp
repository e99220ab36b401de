#include "hasa/audit/findings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include "hasa/base/progress.h"
#include "hasa/page/number.h"

namespace hasa {
namespace {

using Effect = AuditFinding::Effect;

std::string percent(double fraction) {
  const double value = 100 * fraction;
  return value > 0 && value < 1 ? fmt::format("{:.1f}%", value) : fmt::format("{:.0f}%", value);
}

std::string plural(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", format_count(count), count == 1 ? one : many);
}

/// Puts measures into words, one kind of finding a function.
class FindingsWriter {
 public:
  explicit FindingsWriter(const AuditMeasures& measures)
      : m_(measures), facts_(measures.graph.audit()), test_(measures.graph.triples(Split::test)) {}

  std::vector<AuditFinding> write() {
    leaks();
    relations();
    what_training_lacks();
    texts();
    what_distorts();
    housekeeping();
    std::stable_sort(findings_.begin(), findings_.end(), [](const AuditFinding& a, const AuditFinding& b) {
      const bool a_matters = a.effect != Effect::none, b_matters = b.effect != Effect::none;
      return a_matters != b_matters ? a_matters : a.of_queries > b.of_queries;
    });
    return std::move(findings_);
  }

 private:
  double of_test(std::uint64_t triples) const {
    return test_.empty() ? 0 : static_cast<double>(triples) / static_cast<double>(test_.size());
  }
  /// The fraction of test queries, each triple asked from both ends, whose answer is such an entity.
  double of_answers(const std::function<bool(EntityId)>& is) const {
    std::uint64_t queries = 0;
    for (const Triple& t : test_) queries += (is(t.tail) ? 1U : 0U) + (is(t.head) ? 1U : 0U);
    return of_test(queries) / 2;
  }
  std::string relation(RelationId r) const { return std::string(m_.graph.relation_id(r)); }

  void add(const char* key, Effect effect, double of_queries, std::uint64_t count, std::string title,
           std::string detail, std::string advice, std::vector<std::string> examples = {}) {
    if (count == 0) return;
    findings_.push_back(
        {key, effect, of_queries, count, std::move(title), std::move(detail), std::move(advice), std::move(examples)});
  }

  std::vector<std::string> rules_in_words(const std::function<bool(const RelationRule&)>& wanted) const {
    std::vector<std::string> words;
    for (const RelationRule& rule : m_.patterns.rules) {
      if (!wanted(rule) || words.size() == Finding::kExamples) continue;
      const std::string what = rule.head == rule.body ? relation(rule.head) + " is symmetric"
                               : rule.inverse
                                   ? fmt::format("{} reversed is {}", relation(rule.body), relation(rule.head))
                                   : fmt::format("{} implies {}", relation(rule.body), relation(rule.head));
      words.push_back(fmt::format("{} in {} of its training triples; gives away {}", what, percent(rule.confidence),
                                  plural(rule.gives_away, "test triple", "test triples")));
    }
    return words;
  }

  void leaks() {
    add("reversed", Effect::raises, of_test(facts_.reversed.count), facts_.reversed.count,
        fmt::format("{} of {} test triples occur in training with head and tail swapped",
                    format_count(facts_.reversed.count), format_count(test_.size())),
        "A model that learns that the relation is symmetric answers them without knowing anything else.",
        "Report scores with and without them, or split again: hasa split --by leakage-free.", facts_.reversed.examples);
    std::uint64_t repeated = 0;
    for (const Triple& t : test_) repeated += is_known(t) ? 1 : 0;
    add("leaked", Effect::raises, of_test(repeated), facts_.leaked.count,
        plural(facts_.leaked.count, "triple of valid or test also occurs in an earlier split",
               "triples of valid or test also occur in an earlier split"),
        fmt::format("{} of test was seen in training or model selection.", percent(of_test(repeated))),
        "Import the triples as one file: duplicates are dropped before the split.", facts_.leaked.examples);
  }

  bool is_known(const Triple& t) const {
    if (known_.empty()) {
      for (const Split split : {Split::train, Split::valid})
        known_.insert(known_.end(), m_.graph.triples(split).begin(), m_.graph.triples(split).end());
      std::sort(known_.begin(), known_.end());
    }
    return std::binary_search(known_.begin(), known_.end(), t);
  }

  void relations() {
    const auto& patterns = m_.patterns;
    const auto is_inverse = [](const RelationRule& r) { return r.inverse && r.head != r.body; };
    const auto is_equivalent = [](const RelationRule& r) { return !r.inverse; };
    const auto is_symmetric = [](const RelationRule& r) { return r.inverse && r.head == r.body; };
    // Two relations that each imply the other are one pair.
    const auto count = [&](const auto& wanted) {
      std::set<std::pair<RelationId, RelationId>> pairs;
      for (const RelationRule& rule : patterns.rules) {
        if (wanted(rule)) pairs.insert(std::minmax(rule.head, rule.body));
      }
      return static_cast<std::uint64_t>(pairs.size());
    };
    const std::string rewrites =
        "Drop one relation of each pair before splitting, or use hasa split --by leakage-free, which keeps all triples "
        "between two entities in one split.";
    add("inverse_relations", patterns.inverse_test > 0 ? Effect::raises : Effect::none, of_test(patterns.inverse_test),
        count(is_inverse),
        fmt::format("{}; they give away {}",
                    plural(count(is_inverse), "pair of relations are inverses", "pairs of relations are inverses"),
                    plural(patterns.inverse_test, "test triple", "test triples")),
        "A test triple whose inverse is in training needs no prediction.", rewrites, rules_in_words(is_inverse));
    add("equivalent_relations", patterns.equivalent_test > 0 ? Effect::raises : Effect::none,
        of_test(patterns.equivalent_test), count(is_equivalent),
        fmt::format("{} the same entities; they give away {}",
                    plural(count(is_equivalent), "pair of relations mostly links", "pairs of relations mostly link"),
                    plural(patterns.equivalent_test, "test triple", "test triples")),
        "Where one of the two is in training, the other follows.", rewrites, rules_in_words(is_equivalent));
    add("symmetric_relations", Effect::none, 0, count(is_symmetric),
        plural(count(is_symmetric), "relation is symmetric", "relations are symmetric"),
        "Training has most of their triples in both directions.",
        "DistMult and ComplEx can model them; TransE cannot, since it would have to give both ends the same vector.",
        rules_in_words(is_symmetric));
    std::uint64_t cartesian_test = 0;
    std::vector<std::string> examples;
    for (const CartesianRelation& r : patterns.cartesian) {
      cartesian_test += r.test;
      if (examples.size() < Finding::kExamples)
        examples.push_back(fmt::format("{}: {} triples, {} heads x {} tails", relation(r.relation),
                                       format_count(r.triples), format_count(r.heads), format_count(r.tails)));
    }
    add("cartesian_relations", cartesian_test > 0 ? Effect::raises : Effect::none, of_test(cartesian_test),
        patterns.cartesian.size(),
        plural(patterns.cartesian.size(), "relation links nearly every head to nearly every tail",
               "relations link nearly every head to nearly every tail"),
        "Knowing which entities are heads and which are tails answers them; a single pair says nothing more.",
        "Leave them out of the test set, or report them separately.", examples);
  }

  void what_training_lacks() {
    std::vector<bool> seen(static_cast<std::size_t>(m_.graph.entities()));
    for (const Triple& t : m_.graph.triples(Split::train))
      seen[static_cast<std::size_t>(t.head)] = seen[static_cast<std::size_t>(t.tail)] = true;
    const auto unseen = [&](EntityId e) { return !seen[static_cast<std::size_t>(e)]; };
    std::uint64_t touched = 0;
    for (const Triple& t : test_) touched += unseen(t.head) || unseen(t.tail) ? 1 : 0;
    add("unseen_entities", Effect::lowers, of_test(touched), facts_.unseen_test_entities.count,
        fmt::format("{} in no training triple; {}",
                    plural(facts_.unseen_test_entities.count, "entity of test occurs", "entities of test occur"),
                    plural(touched, "test triple involves one", "test triples involve one")),
        "A model with one vector per entity can only guess there; a model that reads texts need not.",
        "Use a text model, or hasa split GRAPH --by random, which keeps every entity in training.",
        facts_.unseen_test_entities.examples);
    add("unseen_relations", Effect::lowers, 0, facts_.unseen_relations.count,
        plural(facts_.unseen_relations.count, "relation of valid or test does not occur in training",
               "relations of valid or test do not occur in training"),
        "All a model can know about them is their text.", "Leave their triples out, or split again.",
        facts_.unseen_relations.examples);
    add("apart", Effect::lowers, of_test(m_.shape.test_across_components), m_.shape.test_across_components,
        fmt::format("{} ends that no path of training triples connects",
                    plural(m_.shape.test_across_components, "test triple has", "test triples have")),
        "Models that follow paths or neighbours have nothing to go on.",
        "Use a text model, or one with a vector per entity, for these.");
  }

  void texts() {
    const TextChecks& texts = m_.texts;
    const double told = texts.test_queries == 0
                            ? 0
                            : static_cast<double>(texts.answer_in_text.count) / static_cast<double>(texts.test_queries);
    const double told_train = texts.train_queries == 0 ? 0
                                                       : static_cast<double>(texts.train_answer_in_text) /
                                                             static_cast<double>(texts.train_queries);
    add("answer_in_text", Effect::raises, told, texts.answer_in_text.count,
        fmt::format("in {} of test queries the text of the given entity names the answer", percent(told)),
        fmt::format("A model that reads texts can find it there (in training: {} of queries).", percent(told_train)),
        "That is what texts are for if they predate the facts; if they were written from the facts, mask the names.",
        texts.answer_in_text.examples);
    const auto alike = [&](EntityId e) { return texts.alike[static_cast<std::size_t>(e)]; };
    std::vector<std::string> examples = texts.same_texts.examples;
    examples.insert(examples.end(), texts.near_texts.examples.begin(), texts.near_texts.examples.end());
    add("alike_texts", Effect::lowers, of_answers(alike), texts.same_texts.count + texts.near_texts.count,
        fmt::format("{} a description with another entity word for word, {}",
                    plural(texts.same_texts.count, "entity shares", "entities share"),
                    texts.near_left_out ? "near-duplicates were not looked for: the graph is too large"
                                        : plural(texts.near_texts.count, "nearly so", "nearly so")),
        "A model that reads texts can tell them apart only by name and links.",
        "Give each a text of its own, or train with text.context.", examples);
    const auto no_text = [&](EntityId e) { return !m_.graph.has_name(e) && m_.graph.entity_description(e).empty(); };
    add("without_text", Effect::lowers, of_answers(no_text), facts_.without_text.count,
        fmt::format("{} neither name nor description",
                    plural(facts_.without_text.count, "entity has", "entities have")),
        "A model that reads texts sees only their ids.",
        "Add texts with hasa import --add GRAPH --text FILE, or use a model without text.",
        facts_.without_text.examples);
    const std::string where =
        texts.cut_length > 0 ? fmt::format(", most at {} characters", format_count(texts.cut_length)) : "";
    add("truncated_texts", Effect::none, 0, texts.truncated.count,
        fmt::format("{} to be truncated{}", plural(texts.truncated.count, "description seems", "descriptions seem"),
                    where),
        "A model cannot read the missing part.", "Get the full texts, if there is a source for them.",
        texts.truncated.examples);
    add("shared_names", Effect::distorts, 0, facts_.shared_names.count,
        plural(facts_.shared_names.count, "name belongs to several entities", "names belong to several entities each"),
        "An answer with the right name but the wrong id counts as wrong.", "Descriptions tell them apart.",
        facts_.shared_names.examples);
  }

  void what_distorts() {
    const double train = m_.linked[0].fraction(), test = m_.linked[2].fraction();
    constexpr double kApart = 0.1;
    if (std::abs(train - test) >= kApart && !test_.empty())
      add("linked_pairs", Effect::distorts, std::abs(train - test), std::max<std::uint64_t>(1, m_.linked[2].linked),
          fmt::format("another training triple links the two ends of {} of test triples, and of {} of training triples",
                      percent(test), percent(train)),
          "The split was not drawn at random: a model that learns what linked pairs look like in training is misled, "
          "or helped, by how the test set was made.",
          "Use no feature that says whether two entities are linked, or split again: hasa split GRAPH --by random.");
    constexpr std::uint64_t kFewQueries = 2000;
    const std::uint64_t queries = 2 * test_.size();
    if (queries > 0 && queries < kFewQueries)
      add("small_test", Effect::distorts, 0, queries,
          fmt::format("the test set has only {} queries", format_count(queries)),
          fmt::format("The 95% confidence interval of an MRR near .5 is about ±{:.3f}.",
                      1.96 * 0.4 / std::sqrt(static_cast<double>(queries))),
          "Compare runs with hasa compare, which pairs the queries; hasa split --test 0.1 makes a larger test set.");
    for (const TrivialScore& score : m_.trivial) {
      constexpr double kHigh = 0.15;
      if (score.mrr < kHigh) continue;
      const auto queries_right = static_cast<std::uint64_t>(score.hits_at_1 * static_cast<double>(score.queries));
      add("trivial_rule", Effect::raises, score.hits_at_1, std::max<std::uint64_t>(1, queries_right),
          fmt::format("the rule \"{}\" alone reaches MRR {}", score.name, format_share(score.mrr)),
          fmt::format("It predicts {}. Only what a model scores above that is its own.", score.rule),
          "Report it beside every score.");
    }
    if (m_.relations.size() > 1 && !test_.empty()) {
      const auto most = std::max_element(m_.relations.begin(), m_.relations.end(),
                                         [](const auto& a, const auto& b) { return a.triples[2] < b.triples[2]; });
      if (of_test(most->triples[2]) > 0.5)
        add("one_relation", Effect::distorts, of_test(most->triples[2]), most->triples[2],
            fmt::format("{} of test triples have the same relation, {}", percent(of_test(most->triples[2])),
                        most->name),
            "The mean over all queries is mostly that relation's score.", "See hasa eval --breakdown.");
    }
  }

  void housekeeping() {
    add("duplicates", Effect::none, 0, facts_.duplicates.count,
        plural(facts_.duplicates.count, "triple is repeated within its split",
               "triples are repeated within their split"),
        "Every copy is trained on, or evaluated, again.", "Import the triples as one file, which drops duplicates.",
        facts_.duplicates.examples);
    add("self_loops", Effect::none, 0, facts_.self_loops.count,
        plural(facts_.self_loops.count, "triple links an entity to itself", "triples link an entity to itself"),
        "Some protocols exclude the given entity from the candidates, and can never answer these.",
        "hasa eval keeps it.", facts_.self_loops.examples);
    add("isolated", Effect::none, 0, facts_.isolated.count,
        plural(facts_.isolated.count, "entity occurs in no triple", "entities occur in no triple"),
        "They are candidates that are never correct.", "Leave them out of entities.tsv.", facts_.isolated.examples);
    add("unused_relations", Effect::none, 0, facts_.unused_relations.count,
        plural(facts_.unused_relations.count, "relation occurs in no triple", "relations occur in no triple"),
        "No query asks for them.", "Leave them out of relations.tsv.", facts_.unused_relations.examples);
    add("bad_lines", Effect::none, 0, facts_.bad_lines.count,
        plural(facts_.bad_lines.count, "malformed line was skipped", "malformed lines were skipped"),
        "What they say is not in the graph.", "Correct them and import again.", facts_.bad_lines.examples);
    add("relations_without_text", Effect::none, 0, facts_.relations_without_text.count,
        plural(facts_.relations_without_text.count, "relation has no text", "relations have no text"),
        "A model that reads texts sees only their ids.", "Add texts with hasa import --add GRAPH --relation-text FILE.",
        facts_.relations_without_text.examples);
  }

  const AuditMeasures& m_;
  const Audit& facts_;
  std::span<const Triple> test_;
  mutable std::vector<Triple> known_;  // of train and valid, sorted, once asked for
  std::vector<AuditFinding> findings_;
};

}  // namespace

std::vector<AuditFinding> find_all(const AuditMeasures& measures) { return FindingsWriter(measures).write(); }

}  // namespace hasa
