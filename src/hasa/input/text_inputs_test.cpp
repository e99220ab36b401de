#include "hasa/input/text_inputs.h"

#include <gmock/gmock.h>

#include <optional>
#include <set>

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

const std::vector<std::string> kVocabulary = {"[PAD]", "[UNK]",   "[CLS]", "[SEP]", "[MASK]", "dog",
                                              "cat",   "a",       "pet",   ":",     "is",     "kind",
                                              "of",    "reverse", "-",     "s",     "barks",  ";"};

WordPiece tokenizer() { return WordPiece(kVocabulary, TokenizerSettings::bert()); }

Graph graph() {
  return parse_triples({"t.tsv", "d\tkind_of\tp\nc\tkind_of\tp\nd\tkind_of\tc\n"},
                       NamedText{"x.tsv", "d\tdog\ta pet\nc\tcat\t\np\tpet\tbarks\n"}, {},
                       NamedText{"r.tsv", "kind_of\tkind of\n"});
}

std::string words(const PackedInputs& inputs, std::size_t i) {
  std::string text;
  for (auto k = inputs.offsets[i]; k < inputs.offsets[i + 1]; ++k) {
    text += (text.empty() ? "" : " ") + kVocabulary[static_cast<std::size_t>(inputs.ids[static_cast<std::size_t>(k)])];
  }
  return text;
}

TextInputs inputs_with(const std::string& pattern, std::int64_t max_tokens = 40) {
  const WordPiece pieces = tokenizer();
  TextConfig config;
  config.entity = pattern;
  config.max_tokens = max_tokens;
  return TextInputs(pieces, GraphTokens::build(graph(), pieces), config, graph());
}

TEST(TextInputs, PutsNameAndDescriptionIntoTheTemplate) {
  const PackedInputs inputs = inputs_with("{name}: {description}").all_entities();
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_EQ(words(inputs, 0), "[CLS] dog : a pet [SEP]");
}

TEST(TextInputs, LeavesTheNameAloneWhereThereIsNoDescription) {
  const Graph g = graph();
  const TextRequest cat = TextRequest::of_entity(*g.find_entity("c"));
  const PackedInputs inputs = inputs_with("{name}: {description}").for_evaluation({&cat, 1});
  EXPECT_EQ(words(inputs, 0), "[CLS] cat [SEP]");
}

TEST(TextInputs, WritesInverseRelationsAsTheReverseOfTheirText) {
  const PackedInputs inputs = inputs_with("{name}: {description}").all_relations();
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(words(inputs, 0), "[CLS] kind of [SEP]");
  EXPECT_EQ(words(inputs, 1), "[CLS] reverse of kind of [SEP]");
}

TEST(TextInputs, TruncatesLongTextsAndKeepsTheSeparator) {
  EXPECT_EQ(words(inputs_with("{name} is {description}", 5).all_entities(), 0), "[CLS] dog is a [SEP]");
}

/// Texts with context over graph(), which it keeps.
struct WithContext {
  explicit WithContext(std::int64_t edges, std::int64_t max_tokens = 64, std::int64_t own_tokens = 40) {
    TextConfig config;
    config.context = edges;
    config.max_tokens = max_tokens;
    config.own_tokens = own_tokens;
    const WordPiece pieces = tokenizer();
    inputs.emplace(pieces, GraphTokens::build(g, pieces), config, g);
  }
  std::string text(const TextRequest& request) const { return words(inputs->for_evaluation({&request, 1}), 0); }
  std::string training_text(const TextRequest& request, std::uint64_t seed) const {
    return words(inputs->for_training({&request, 1}, seed), 0);
  }

  Graph g = graph();
  std::optional<TextInputs> inputs;
};

TEST(TextInputs, AppendsTheEdgesOfAnEntityToItsDescription) {
  const WithContext with(8);
  EXPECT_THAT(with.text(TextRequest::of_entity(*with.g.find_entity("p"))),
              ::testing::AnyOf("[CLS] pet : barks ; reverse of kind of dog ; reverse of kind of cat [SEP]",
                               "[CLS] pet : barks ; reverse of kind of cat ; reverse of kind of dog [SEP]"));
}

TEST(TextInputs, TruncatesOwnTextAndContextSeparately) {
  EXPECT_EQ(WithContext(1, 64, 2).text(TextRequest::of_entity(0)).substr(0, 14), "[CLS] dog : ; ");
  const WithContext with(8, 7);
  EXPECT_EQ(words(with.inputs->all_entities(), 0).substr(0, 19), "[CLS] dog : a pet ;");
  EXPECT_EQ(with.inputs->all_entities().offsets[1], 7);
}

