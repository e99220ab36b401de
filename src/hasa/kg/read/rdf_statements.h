#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "hasa/kg/read/iri_names.h"
#include "hasa/kg/read/statements.h"

namespace hasa {

/// Which literals are texts of their subject, and how well liked: by language first, then by property.
///
///   names         rdfs:label, skos:prefLabel, schema:name, foaf:name
///   descriptions  schema:description, rdfs:comment, skos:definition, dcterms:description, dbo:abstract
class RdfTexts {
 public:
  /// Languages, best first; "en" also takes en-GB. A literal without a language comes after them, others last.
  explicit RdfTexts(std::vector<std::string> languages);

  struct Use {
    TextKind kind;
    std::uint8_t rank;
  };
  /// Nothing for a property whose values are not texts.
  std::optional<Use> use_of(std::string_view property, std::string_view language) const;
  /// Of a text in this language, whatever states it.
  std::uint8_t rank_of(std::string_view language) const;

 private:
  std::vector<std::string> languages_;
  std::unordered_map<std::string_view, Use> properties_;
};

/// A term of a statement, decoded.
struct RdfTerm {
  enum class Kind : std::uint8_t { iri, blank, literal };
  Kind kind = Kind::iri;
  std::string_view text;      ///< an IRI without brackets, a label without _:, a literal's value
  std::string_view language;  ///< of a literal; without the @
  bool stays = false;         ///< the text stands in the piece that is read, and need not be kept
};

/// Puts RDF statements into a piece's: a node of an IRI or a blank node is an entity, a literal its subject's text, or
/// left out.
class RdfStatements {
 public:
  /// `blank_scope` tells the blank nodes of one file from those of another; "" where one file is all there is.
  RdfStatements(const RdfTexts& texts, std::string_view blank_scope, Statements& into)
      : texts_(texts), blank_scope_(blank_scope), into_(into) {}

  void add(const RdfTerm& subject, const RdfTerm& predicate, const RdfTerm& object);

 private:
  std::int32_t entity(const RdfTerm& term);
  std::int32_t relation(const RdfTerm& term);

  const RdfTexts& texts_;
  std::string_view blank_scope_;
  Statements& into_;
};

}  // namespace hasa
