#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hasa {

class Graph;

/// Something a user should know of a graph: how often it occurs, and a few cases of it.
struct Finding {
  static constexpr std::size_t kExamples = 5;

  std::uint64_t count = 0;
  std::vector<std::string> examples;

  void add(std::string example) {
    ++count;
    if (examples.size() < kExamples) examples.push_back(std::move(example));
  }
  void append(const Finding& other) {
    for (const std::string& example : other.examples) {
      if (examples.size() < kExamples) examples.push_back(example);
    }
    count += other.count;
  }
};

/// What an import found, kept in the graph so that `hasa info` can show it. Nothing here stopped the
/// import, and nothing was repaired except where a finding says so.
struct Audit {
  std::string source;  ///< "benchmark WN18RR", "triples edges.tsv", "wordnet animal"
  std::uint64_t entities = 0;
  std::uint64_t relations = 0;
  std::array<std::uint64_t, 3> triples = {};  ///< by Split

  // Found by the readers.
  Finding bad_lines;       ///< left out, on request
  Finding repeated_texts;  ///< an id given a text twice; the first stands
  Finding unlisted;        ///< entities of a triple that the text file does not list; their id is their name
  Finding unlisted_relations;
  Finding unused_texts;        ///< texts of ids that no triple names, left out (triple files only)
  Finding dropped_duplicates;  ///< repeated triples left out before a split was drawn (triple files only)
  Finding left_out;            ///< statements whose value is neither an entity nor a text (RDF, KGTK)
  Finding named_after_iri;     ///< entities without a label, named after their IRI
  Finding replaced_texts;      ///< texts that an addition changed

  // Found in the graph itself, by audit().
  Finding without_name;         ///< entities whose id stands for their name
  Finding without_description;  ///< entities, named or not
  Finding without_text;         ///< entities with neither name nor description
  Finding relations_without_text;
  Finding shared_names;      ///< names that several entities bear
  Finding isolated;          ///< entities of no triple
  Finding unused_relations;  ///< relations of no triple
  Finding duplicates;        ///< triples repeated within their split (each repetition counts)
  Finding leaked;            ///< distinct triples of valid or test that an earlier split has too
  Finding reversed;          ///< test triples whose reverse, with the same relation, is in train
  Finding self_loops;
  Finding unseen_entities;       ///< in valid or test, but in no training triple
  Finding unseen_test_entities;  ///< in test, but in no training triple
  Finding unseen_relations;      ///< in valid or test, but in no training triple

  /// visit(key, words, finding) for each of the findings, in the order above.
  template <class Self, class Visitor>
  static void visit(Self& audit, Visitor&& visit) {
    visit("bad_lines", "malformed lines left out", audit.bad_lines);
    visit("repeated_texts", "ids given a text twice, the first kept", audit.repeated_texts);
    visit("unlisted", "entities missing from the text file", audit.unlisted);
    visit("unlisted_relations", "relations missing from the text file", audit.unlisted_relations);
    visit("unused_texts", "texts of ids in no triple, left out", audit.unused_texts);
    visit("dropped_duplicates", "repeated triples left out before splitting", audit.dropped_duplicates);
    visit("left_out", "statements left out, of values that are no entities", audit.left_out);
    visit("named_after_iri", "entities named after their IRI, for want of a label", audit.named_after_iri);
    visit("replaced_texts", "texts replaced by newer ones", audit.replaced_texts);
    visit("without_name", "entities without a name", audit.without_name);
    visit("without_description", "entities without a description", audit.without_description);
    visit("without_text", "entities without any text", audit.without_text);
    visit("relations_without_text", "relations without a text", audit.relations_without_text);
    visit("shared_names", "names borne by several entities", audit.shared_names);
    visit("isolated", "entities in no triple", audit.isolated);
    visit("unused_relations", "relations in no triple", audit.unused_relations);
    visit("duplicates", "triples repeated within a split", audit.duplicates);
    visit("leaked", "valid or test triples also in an earlier split", audit.leaked);
    visit("reversed", "test triples whose reverse is in train", audit.reversed);
    visit("self_loops", "triples from an entity to itself", audit.self_loops);
    visit("unseen_entities", "entities of valid or test unseen in training", audit.unseen_entities);
    visit("unseen_test_entities", "entities of test unseen in training", audit.unseen_test_entities);
    visit("unseen_relations", "relations of valid or test unseen in training", audit.unseen_relations);
  }
};

/// Completes what the readers found with what is found in the graph. Time and memory linear in the triples.
Audit audit(const Graph& graph, Audit found_by_reader);

/// One JSON document: entities, relations, triples {train, valid, test}, texts_missing, duplicates,
/// unseen_entities, and findings {key: {count, examples}}.
std::string to_json(const Audit& audit);
/// Throws data when the text is no such document.
Audit audit_from_json(std::string_view json);

/// Lines for a person: counts, then each finding that occurs, with examples.
std::string to_table(const Audit& audit);

}  // namespace hasa