/// A text with its soft tokens written as <directed relation neighbour>.
std::string shown(const Graph& g, const PackedInputs& inputs, std::size_t i) {
  std::string text;
  for (auto k = inputs.offsets[i]; k < inputs.offsets[i + 1]; ++k) {
    const std::int32_t id = inputs.ids[static_cast<std::size_t>(k)];
    std::string token;
    if (id >= 0) {
      token = kVocabulary[static_cast<std::size_t>(id)];
    } else {
      const std::int64_t key = inputs.soft[static_cast<std::size_t>(-1 - id)];
      token = "<" + std::to_string(key / g.entities()) + " " +
              std::string(g.entity_id(static_cast<EntityId>(key % g.entities()))) + ">";
    }
    text += (text.empty() ? "" : " ") + token;
  }
  return text;
}

TextInputs soft_inputs(const Graph& g, std::int64_t soft, std::int64_t context = 0, std::int64_t max_tokens = 40) {
  const WordPiece pieces = tokenizer();
  TextConfig config;
  config.soft_neighbours = soft;
  config.context = context;
  config.max_tokens = max_tokens;
  return TextInputs(pieces, GraphTokens::build(g, pieces), config, g);
}

TEST(TextInputs, PutsSoftTokensAfterTheWordsAndBeforeTheRelationOnTopOfTheLimit) {
  const Graph g = graph();
  const EntityId p = *g.find_entity("p"), c = *g.find_entity("c");
  const TextInputs inputs = soft_inputs(g, 8, 0, 4);
  EXPECT_THAT(shown(g, inputs.all_entities(), static_cast<std::size_t>(p)),
              ::testing::AnyOf("[CLS] pet : <1 d> <1 c> [SEP]", "[CLS] pet : <1 c> <1 d> [SEP]"));
  const TextRequest query = TextRequest::of_query(c, 0);
  EXPECT_THAT(
      shown(g, inputs.for_evaluation({&query, 1}), 0),
      ::testing::AnyOf("[CLS] cat <0 p> <1 d> [SEP] kind of [SEP]", "[CLS] cat <1 d> <0 p> [SEP] kind of [SEP]"));
  EXPECT_EQ(shown(g, inputs.own_words(), static_cast<std::size_t>(p)), "[CLS] pet : [SEP]");
  EXPECT_EQ(soft_inputs(g, 8).longest_text(), soft_inputs(g, 0).longest_text() + 8);
}

TEST(TextInputs, TellsInWordsSomeOfTheEdgesThatSoftTokensTell) {
  const Graph g = graph();
  const std::string p = shown(g, soft_inputs(g, 2, 1).all_entities(), static_cast<std::size_t>(*g.find_entity("p")));
  EXPECT_THAT(p, ::testing::AnyOf("[CLS] pet : barks ; reverse of kind of dog <1 d> <1 c> [SEP]",
                                  "[CLS] pet : barks ; reverse of kind of cat <1 c> <1 d> [SEP]"));
}

TEST(TextInputs, LeavesTheEdgeAskedForOutOfSoftTokensAndNoOther) {
  const Graph g = graph();
  const EntityId d = *g.find_entity("d"), p = *g.find_entity("p");
  const TextInputs inputs = soft_inputs(g, 8);
  const std::vector<TextRequest> requests = {{.entity = d, .relation = 0, .left_out = 0}, {.entity = p, .left_out = 0}};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PackedInputs made = inputs.for_training(requests, seed);
    EXPECT_EQ(shown(g, made, 0), "[CLS] dog : a pet <0 c> [SEP] kind of [SEP]");
    EXPECT_EQ(shown(g, made, 1), "[CLS] pet : barks <1 c> [SEP]");
  }
}

TEST(TextInputs, NumbersSoftTokensAcrossTextsThatSeveralThreadsAssemble) {
  const Graph g = graph();
  const EntityId d = *g.find_entity("d"), c = *g.find_entity("c");
  std::vector<TextRequest> requests;
  for (int i = 0; i < 700; ++i) requests.push_back(TextRequest::of_entity(i % 2 == 0 ? d : c));
  const PackedInputs made = soft_inputs(g, 1).for_evaluation(requests);
  ASSERT_EQ(made.soft.size(), 700U);
  for (const std::size_t i : {2U, 300U, 698U}) EXPECT_EQ(shown(g, made, i), shown(g, made, 0));
  for (const std::size_t i : {3U, 301U, 699U}) EXPECT_EQ(shown(g, made, i), shown(g, made, 1));
}

