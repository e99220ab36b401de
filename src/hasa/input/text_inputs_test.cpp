#include "hasa/input/text_inputs.h"

#include "hasa/base/testing.h"
#include "hasa/kg/read_triples.h"

namespace hasa {
namespace {

const std::vector<std::string> kVocabulary = {"[PAD]", "[UNK]",   "[CLS]", "[SEP]", "[MASK]", "dog",
                                              "cat",   "a",       "pet",   ":",     "is",     "kind",
                                              "of",    "reverse", "-",     "s",     "barks"};

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
  return TextInputs(pieces, GraphTokens::build(graph(), pieces), TextConfig{pattern, max_tokens});
}

TEST(TextInputs, PutsNameAndDescriptionIntoTheTemplate) {
  const PackedInputs inputs = inputs_with("{name}: {description}").all_entities();
  ASSERT_EQ(inputs.size(), 3U);
  EXPECT_EQ(words(inputs, 0), "[CLS] dog : a pet [SEP]");
}

TEST(TextInputs, LeavesTheNameAloneWhereThereIsNoDescription) {
  const Graph g = graph();
  PackedInputs inputs;
  inputs_with("{name}: {description}").append_entity(*g.find_entity("c"), inputs);
  EXPECT_EQ(words(inputs, 0), "[CLS] cat [SEP]");
}

TEST(TextInputs, WritesInverseRelationsAsTheReverseOfTheirText) {
  const PackedInputs inputs = inputs_with("{name}: {description}").all_relations();
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(words(inputs, 0), "[CLS] kind of [SEP]");
  EXPECT_EQ(words(inputs, 1), "[CLS] reverse of kind of [SEP]");
}

TEST(TextInputs, CutsLongTextsAndKeepsTheSeparator) {
  EXPECT_EQ(words(inputs_with("{name} is {description}", 5).all_entities(), 0), "[CLS] dog is a [SEP]");
}

TEST(EntityTemplate, KeepsItsWordsWhereNoFieldItNamesIsEmpty) {
  const Graph g = graph();
  PackedInputs inputs;
  inputs_with("a kind of {name}").append_entity(*g.find_entity("c"), inputs);
  EXPECT_EQ(words(inputs, 0), "[CLS] a kind of cat [SEP]");
}

TEST(EntityTemplate, RefusesWhatCannotBePutTogetherFromPieces) {
  EXPECT_ERROR(inputs_with("{name}s"), "put a space or punctuation after each field");
  EXPECT_ERROR(inputs_with("the{name}"), "put a space or punctuation before each field");
  EXPECT_ERROR(inputs_with("{name}{description}"), "put a space or punctuation between its fields");
  EXPECT_ERROR(inputs_with("{nmae}"), "{nmae} is no field");
  EXPECT_ERROR(inputs_with(""), "it says nothing of the entity");
  EXPECT_ERROR(inputs_with("hello"), "it says nothing of the entity");
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

TEST(GraphTokens, AreMadeAnewWhenTheFileIsDamaged) {
  const testing::TempDir folder;
  const Graph g = graph();
  const WordPiece pieces = tokenizer();
  GraphTokens::cached(g, pieces, folder.path());
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) write_file(entry.path(), "junk");
  EXPECT_EQ(GraphTokens::cached(g, pieces, folder.path()).names.rows(), 3U);
}

}  // namespace
}  // namespace hasa