TEST(TextInputs, GivesANewTextSoftTokensOfItsFactsAndNoneWithoutFacts) {
  const Graph g = graph();
  const TextInputs inputs = soft_inputs(g, 4);
  NewText told{.name = {5}, .description = {}, .edges = {{0, *g.find_entity("p"), 0}}};
  NewText untold{.name = {5}, .description = {}, .edges = {}};
  const std::vector<NewText> texts = {told, untold};
  const PackedInputs made = inputs.for_new(texts);
  EXPECT_EQ(shown(g, made, 0), "[CLS] dog <0 p> [SEP]");
  EXPECT_EQ(shown(g, made, 1), "[CLS] dog [SEP]");
}

TEST(TextInputs, AppendsTheNamesOfNeighboursToAShortDescriptionExceptTheAnswer) {
  const WordPiece pieces = tokenizer();
  const Graph g = graph();
  TextConfig config;
  config.neighbours = 10;
  const TextInputs inputs(pieces, GraphTokens::build(g, pieces), config, g);
  const EntityId d = *g.find_entity("d"), c = *g.find_entity("c"), p = *g.find_entity("p");
  const auto text = [&](TextRequest request, EntityId unnamed) {
    request.unnamed = unnamed;
    return words(inputs.for_training({&request, 1}, 1), 0);
  };
  EXPECT_EQ(text(TextRequest::of_entity(p), -1), "[CLS] pet : barks dog cat [SEP]");
  EXPECT_EQ(text(TextRequest::of_entity(p), d), "[CLS] pet : barks cat [SEP]");
  EXPECT_EQ(text(TextRequest::of_entity(c), p), "[CLS] cat : dog [SEP]");  // which has no description of its own
  EXPECT_EQ(text(TextRequest::of_query(d, 0), c), "[CLS] dog : a pet pet [SEP] kind of [SEP]");
  EXPECT_TRUE(inputs.names(p, d));
  EXPECT_FALSE(inputs.names(p, p));
}

TEST(TextInputs, WritesAQueryAsAPairInTwoSegments) {
  const WithContext with(0);
  const std::vector<TextRequest> requests = {TextRequest::of_entity(0), TextRequest::of_query(0, 0)};
  const PackedInputs inputs = with.inputs->for_evaluation(requests);
  EXPECT_EQ(words(inputs, 1), "[CLS] dog : a pet [SEP] kind of [SEP]");
  EXPECT_EQ(inputs.segments, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, /**/ 0, 0, 0, 0, 0, 0, 1, 1, 1}));
}

TEST(TextInputs, WritesMpnetsQueryWithTwoSeparatorsAndNoSegments) {
  std::vector<std::string> vocabulary = kVocabulary;
  vocabulary[0] = "<pad>";
  vocabulary[2] = "<s>";
  vocabulary[3] = "</s>";
  const WordPiece pieces(vocabulary, TokenizerSettings::mpnet());
  const Graph g = graph();
  TextConfig config;
  config.max_tokens = 5;
  const TextInputs texts(pieces, GraphTokens::build(g, pieces), config, g);
  const std::vector<TextRequest> requests = {TextRequest::of_entity(0), TextRequest::of_query(0, 0),
                                             TextRequest::of_triple({0, 0, *g.find_entity("c")})};
  const PackedInputs inputs = texts.for_evaluation(requests);
  // As transformers' MPNetTokenizer writes a pair: <s> dog : a </s></s> kind of </s>.
  // A triple goes on in the same way: </s></s> cat </s>.
  EXPECT_EQ(inputs.ids, (std::vector<std::int32_t>{2, 5,      9, 7, 3, /**/ 2, 5, 9,  7,  3, 3, 11, 12,
                                                   3, /**/ 2, 5, 9, 7, 3,      3, 11, 12, 3, 3, 6,  3}));
  EXPECT_EQ(inputs.spans, (std::vector<std::int32_t>{1, 4, 6, 8, 10, 11}));
  EXPECT_EQ(inputs.segments, std::vector<std::int32_t>(inputs.ids.size(), 0));
  // The longest query: a text of five tokens, one separator more, 24 pieces of a relation and the last separator.
  EXPECT_EQ(texts.longest_text(), 5U + 1 + 24 + 1);
  // The longest triple: two entities of three pieces each, 24 of a relation, <s>, two pairs of separators and the last.
  EXPECT_EQ(texts.longest_triple(), 2U * 3 + 24 + 1 + 4 + 1);
}

TEST(TextInputs, WritesATripleAsThreeTextsOfWhichHeadAndTailShareAType) {
  const WithContext with(0);
  const EntityId pet = *with.g.find_entity("p");
  const std::vector<TextRequest> requests = {TextRequest::of_triple({0, 0, pet}), TextRequest::of_triple({pet, 1, 0})};
  const PackedInputs inputs = with.inputs->for_evaluation(requests);
  EXPECT_EQ(words(inputs, 0), "[CLS] dog : a pet [SEP] kind of [SEP] pet : barks [SEP]");
  EXPECT_EQ(words(inputs, 1), "[CLS] pet : barks [SEP] reverse of kind of [SEP] dog : a pet [SEP]");
  EXPECT_EQ(std::vector<std::int32_t>(inputs.segments.begin(), inputs.segments.begin() + inputs.offsets[1]),
            (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, /**/ 1, 1, 1, /**/ 0, 0, 0, 0}));
  // [CLS] is at 0: dog : a pet are 1 to 4, kind of 6 and 7, pet : barks 9 to 11.
  EXPECT_EQ(std::vector<std::int32_t>(inputs.spans.begin(), inputs.spans.begin() + 6),
            (std::vector<std::int32_t>{1, 5, 6, 8, 9, 12}));
  ASSERT_EQ(inputs.spans.size(), 12U);
}

TEST(TextInputs, EvaluationAlwaysReadsTheSameAndTrainingTheSameForOneSeed) {
  const WithContext with(1);
  const TextRequest pet = TextRequest::of_entity(*with.g.find_entity("p"));
  EXPECT_EQ(with.text(pet), with.text(pet));
  std::set<std::string> seen;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_EQ(with.training_text(pet, seed), with.training_text(pet, seed));
    seen.insert(with.training_text(pet, seed));
  }
  EXPECT_EQ(seen.size(), 2U);
}

TEST(TextInputs, LeavesOutThePredictedEdgeAtBothEntities) {
  const WithContext with(8);
  // Triple 2: dog kind_of cat.
  TextRequest dog = TextRequest::of_entity(*with.g.find_entity("d")), cat = TextRequest::of_entity(1);
  dog.left_out = cat.left_out = 2;
  cat.entity = *with.g.find_entity("c");
  EXPECT_EQ(with.training_text(dog, 1), "[CLS] dog : a pet ; kind of pet [SEP]");
  EXPECT_EQ(with.training_text(cat, 1), "[CLS] cat ; kind of pet [SEP]");
}

TEST(EntityTemplate, KeepsItsWordsIfNoFieldIsEmpty) {
  const Graph g = graph();
  const TextRequest cat = TextRequest::of_entity(*g.find_entity("c"));
  const PackedInputs inputs = inputs_with("a kind of {name}").for_evaluation({&cat, 1});
  EXPECT_EQ(words(inputs, 0), "[CLS] a kind of cat [SEP]");
}

TEST(EntityTemplate, RefusesWhatCannotBePutTogetherFromPieces) {
  EXPECT_ERROR(inputs_with("{name}s"), "put a space or punctuation after each field");
  EXPECT_ERROR(inputs_with("the{name}"), "put a space or punctuation before each field");
  EXPECT_ERROR(inputs_with("{name}{description}"), "put a space or punctuation between its fields");
  EXPECT_ERROR(inputs_with("{nmae}"), "unknown field {nmae}");
  EXPECT_ERROR(inputs_with(""), "it does not mention the entity");
  EXPECT_ERROR(inputs_with("hello"), "it does not mention the entity");
}

TEST(GraphTokens, AreReadBackFromTheFolderTheyWereKeptIn) {
  const testing::TempDir folder;
  const Graph g = graph();
  const WordPiece pieces = tokenizer();
  const GraphTokens built = GraphTokens::cached(g, pieces, folder.path());
  const GraphTokens mapped = GraphTokens::cached(g, pieces, folder.path());
  ASSERT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 3);
  for (std::size_t row = 0; row < built.names.rows(); ++row) {
    EXPECT_THAT(mapped.names.row(row), ::testing::ElementsAreArray(built.names.row(row)));
  }
}

TEST(GraphTokens, AreRebuiltIfTheFileIsDamaged) {
  const testing::TempDir folder;
  const Graph g = graph();
  const WordPiece pieces = tokenizer();
  GraphTokens::cached(g, pieces, folder.path());
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) write_file(entry.path(), "junk");
  EXPECT_EQ(GraphTokens::cached(g, pieces, folder.path()).names.rows(), 3U);
}

}  // namespace
}  // namespace hasa
